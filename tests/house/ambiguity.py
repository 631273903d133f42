"""Whether a pattern repeats something that can match a text in two ways.

Then the repetition can match one text in exponentially many ways, and tries them all where what follows fails. Texts of
at most ``LONGEST`` characters over the characters of the repeated part are tried; a part that is one set is no risk.
Look-arounds inside the part are taken to hold, so that one more way may be counted, never one less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

try:
    from re import _parser as parser
except ImportError:  # Python 3.10
    import sre_parse as parser  # type: ignore[import-not-found,no-redef]

MANY = 6
"""A part that is repeated fewer times costs little in any case."""
LONGEST = 4
_CLASS = {"SPACE": " ", "DIGIT": "7", "WORD": "a", "NOT_SPACE": "a", "NOT_DIGIT": "a", "NOT_WORD": "."}
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
Tree = Sequence[Any]


def parsed(pattern: str, flags: int = 0) -> Tree | None:
    """The tree of ``pattern``; None where only ``regex`` reads it."""
    try:
        return list(parser.parse(re.sub(r"\(\?P<\w+>", "(", pattern), flags))
    except re.error:
        return None


def ambiguous(tree: Tree) -> Iterator[str]:
    """Texts that a repeated part of ``tree`` matches in two ways, or as one round and as two."""
    for op, value in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT") and int(value[1]) >= MANY and not _is_one_set(value[2]):
            yield from _texts(value[2])
        if name != "ATOMIC_GROUP" and name != "POSSESSIVE_REPEAT":
            for part in _parts(name, value):
                yield from ambiguous(part)


def _parts(name: str, value: Any) -> Sequence[Tree]:
    if name in _REPEATS:
        return (value[2],)
    if name == "SUBPATTERN":
        return (value[-1],)
    if name == "ATOMIC_GROUP":
        return (value,)
    if name == "BRANCH":
        return tuple(value[1])
    return (value[1],) if name in ("ASSERT", "ASSERT_NOT") else ()


def _is_one_set(body: Tree) -> bool:
    return len(body) == 1 and str(body[0][0]) in ("IN", "LITERAL", "NOT_LITERAL", "ANY")


def _texts(body: Tree) -> Iterator[str]:
    found = sorted(set(_characters(body)))
    alphabet = [c for c in found if not c.isalnum()][:5] + [c for c in found if c.isalnum()][:2]
    for length in range(1, LONGEST + 1):
        for characters in product(alphabet, repeat=length):
            text = "".join(characters)
            once = _ends(body, text, 0).get(length, 0)
            if once > 1 or (once and _ends([*body, *body], text, 0).get(length, 0)):
                yield text
                return


def _characters(tree: Tree) -> Iterator[str]:
    for op, value in tree:
        name = str(op)
        if name == "LITERAL":
            yield chr(value)
        elif name in ("ANY", "NOT_LITERAL"):
            yield "a" if value != ord("a") else "b"
        elif name == "IN":
            yield from (_member(str(kind), member) for kind, member in value)
        for part in _parts(name, value):
            yield from _characters(part)


def _member(kind: str, value: Any) -> str:
    if kind == "LITERAL":
        return chr(value)
    if kind == "RANGE":
        return chr(value[0])
    return _CLASS[str(value).removeprefix("CATEGORY_")] if kind == "CATEGORY" else "a"


def _ends(tree: Tree, text: str, start: int) -> dict[int, int]:
    """End → number of ways in which ``tree`` matches ``text[start:end]``."""
    found = {start: 1}
    for op, value in tree:
        found = _sum((end, ways * more) for at, ways in found.items() for end, more in _step(op, value, text, at))
    return found


def _sum(pairs: Iterator[tuple[int, int]]) -> dict[int, int]:
    total: dict[int, int] = {}
    for end, ways in pairs:
        total[end] = total.get(end, 0) + ways
    return total


def _step(op: Any, value: Any, text: str, at: int) -> list[tuple[int, int]]:
    name = str(op)
    if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return [(at + 1, 1)] if at < len(text) and _holds(name, value, text[at]) else []
    if name in _REPEATS:
        rounds = _rounds(value, text, at)
        return list(rounds.items()) if name != "POSSESSIVE_REPEAT" else [(end, 1) for end in sorted(rounds)[-1:]]
    if name in ("ASSERT", "ASSERT_NOT") or not _parts(name, value):
        return [(at, 1)]
    ends = _sum(pair for part in _parts(name, value) for pair in _ends(part, text, at).items())
    return list(ends.items()) if name != "ATOMIC_GROUP" else [(end, 1) for end in sorted(ends)[-1:]]


def _rounds(value: Any, text: str, at: int) -> dict[int, int]:
    least, most, body = int(value[0]), int(value[1]), value[2]
    now, done = {at: 1}, {at: 1} if least == 0 else {}
    for count in range(1, min(most, len(text) + least) + 1):
        now = _sum(
            (end, ways * more)
            for place, ways in now.items()
            for end, more in _ends(body, text, place).items()
            if end != place or count <= least
        )
        if count >= least:
            done = _sum(iter([*done.items(), *now.items()]))
    return done


def _holds(name: str, value: Any, character: str) -> bool:
    if name == "LITERAL":
        return ord(character) == int(value)
    if name == "NOT_LITERAL":
        return ord(character) != int(value)
    if name == "ANY":
        return character != "\n"
    held = any(_is_member(str(kind), member, character) for kind, member in value)
    return held != any(str(kind) == "NEGATE" for kind, _ in value)


def _is_member(kind: str, value: Any, character: str) -> bool:
    if kind == "LITERAL":
        return ord(character) == int(value)
    if kind == "RANGE":
        return int(value[0]) <= ord(character) <= int(value[1])
    if kind != "CATEGORY":
        return False
    category = str(value).removeprefix("CATEGORY_")
    is_one = {"SPACE": character.isspace(), "DIGIT": character.isdigit()}.get(
        category.removeprefix("NOT_"), character.isalnum() or character == "_"
    )
    return is_one != category.startswith("NOT_")
