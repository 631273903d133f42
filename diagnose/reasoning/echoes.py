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
    nested: dict[int, list[Echo]] = {}
    for verdict in _causes_first(roots, entries):
        owner = next((i for i, v in enumerate(kept) if explains(entries[v.entry], verdict.entry)), None)
        if owner is None:
            kept.append(verdict)
        else:
            nested.setdefault(owner, []).extend(_echo(verdict.entry, m) for m in verdict.copies)
    for event in echoes:
        if not kept:
            break
        entry = next((m.entry for m in event.matches if entries[m.entry].role == "consequence"), "engine.echo")
        owner = next((i for i, v in enumerate(kept) if explains(entries[v.entry], entry)), 0)
        nested.setdefault(owner, []).append(Echo(entry, event.line, first_line(event.record.text)))
    return tuple(
        Verdict(v.entry, v.lead, v.copies, v.numbers, v.weight, _ordered(nested.get(i, ()))) for i, v in enumerate(kept)
    )


def _causes_first(roots: Sequence[Verdict], entries: Mapping[str, Entry]) -> list[Verdict]:
    """The order of ``roots``, but what explains another stands before it."""
    ordered = list(roots)
    for verdict in roots:
        explained = [v for v in ordered if v is not verdict and explains(entries[verdict.entry], v.entry)]
        if explained:
            at = min(ordered.index(v) for v in explained)
            if ordered.index(verdict) > at:
                ordered.remove(verdict)
                ordered.insert(at, verdict)
    return ordered


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
