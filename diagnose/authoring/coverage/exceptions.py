"""``kb/coverage_exceptions.yaml``: sites that need no entry, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from diagnose.context.readers.safe_yaml import documents
from diagnose.knowledge.store import source_tree
from diagnose.model import InputError, Text

NAME = "coverage_exceptions.yaml"


def shipped() -> dict[str, dict[str, str]]:
    """The list of this source checkout; empty when installed from a wheel, which does not hold it."""
    root = source_tree()
    return {} if root is None else read_exceptions(root / NAME)


def read_exceptions(path: Path) -> dict[str, dict[str, str]]:
    """Package → text of a site → reason. A missing file is an empty list.

    Raises InputError when the file is no mapping of mappings of texts.
    """
    if not path.is_file():
        return {}
    try:
        found = documents(path.read_text("utf-8"), str(path))
    except (InputError, OSError, UnicodeDecodeError) as error:
        raise _refused(path) from error
    raw = (found[0] if found else None) or {}
    if not isinstance(raw, Mapping) or not all(_is_list(v) for v in raw.values()):
        raise _refused(path)
    return {str(package): dict(texts) for package, texts in raw.items()}


def _refused(path: Path) -> InputError:
    return InputError(
        Text(
            f"{path} cannot be read; write it as YAML: package, below it the text of a site and its reason",
            f"{path}: 읽을 수 없습니다. 패키지 아래에 위치의 문구와 이유를 적은 YAML로 고치세요",
        )
    )


def _is_list(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(k, str) and isinstance(v, str) and v for k, v in value.items())
