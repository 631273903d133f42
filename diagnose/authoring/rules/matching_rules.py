"""Signatures: their literals, their cost, their examples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from diagnose.authoring.rules.walking import CannotWalk, always_holds_one, nested_repeat
from diagnose.knowledge import Entry, Knowledge
from diagnose.knowledge.healthy import healthy_log
from diagnose.knowledge.schema import Signature

TAIL = 8
"""Bytes of a literal's end the scan engine looks for first."""
TAIL_LIMIT = 0.05
"""Share of the lines of a healthy log that may end its search with such a tail."""
PROBE_S = 0.25
"""Time an adversarial text may take: the matcher gives up after it."""
PROBE_CHARS = 2000


@lru_cache(maxsize=1)
def _healthy() -> tuple[str, ...]:
    return tuple(healthy_log())


def proven(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """A literal that is not in every match makes the prefilter miss messages without a word.

    Proven over the pattern where it can be walked, else shown by the examples.
    """
    for signature in entry.signatures:
        try:
            if always_holds_one(signature.pattern, signature.literals):
                continue
        except CannotWalk:
            pass
        for example in _matched(signature, entry):
            if not any(literal in example for literal in signature.literals):
                yield f"no literal of {_name(signature)} is in its match {example[:60]!r}; give literals that are"
                break


def _matched(signature: Signature, entry: Entry) -> Iterator[str]:
    """Examples this signature matches, white space single."""
    pattern = _compiled(signature.pattern)
    for example in entry.examples:
        for text in (example.text, *_messages(example.text)):
            if pattern.search(text):
                yield " ".join(text.split())
                break


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Any:
    import regex

    return regex.compile(pattern)


@lru_cache(maxsize=4096)
def _messages(text: str) -> tuple[str, ...]:
    """What signatures are searched in: the records of ``text``."""
    from diagnose.authoring.reading import records
    from diagnose.matching.places import searched_text

    return tuple(searched_text(record) for record in records(text))


def rare(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """A literal that stands in healthy logs, or ends like their lines, makes the scan several times slower."""
    lines = _healthy()
    for signature in entry.signatures:
        for literal in signature.literals:
            if entry.role != "noise" and sum(literal in line for line in lines) > 1:
                yield f"literal {literal!r} stands in healthy logs; take a rarer part of the message"
            elif sum(literal[-TAIL:] in line for line in lines) > TAIL_LIMIT * len(lines):
                yield f"literal {literal!r} ends like the lines of a healthy log; end it elsewhere"


def shown(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Every wording has an example."""
    if entry.signatures and not entry.examples:
        yield "has no example; give at least one per signature"
        return
    for signature in entry.signatures:
        if next(_matched(signature, entry), None) is None:
            yield f"no example shows {_name(signature)}"


def nested(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """A repetition inside a repetition can take exponential time."""
    for signature in entry.signatures:
        try:
            bad = not signature.template and nested_repeat(signature.pattern)
        except CannotWalk:
            bad = False
        if bad:
            yield f"{_name(signature)} has a repetition inside a repetition"


def slow(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """A text made to be nearly matched must not take long."""
    for signature in entry.signatures:
        if signature.template and signature.pattern.count("*") + signature.pattern.count("{0,") < 3:
            continue
        pattern = _compiled(signature.pattern)
        for text in _adversaries(signature, entry):
            try:
                pattern.search(text, timeout=PROBE_S)
            except TimeoutError:
                yield f"{_name(signature)} takes longer than {PROBE_S} s on {text[:40]!r}… repeated"
                break


def _adversaries(signature: Signature, entry: Entry) -> Iterator[str]:
    """The literals and the examples over and over, and runs of what placeholders are made of."""
    texts = [" ".join(example.text.split())[:200] for example in entry.examples[:2]]
    for seed in (*signature.literals, *texts, " ", "a", "1", "1, ", "['"):
        if seed:
            yield (seed * (PROBE_CHARS // len(seed) + 1))[:PROBE_CHARS]
    for literal in signature.literals:
        for filling in ("a", "1, ", " "):
            yield literal + filling * (PROBE_CHARS // len(filling))


def _name(signature: Signature) -> str:
    text = signature.template or signature.pattern
    return repr(text if len(text) <= 60 else text[:59] + "…")
