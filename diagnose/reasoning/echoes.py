"""Echoes under their roots: what a cause explains, and what is left when no cause is in the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from diagnose.knowledge.schema import Entry
from diagnose.model import Match, Record
from diagnose.reasoning.chains import explains
from diagnose.reasoning.events import Event
from diagnose.reasoning.grouping import ONE_SERVER, SEVERITY, Servers, process_rank, verdict_of
from diagnose.reasoning.runs import Run
from diagnose.reasoning.verdict import Echo, Verdict


def nest(
    roots: Sequence[Verdict], echoes: Sequence[Event], entries: Mapping[str, Entry], servers: Servers = ONE_SERVER
) -> tuple[Verdict, ...]:
    """Known causes that another one explains become its echoes, and so do all consequences of the run.

    No server's cause is an echo of another server's, nor of one that may be another's; and what a server echoes is its
    own cause where it has one.
    """
    kept: list[Verdict] = []
    # Place in ``kept`` and entry of those that can own anything: few of the hundreds in a storm.
    explaining: list[tuple[int, Entry]] = []
    nested: dict[int, list[Echo]] = {}
    of: dict[int, int] = {}  # place in ``kept`` → server, where it is known
    for verdict in _causes_first(roots, entries):
        mine = _server(verdict, servers)
        others = [i for i in range(len(kept)) if of.get(i) != mine] if servers else ()
        owner = next((i for i, entry in explaining if i not in others and explains(entry, verdict.entry)), None)
        if owner is None:
            if entries[verdict.entry].explains:
                explaining.append((len(kept), entries[verdict.entry]))
            if mine is not None:
                of[len(kept)] = mine
            kept.append(verdict)
        else:
            nested.setdefault(owner, []).extend(_echo(verdict.entry, m) for m in verdict.copies)
    for event in echoes:
        if not kept:
            break
        echo = next((m.entry for m in event.matches if entries[m.entry].role == "consequence"), "engine.echo")
        own = _own(event.record, of, servers)
        owner = next(
            (i for i, entry in explaining if (not own or i in own) and explains(entry, echo)), min(own, default=0)
        )
        nested.setdefault(owner, []).append(Echo(echo, event.line, first_line(event.record.text)))
    return tuple(
        Verdict(v.entry, v.lead, v.copies, v.numbers, v.weight, _ordered(nested.get(i, ()))) for i, v in enumerate(kept)
    )


def _server(verdict: Verdict, servers: Servers) -> int | None:
    """Whose cause it is, where several servers are told apart."""
    if not servers:
        return None
    from diagnose.reasoning.twins import server_of

    return server_of((m.record for m in verdict.copies), servers)


def _own(record: Record, of: Mapping[int, int], servers: Servers) -> list[int]:
    """Places of the causes of the server that wrote ``record``; none where nothing tells."""
    if not of or record.speaker is None:
        return []
    mine = servers.get(record.speaker)
    return [place for place, server in of.items() if server == mine]


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
