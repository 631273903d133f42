"""Copies of one cause come together: who is nearest to it, which copy leads, how grave it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnose.knowledge.schema import Entry
from diagnose.model import Match, Record, RecordKind, Value
from diagnose.reasoning.chains import root_match
from diagnose.reasoning.events import Event
from diagnose.reasoning.runs import Run
from diagnose.reasoning.verdict import Verdict

Servers = Mapping[tuple[str, int], int]
"""Which of several servers in one stream a process (name, pid) belongs to, for those it can be told of."""
ONE_SERVER: Servers = {}
SEVERITY = {"fatal": 0, "error": 1, "warning": 2, "info": 3}


def process_rank(record: Record) -> int:
    """Who is nearest to the cause: the fatal JSON, then workers, engine core, and last the API server."""
    if record.kind is RecordKind.FATAL:
        return 0
    name = (record.process or "").lower()
    if "worker" in name:
        return 1
    if name.startswith("api"):
        return 3
    return 2


def group(
    events: Sequence[Event], entries: Mapping[str, Entry], run: Run, servers: Servers = ONE_SERVER
) -> list[Verdict]:
    """One verdict per entry and server that failed, the most severe and the one nearest to the cause first."""
    by_entry: dict[str, list[tuple[Event, Match]]] = {}
    for event in events:
        match = root_match(event, entries)
        if match is not None:
            by_entry.setdefault(match.entry, []).append((event, match))
    verdicts = []
    for entry, found in by_entry.items():
        for copies in _failures(found, servers):
            weight = min(_weight(event, entries[entry], run) for event, _ in copies)
            verdicts.append(verdict_of(entry, [m for _, m in copies], weight))
    return sorted(verdicts, key=lambda v: (v.weight, _best_rank(v), v.lead.line))


def _failures(found: list[tuple[Event, Match]], servers: Servers) -> list[list[tuple[Event, Match]]]:
    if not servers:
        return [found]
    from diagnose.reasoning.twins import failures

    return failures(found, servers)


def _weight(event: Event, entry: Entry, run: Run) -> int:
    weight = SEVERITY[entry.severity]
    if event.logged_warning:
        return max(weight, 2)
    # In a start that never came up an error is what stopped it.
    return 0 if run.ready is None and weight == 1 else weight


def _best_rank(verdict: Verdict) -> int:
    return min(process_rank(m.record) for m in verdict.copies)


def verdict_of(entry: str, matches: Sequence[Match], weight: int) -> Verdict:
    copies = tuple(sorted(matches, key=lambda m: m.line))
    lead = min(copies, key=lambda m: (max(process_rank(m.record), 1), _quotes(m), m.line))
    numbers: dict[str, Value] = {}
    for match in (*copies, lead):
        numbers.update({k: v for k, v in match.numbers.items() if match is lead or k not in numbers})
    return Verdict(entry, lead, copies, numbers, weight)


def _quotes(match: Match) -> bool:
    """Whether a logged line only quotes the error, which stands for itself elsewhere."""
    return match.record.kind is RecordKind.LOG and match.start > 0


def notes(events: Sequence[Event]) -> list[Verdict]:
    by_entry: dict[str, list[Match]] = {}
    for event in events:
        for match in event.matches:
            by_entry.setdefault(match.entry, []).append(match)
    return [verdict_of(entry, matches, 2) for entry, matches in by_entry.items()]
