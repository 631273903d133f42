"""No pattern of ours can be kept busy by a line: a repeated part matches a text in one way only."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diagnose
from diagnose.late import _Late
from diagnose.redact.redactor import RULES
from tests.house.ambiguity import ambiguous, parsed

ROOT = Path(diagnose.__file__).parent
READERS = ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer", "late")


def _of_value(value: Any, deep: int = 0) -> Iterator[tuple[str, int]]:
    if isinstance(value, _Late):
        value = re.compile(value._source, value._flags)
    if isinstance(value, re.Pattern):
        text = value.pattern
        yield text if isinstance(text, str) else text.decode("latin-1"), value.flags & re.X
    elif deep < 4 and isinstance(value, (tuple, list, set, frozenset)):
        for part in value:
            yield from _of_value(part, deep + 1)
    elif deep < 4 and isinstance(value, dict):
        yield from _of_value((*value, *value.values()), deep + 1)


def _of_modules() -> Iterator[tuple[str, int]]:
    for found in pkgutil.walk_packages(diagnose.__path__, "diagnose."):
        if not found.name.endswith("__main__"):
            for value in vars(importlib.import_module(found.name)).values():
                yield from _of_value(value)


def _of_calls() -> Iterator[tuple[str, int]]:
    """Patterns that are written where they are used."""
    for file in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                text = node.args[0].value
                if name in READERS and isinstance(text, str):
                    yield text, 0


def every_pattern() -> set[tuple[str, int]]:
    rules = {(text, 0) for rule in RULES for text in (rule.pattern, rule.needs) if text}
    return {*_of_modules(), *_of_calls(), *rules}


def test_no_repeated_part_of_any_pattern_matches_a_text_in_two_ways() -> None:
    patterns = every_pattern()
    trees = {pattern: tree for pattern in patterns if (tree := parsed(*pattern)) is not None}
    assert len(trees) > 900
    assert len(patterns) - len(trees) < 10  # the rest is read by `regex` alone
    assert {pattern: texts for pattern, tree in trees.items() if (texts := list(ambiguous(tree)))} == {}


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+!",
        r"(?:a|a)*!",
        r"(?:a|aa){1,40}!",
        r'x(?:,"?[\w .]{0,60}"?){1,40}$',
        r"\d+(?:[._]\w+)*!",
        r"<n>(?:\s*,?\s*<n>)+!",
        r"(?:(?:ab?)*c?)*!",
    ],
)
def test_a_part_that_matches_in_two_ways_is_seen(pattern: str) -> None:
    tree = parsed(pattern)
    assert tree is not None
    assert list(ambiguous(tree))


@pytest.mark.parametrize(
    "pattern", [r"(?:a+,)*!", r"(?:,(?:\"[\w .]{0,60}\"|[\w .]{0,60})){1,40}$", r"(?>a+)+!", r"(?:ab|ac)*", r"\w+\s\w+"]
)
def test_a_part_that_matches_in_one_way_is_none(pattern: str) -> None:
    tree = parsed(pattern)
    assert tree is None or not list(ambiguous(tree))  # atomic groups are new in Python 3.11
