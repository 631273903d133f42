"""Texts made to annoy one pattern: almost matches at every place, and runs of whatever it repeats.

A pattern costs more than linear time when many places of a text begin a match that each look far ahead before they
fail. So every repetition of the pattern is fed with what it repeats, behind what leads to it, over and over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from diagnose.authoring.rules.walking import CannotWalk, parse

ENOUGH = 64
"""A repetition of at least so many rounds is worth feeding."""
MAX_TEXTS = 40
"""Different texts for one pattern."""
_CLASSES = {
    "CATEGORY_SPACE": " ",
    "CATEGORY_DIGIT": "7",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_NOT_WORD": ".",
}
_TRIES = "a7 .x,'\"[(`:/\t"
"""Characters that are tried for a negated set."""


def adversaries(pattern: str, literals: Sequence[str], examples: Sequence[str], size: int) -> Iterator[str]:
    """Texts of about ``size`` characters, the same ones in the same order for every size."""
    seeds = dict.fromkeys(seed for seed in _seeds(pattern, literals, examples) if seed)
    # A required string that is missing would end the search at once, so each stands behind the text.
    tail = "\n\0" + "\n\0".join((*literals, *_fixed(pattern)))
    for number, seed in enumerate(seeds):
        if number >= MAX_TEXTS:
            return
        yield (seed * (size // len(seed) + 1))[:size] + tail
    try:
        pumps = list(_pumps(parse(pattern)))[: MAX_TEXTS // 2]
    except CannotWalk:
        pumps = [(literal, filling) for literal in literals for filling in ("a", "1, ", " ", "[", "'")]
    for lead, pump in dict.fromkeys(pumps):
        yield lead + (pump * (size // len(pump)))[:size] + tail
        half = (lead + pump * 8) * (size // (len(lead) + 8 * len(pump)) + 1)
        yield half[:size] + tail


def _fixed(pattern: str) -> list[str]:
    """The fixed texts of the pattern outside its groups."""
    try:
        tree = parse(pattern)
    except CannotWalk:
        return []
    text = "".join(chr(value) if str(op) == "LITERAL" else "\0" for op, value in tree)
    return [run for run in text.split("\0") if run]


def _seeds(pattern: str, literals: Sequence[str], examples: Sequence[str]) -> Iterator[str]:
    yield from literals
    yield from (f"{literal} " for literal in literals)
    yield from (" ".join(example.split())[:200] for example in examples[:2])
    yield from (" ", "a", "1", "1, ", "['", "\n", "a ", "(")
    try:
        yield from (sample for sample in _samples(parse(pattern)) if len(sample) < 400)
    except CannotWalk:
        return


def _samples(tree: Sequence[Any]) -> Iterator[str]:
    """A match without its end, cut behind every repetition: what is looked at again and again when it is repeated."""
    made = ""
    for op, value in tree:
        made += _once(str(op), value)
        if str(op) not in ("LITERAL", "IN"):
            yield made
            yield f"{made} "
    yield made[:-1]


def _pumps(tree: Sequence[Any], lead: str = "") -> Iterator[tuple[str, str]]:
    """(text that leads to a repetition, one round of it) for every long repetition, inside groups too."""
    for op, value in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            once = "".join(_once(str(o), v) for o, v in value[2])
            if int(value[1]) >= ENOUGH and once:
                yield lead, once
            yield from _pumps(value[2], lead)
        elif name == "SUBPATTERN":
            yield from _pumps(value[-1], lead)
        elif name == "ATOMIC_GROUP":
            yield from _pumps(value, lead)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _pumps(branch, lead)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _pumps(value[1], lead)
        lead += _once(name, value)


def _once(op: str, value: Any) -> str:
    """A text that one item of the tree matches; empty where it matches no character or none is known."""
    if op == "LITERAL":
        return chr(value)
    if op == "NOT_LITERAL":
        return "a" if chr(value) != "a" else "b"
    if op == "ANY":
        return "a"
    if op == "IN":
        return _member(value)
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return "".join(_once(str(o), v) for o, v in value[2]) * min(int(value[0]), ENOUGH)
    if op == "SUBPATTERN":
        return "".join(_once(str(o), v) for o, v in value[-1])
    if op == "ATOMIC_GROUP":
        return "".join(_once(str(o), v) for o, v in value)
    if op == "BRANCH":
        return "".join(_once(str(o), v) for o, v in value[1][0])
    return ""


def _member(members: Sequence[Any]) -> str:
    """A character of a set."""
    if str(members[0][0]) == "NEGATE":
        out = {chr(v) for op, v in members if str(op) == "LITERAL"}
        return next((character for character in _TRIES if character not in out), "é")
    op, value = str(members[0][0]), members[0][1]
    if op == "LITERAL":
        return chr(value)
    if op == "RANGE":
        return chr(value[0])
    return _CLASSES.get(str(value), "a")
