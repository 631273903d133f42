"""Records and parameters for the tests of what a log says."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from diagnose.context.facts import facts
from diagnose.knowledge.schema import Parameter
from diagnose.model import ExceptionInfo, Fact, Piece, Record, RecordKind, RunContext

KB = Path(__file__).parents[2] / "kb" / "parameters.yaml"


@lru_cache(maxsize=1)
def parameters() -> dict[str, Parameter]:
    raw = yaml.safe_load(KB.read_text(encoding="utf-8"))
    return {name: parameter(name, fields) for name, fields in raw.items()}


def parameter(name: str, fields: dict[str, Any]) -> Parameter:
    plain = {key: value for key, value in fields.items() if key != "meaning"}
    for key in ("aliases", "environment"):
        plain[key] = tuple(plain.get(key, ()))
    return Parameter(name=name, **plain)


def record(text: str, kind: RecordKind = RecordKind.LOG, *, line: int = 1, **more: Any) -> Record:
    """A record whose text begins on ``line``; offsets are as if nothing stood before its lines."""
    pieces, start = [], 0
    for number, part in enumerate(text.split("\n")):
        pieces.append(Piece(start, line + number, start))
        start += len(part) + 1
    return Record(kind, text, tuple(pieces), **more)


def raw(text: str, **more: Any) -> Record:
    return record(text, RecordKind.RAW, **more)


def traceback(*frames: str, type_: str = "ValueError", **more: Any) -> Record:
    info = ExceptionInfo(type_, chain=1, position=0, link=None, last=True, frames=frames)
    return record(f"{type_}: it failed", RecordKind.EXCEPTION, exception=info, **more)


def said(text: str | Record, **more: Any) -> dict[str, Any]:
    """Name → value of the facts of one record (the last of each name)."""
    one = record(text, **more) if isinstance(text, str) else text
    return {fact.name: fact.value for fact in facts(one, parameters())}


def all_facts(*records: Record) -> list[Fact]:
    return [fact for one in records for fact in facts(one, parameters())]


def values(context: RunContext) -> dict[str, Any]:
    return {name: setting.value for name, setting in context.config.items()}
