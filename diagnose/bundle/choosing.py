"""Which lines of a log are worth quoting: each level has more of them, the last one all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from itertools import pairwise

from diagnose.collected import Collected
from diagnose.light import dataclass
from diagnose.model import Diagnosis

AROUND = 3
"""Lines quoted on both sides of an event."""
BACK = 200
"""Lines above an exception in which its traceback begins."""
BRIDGE = 3
"""Gaps of so many lines are quoted as well: a mark would be as long."""
CONTEXT = 20
"""Lines above a quoted one that may tell what in it is a secret: the row it was broken off, the head of a prompt."""
MAX_CONTEXT = 1_000
"""Such lines altogether: looking for secrets takes milliseconds for a line."""
MAX_MARKS = 200
"""Signs of life quoted, from the end of the log backwards."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines to quote, from 1."""

    events: tuple[tuple[int, int], ...]
    """First and last line of records that report something."""
    single: frozenset[int] = frozenset()
    """Lines that say what the run was."""

    def held(self) -> Callable[[int], bool]:
        """Whether a reader has to hold on to a line: ``trimmed`` may keep it, or one that it keeps is told by it."""
        single = {near for line in self.single for near in range(line - CONTEXT, line + 1)}
        spans = [(first - BACK - CONTEXT, last + AROUND) for first, last in self.events]
        return lambda line: line in single or any(first <= line <= last for first, last in spans)


def levels(diagnosis: Diagnosis, collected: Collected) -> Iterator[Wanted]:
    """First the diagnosed errors and what was read about the run, then every error."""
    facts = frozenset(fact.line for fact in collected.facts)
    marks = frozenset(line for line, _ in collected.marks[-MAX_MARKS:])
    shown = {f.line for f in (*diagnosis.findings, *diagnosis.notes)} | {u.line for u in diagnosis.unknown}
    shown |= {c.line for f in diagnosis.findings for c in f.consequences[:AROUND]}
    records = [(event.line, event.record.line, event.record.last_line) for event in collected.events]
    yield Wanted(tuple((a, b) for line, a, b in records if line in shown), facts | marks)
    yield Wanted(tuple((a, b) for _, a, b in records), facts | marks)


def trimmed(wanted: Wanted, lines: Iterable[tuple[int, str]]) -> frozenset[int]:
    """Numbers of the lines to quote out of ``lines`` (number, text), which hold all that ``may_be_quoted``."""
    texts = dict(lines)
    chosen = set(wanted.single)
    for first, last in wanted.events:
        begin = next((n for n in range(first, first - BACK, -1) if "Traceback (most recent" in texts.get(n, "")), first)
        chosen.update(range(begin - AROUND, last + AROUND + 1))
    ordered = sorted(chosen & texts.keys())
    for before, after in pairwise(ordered):
        if after - before <= BRIDGE + 1:
            chosen.update(range(before, after))
    return frozenset(chosen & texts.keys())


def told_with(chosen: Set[int], lines: Set[int]) -> list[list[int]]:
    """Groups of neighbouring lines that hold the chosen ones, with those of ``lines`` that stand above them."""
    begins = sum(line - 1 not in chosen for line in chosen)
    above = min(CONTEXT, MAX_CONTEXT // max(begins, 1))
    near = {number for line in chosen for number in range(line - above, line + 1)} & lines
    groups: list[list[int]] = []
    for number in sorted(near):
        if groups and groups[-1][-1] == number - 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups
