"""Walks over the parse tree of a pattern: what stands in every match, and where it can run away."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

Way = TypeVar("Way")

MAX_WAYS = 256
"""Ways through the alternatives of a pattern that are looked at."""
BREAK = "\0"
"""Stands for anything that is not fixed."""


class CannotWalk(ValueError):
    """The pattern uses what only the ``regex`` module knows."""


class TooManyWays(ValueError):
    """The pattern has more than MAX_WAYS ways: those that were not looked at prove nothing."""


def parse(pattern: str) -> Sequence[Any]:
    """The standard library's parse tree of ``pattern``. Raises CannotWalk."""
    try:
        parser = importlib.import_module("re._parser")
    except ModuleNotFoundError:  # Python 3.10
        parser = importlib.import_module("sre_parse")
    try:
        tree: Sequence[Any] = parser.parse(pattern)
    except Exception as error:
        raise CannotWalk(str(error)) from error
    return tree


def ways(pattern: str) -> Iterator[list[str]]:
    """Fixed texts of every way through the alternatives of ``pattern``; white space counts as one blank.

    A part that may be absent is no fixed text. Raises CannotWalk and TooManyWays.
    """
    for way in _few(_sequence(parse(pattern))):
        yield [" ".join(run.split(" ")) for run in way.split(BREAK) if run]


def _sequence(tree: Sequence[Any]) -> Iterator[str]:
    choices = [list(_few(_item(str(op), value))) for op, value in tree]
    for combined in _few(itertools.product(*choices)):
        yield "".join(combined)


def _few(found: Iterable[Way]) -> Iterator[Way]:
    for number, one in enumerate(found):
        if number >= MAX_WAYS:
            raise TooManyWays(f"more than {MAX_WAYS} ways")
        yield one


def _item(op: str, value: Any) -> Iterator[str]:
    if op == "LITERAL":
        yield " " if chr(value).isspace() else chr(value)
    elif op == "IN":
        yield " " if _only_space(value) else BREAK
    elif op == "SUBPATTERN":
        for inside in _sequence(value[-1]):
            # In any case means in practice: as people and programs write words.
            yield from dict.fromkeys((inside.lower(), inside.capitalize(), inside.upper())) if value[1] else (inside,)
    elif op == "ATOMIC_GROUP":
        yield from _sequence(value)
    elif op == "BRANCH":
        for branch in value[1]:
            yield from _sequence(branch)
    elif op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        yield from _repeat(*value)
    elif op in ("AT", "ASSERT", "ASSERT_NOT"):
        yield ""
    else:
        yield BREAK


def _repeat(least: int, most: Any, inner: Sequence[Any]) -> Iterator[str]:
    if least == 0:
        yield BREAK
        return
    for once in _sequence(inner):
        # One or more blanks are one blank once white space is single.
        yield " " if once == " " else (once * least if least == most and least <= 4 else once + BREAK)


def _only_space(members: Sequence[Any]) -> bool:
    return len(members) == 1 and str(members[0][0]) == "CATEGORY" and str(members[0][1]) == "CATEGORY_SPACE"


def always_holds_one(pattern: str, literals: Sequence[str]) -> bool:
    """Whether every way through ``pattern`` holds one of ``literals``. Raises CannotWalk and TooManyWays."""
    return all(any(literal in run for run in way for literal in literals) for way in ways(pattern))


def nested_repeat(pattern: str) -> bool:
    """Whether something repeated without limit holds something else repeated without limit. Raises CannotWalk."""
    return _nested(parse(pattern), inside=False)


def _nested(tree: Sequence[Any], *, inside: bool) -> bool:
    for op, value in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            without_limit = int(value[1]) > 1000
            if inside and without_limit:
                return True
            if _nested(value[2], inside=inside or (without_limit and not _starts_fixed(value[2]))):
                return True
        elif name == "SUBPATTERN":
            if _nested(value[-1], inside=inside):
                return True
        elif name == "BRANCH" and any(_nested(branch, inside=inside) for branch in value[1]):
            return True
    return False


def _starts_fixed(tree: Sequence[Any]) -> bool:
    """``(?:, \\w+)*``: every round begins with a character the rest of it cannot be."""
    return bool(tree) and str(tree[0][0]) == "LITERAL"
