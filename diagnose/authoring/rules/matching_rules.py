"""Signatures: their literals, their cost, their examples."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from diagnose.authoring.rules.adversary import adversaries
from diagnose.authoring.rules.walking import CannotWalk, TooManyWays, always_holds_one, nested_repeat
from diagnose.knowledge import Entry, Knowledge
from diagnose.knowledge.healthy import healthy_log
from diagnose.knowledge.schema import Signature
from diagnose.matching.matcher import MATCH_LIMIT_S

TAIL = 8
"""Bytes of a literal's end the scan engine looks for first."""
TAIL_LIMIT = 0.05
"""Share of the lines of a healthy log that may end its search with such a tail."""
PROBE_CHARS = 1_500
"""Characters of a text made to annoy a pattern."""
TIMES = 16
"""So many times as long is the second text."""
TOLERANCE = 6.0
"""A square takes ``TIMES`` times longer than what is proportional; a busy machine and a growing stack together make
it four times."""
WORTH_S = 0.003
"""The second text takes so long before its time can be compared: 24,000 characters at the pace of a plain search."""


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
        except TooManyWays as error:
            yield f"{_name(signature)} cannot be proven: {error}; write several signatures"
            continue
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
    """A text made to be nearly matched must not cost more than its length: nothing quadratic, nothing exponential."""
    for signature in entry.signatures:
        if signature.template and not _looks_far(signature):
            continue
        examples = [example.text for example in entry.examples]
        pattern = _compiled(signature.pattern)
        short, long = (
            list(adversaries(signature.pattern, signature.literals, examples, size))
            for size in (PROBE_CHARS, PROBE_CHARS * TIMES)
        )
        cost_s, worst = max((_cost_s(pattern, text), number) for number, text in enumerate(short))
        wrong = _growth(cost_s, _cost_s(pattern, long[worst]))
        if wrong:
            yield f"{_name(signature)} {wrong} on {short[worst][:40]!r}… repeated; bound what it repeats"


def _looks_far(signature: Signature) -> bool:
    """Whether a template holds what can stand for much text with more text behind it. What the other placeholders
    cost is bounded by their own patterns, whatever stands around them (``tests/knowledge/test_templates.py``)."""
    return bool({"word", "rest", "quoted"} & set(signature.types.values())) or "{*}" in signature.template


def _growth(cost_s: float, longer_s: float) -> str:
    """What is wrong with the time two texts take, the second ``TIMES`` as long as the first; empty for nothing."""
    if longer_s >= MATCH_LIMIT_S:
        return f"takes longer than {MATCH_LIMIT_S} s"
    if longer_s < WORTH_S or longer_s <= cost_s * TIMES * TOLERANCE:
        return ""
    return f"takes longer than the length tells: {longer_s / cost_s:.0f} times for {TIMES} times the text"


def _cost_s(pattern: Any, text: str) -> float:
    """Processor time of one search, the best of a few: others are at work on the machine."""
    best = MATCH_LIMIT_S
    for _ in range(3):
        begun = time.process_time()
        with contextlib.suppress(TimeoutError):
            pattern.search(text, timeout=MATCH_LIMIT_S)
        best = min(best, time.process_time() - begun)
        if best < WORTH_S / TIMES:
            break
    return best


def _name(signature: Signature) -> str:
    text = signature.template or signature.pattern
    return repr(text if len(text) <= 60 else text[:59] + "…")
