"""A program that tries again with other settings after each failure: the last try is what is in force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from diagnose.model import Fact, Match, Value
from diagnose.reasoning import Verdict
from diagnose.reasoning.grouping import verdict_of

STATED = ("batch_size", "num_devices", "required_blocks", "blocks_min", "blocks_full")
"""Numbers with which a message states a setting of the try it ended, or what follows from the settings alone."""


def last_try(verdict: Verdict, facts: Iterable[Fact], parameters: Iterable[str]) -> Verdict:
    """``verdict`` with its lead and numbers from the last try, where its copies differ and between two of them a
    setting became another: printed again by the same program, or stated by the message itself.

    ``facts``: those of the run. ``parameters``: names that are settings.
    """
    copies = verdict.copies
    if verdict.is_uniform:
        return verdict
    told = sorted(facts, key=lambda fact: fact.line)
    speakers = {None, *(copy.record.speaker for copy in copies)}
    printed = _printed(copies, (f for f in told if f.speaker in speakers), frozenset(parameters))
    since = max((*printed, *_stated(copies, told)), default=0)
    last = [copy for copy in copies if copy.line >= since]
    if not since or len(last) in (0, len(copies)):
        return verdict
    chosen = verdict_of(verdict.entry, last, verdict.weight)
    return replace(verdict, lead=chosen.lead, numbers=chosen.numbers, since=chosen.copies[0].line)


def _printed(copies: Sequence[Match], facts: Iterable[Fact], parameters: frozenset[str]) -> Iterator[int]:
    """Lines on which a setting was printed with another value than before a copy."""
    said: dict[tuple[str, str, object], list[Fact]] = {}
    for fact in facts:
        if fact.name.rpartition(".")[2] in parameters or fact.name in parameters:
            said.setdefault((fact.name, fact.origin, fact.speaker), []).append(fact)
    for same in said.values():
        for before, now in pairwise(same):
            if before.value != now.value and any(before.line < copy.line < now.line for copy in copies):
                yield now.line


def _stated(copies: Sequence[Match], facts: Sequence[Fact]) -> Iterator[int]:
    """Lines from which on the copies state a setting of their own, and none before it does."""
    for name in STATED:
        stated = [copy for copy in copies if name in copy.numbers]
        now = stated[-1].numbers[name] if stated else None
        last = [copy for copy in stated if copy.numbers[name] == now]
        before = [copy for copy in stated if copy.line < last[0].line] if last else []
        if len(before) + len(last) < len(stated) or not before:
            continue
        if not _at_once(before[-1], last[0], [fact for fact in facts if fact.line < before[-1].line], (name, now)):
            yield last[0].line


def _at_once(one: Match, other: Match, facts: Iterable[Fact], setting: tuple[str, Value]) -> bool:
    """Whether the ``other`` ran when ``one`` failed, by ``facts`` from before: two servers, and no second try."""
    speaker = other.record.speaker
    apart = speaker is not None and speaker != one.record.speaker
    return any((apart and f.speaker == speaker) or (f.name.rpartition(".")[2], f.value) == setting for f in facts)
