"""Which lines of a log are worth quoting: each level has more of them, the last one all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
MAX_MARKS = 200
"""Signs of life quoted, from the end of the log backwards."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines to quote, from 1."""

    events: tuple[tuple[int, int], ...]
    """First and last line of records that report something."""
    single: frozenset[int] = frozenset()
    """Lines that say what the run was."""

    def may_be_quoted(self, line: int) -> bool:
        """Whether ``trimmed`` may keep it: what a reader has to hold on to."""
        return line in self.single or any(a - BACK <= line <= b + AROUND for a, b in self.events)


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
