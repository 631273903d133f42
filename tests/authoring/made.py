"""Small knowledge bases and packages, written where a test needs them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from diagnose.analyzer import engine_for
from diagnose.knowledge import Entry, Knowledge, load
from diagnose.knowledge.compiled import pack, unpack
from diagnose.knowledge.source import compile_tree
from diagnose.knowledge.store import PACKAGE
from diagnose.scan import Engine

KB = PACKAGE.parent / "kb"

PLAIN: dict[str, Any] = {
    "id": "sample.blocks",
    "component": "optimum-rbln",
    "role": "root",
    "title": {"en": "Too few blocks", "ko": "블록 부족"},
    "signatures": [{"text": "the sample pool of {n:int} blocks is used up"}],
    "cause": {"en": "There are {n} blocks.", "ko": "블록이 {n}개입니다."},
    "examples": [{"text": "ValueError: the sample pool of 12 blocks is used up", "numbers": {"n": 12}}],
}


def entry_of(**changes: Any) -> dict[str, Any]:
    """The plain entry with some keys replaced; None removes one."""
    return {k: v for k, v in {**PLAIN, **changes}.items() if v is not None}


def knowledge_of(tmp_path: Path, *entries: Mapping[str, Any]) -> Knowledge:
    """A knowledge base of these entries, with the real parameters and constraints."""
    root = tmp_path / "kb"
    (root / "entries").mkdir(parents=True, exist_ok=True)
    for name in ("parameters", "constraints", "hardware", "models"):
        (root / f"{name}.yaml").write_bytes((KB / f"{name}.yaml").read_bytes())
    for number, entry in enumerate(entries):
        # JSON is YAML.
        (root / "entries" / f"{number}.yaml").write_text(json.dumps(entry, ensure_ascii=False), encoding="utf-8")
    return unpack(pack(compile_tree(root)))


def one(tmp_path: Path, **changes: Any) -> tuple[Entry, Knowledge]:
    """The plain entry with changes, alone in its knowledge base."""
    knowledge = knowledge_of(tmp_path, entry_of(**changes))
    return next(iter(knowledge.entries.values())), knowledge


@lru_cache(maxsize=1)
def real() -> Knowledge:
    """The knowledge base of this checkout."""
    return load()


def wheel(tmp_path: Path, name: str, version: str, files: Mapping[str, str | bytes]) -> Path:
    """A wheel that holds ``files``."""
    stem = f"{name.replace('-', '_')}-{version}"
    path = tmp_path / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in files.items():
            archive.writestr(member, data)
        archive.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n")
    return path


@lru_cache(maxsize=1)
def engine() -> Engine:
    """A scan engine over it."""
    return engine_for(real())
