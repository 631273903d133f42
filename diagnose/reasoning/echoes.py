"""Echoes under their roots: what a cause explains, and what is left when no cause is in the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from diagnose.knowledge.schema import Entry
from diagnose.model import Match
from diagnose.reasoning.chains import explains
from diagnose.reasoning.events import Event
from diagnose.reasoning.grouping import SEVERITY, process_rank, verdict_of
from diagnose.reasoning.runs import Run
from diagnose.reasoning.verdict import Echo, Verdict


def nest(roots: Sequence[Verdict], echoes: Sequence[Event], entries: Mapping[str, Entry]) -> tuple[Verdict, ...]:
    """Known causes that another one explains become its echoes, and so do all consequences of the run."""
    kept: list[Verdict] = []
    # Place in ``kept`` and entry of those that can own anything: few of the hundreds in a storm.
    explaining: list[tuple[int, Entry]] = []
    nested: dict[int, list[Echo]] = {}
    for verdict in _causes_first(roots, entries):
        owner = next((i for i, entry in explaining if explains(entry, verdict.entry)), None)
        if owner is None:
            if entries[verdict.entry].explains:
                explaining.append((len(kept), entries[verdict.entry]))
            kept.append(verdict)
        else:
            nested.setdefault(owner, []).extend(_echo(verdict.entry, m) for m in verdict.copies)
    for event in echoes:
        if not kept:
            break
        echo = next((m.entry for m in event.matches if entries[m.entry].role == "consequence"), "engine.echo")
        owner = next((i for i, entry in explaining if explains(entry, echo)), 0)
        nested.setdefault(owner, []).append(Echo(echo, event.line, first_line(event.record.text)))
    return tuple(
        Verdict(v.entry, v.lead, v.copies, v.numbers, v.weight, _ordered(nested.get(i, ()))) for i, v in enumerate(kept)
    )


def _causes_first(roots: Sequence[Verdict], entries: Mapping[str, Entry]) -> list[Verdict]:
    """The order of ``roots``, but what explains another stands before it."""
    ordered = list(range(len(roots)))
    for number, verdict in enumerate(roots):
        entry = entries[verdict.entry]
        if not entry.explains:
            continue
        place = ordered.index(number)
        at = next((i for i, n in enumerate(ordered[:place]) if explains(entry, roots[n].entry)), None)
        if at is not None:
            ordered.insert(at, ordered.pop(place))
    return [roots[number] for number in ordered]


def _echo(entry: str, match: Match) -> Echo:
    return Echo(entry, match.line, first_line(match.record.text))


def _ordered(echoes: Iterable[Echo]) -> tuple[Echo, ...]:
    unique = {(e.entry, e.line): e for e in echoes}
    return tuple(sorted(unique.values(), key=lambda e: e.line))


def alone(run: Run, events: Sequence[Event], entries: Mapping[str, Entry]) -> tuple[Verdict, ...]:
    """Echoes without a root: one verdict, the first echo, the others nested in it."""
    if run.stopping is not None:
        events = [e for e in events if e.line < run.stopping]
    found = [m for e in events for m in e.matches if entries[m.entry].role == "consequence"]
    if not found:
        return ()
    lead = min(found, key=lambda m: (process_rank(m.record), m.line))
    same = [m for m in found if m.entry == lead.entry]
    verdict = verdict_of(lead.entry, same, SEVERITY[entries[lead.entry].severity])
    rest = [_echo(m.entry, m) for m in found if m.entry != lead.entry]
    return (Verdict(lead.entry, verdict.lead, verdict.copies, verdict.numbers, 0, _ordered(rest)),)


def first_line(text: str) -> str:
    """First line of a message that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
