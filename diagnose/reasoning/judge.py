"""Root or echo: what one run's events come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from diagnose.knowledge.schema import Entry
from diagnose.reasoning.chains import root_match
from diagnose.reasoning.echoes import alone, nest
from diagnose.reasoning.events import Event
from diagnose.reasoning.grouping import ONE_SERVER, Servers, group, notes
from diagnose.reasoning.runs import Run
from diagnose.reasoning.sorting import Heap, before_ready, chosen, sort
from diagnose.reasoning.verdict import RunVerdict, Verdict

CLOSE_TO_THE_STOP = 10
"""Lines from coming up to a stop that nobody can have asked for."""


def judge(run: Run, events: Iterable[Event], entries: Mapping[str, Entry], servers: Servers = ONE_SERVER) -> RunVerdict:
    """Roots, echoes, notes and unknown errors of the events of ``run``; ``servers``: whose, where several failed."""
    heap = sort(chosen([e for e in events if run.holds(e.line)], entries), entries)
    early, heap = before_ready(run, heap)
    got_over = [e for e in heap.roots if e.got_over]
    heap.roots = [e for e in heap.roots if not e.got_over]
    roots, warned = _weighed(run, heap, entries, servers)
    roots = _without_late(run, roots)
    unknown = _unknown(run, heap, roots)
    told = set(map(id, unknown))
    echoes = heap.consequences + [e for e in heap.unknown if id(e) not in told]
    if not roots and not unknown:
        # Only a line that quotes the cause was pasted: it is better than none.
        roots = _without_late(run, group(heap.consequences, entries, run, servers))
        echoes = [e for e in echoes if root_match(e, entries) is None]
    causes = nest(roots, echoes, entries, servers)
    return RunVerdict(
        run=run,
        roots=causes,
        consequences=() if causes or unknown else alone(run, heap.consequences, entries),
        notes=(*_notes(heap, causes), *warned, *group(got_over, entries, run)),
        recovered=tuple(group(early, entries, run)),
        unknown=tuple(unknown),
    )


def _weighed(
    run: Run, heap: Heap, entries: Mapping[str, Entry], servers: Servers
) -> tuple[list[Verdict], list[Verdict]]:
    """Causes, and those that are only notes: a warning is a cause where nothing graver is and something failed."""
    roots = group(heap.roots, entries, run, servers)
    strong: list[Verdict] = []
    warned: list[Verdict] = []
    for verdict in roots:
        (strong if verdict.weight < 2 or _made_it_stop(verdict, run) else warned).append(verdict)
    if warned and not strong and (heap.unknown or heap.consequences):
        return roots, []
    return strong, warned


def _notes(heap: Heap, causes: Sequence[Verdict]) -> list[Verdict]:
    """What a run prints while it goes down with its cause is no note."""
    down = min((v.lead.line for v in causes if v.weight == 0), default=None)
    return notes([e for e in heap.notes if down is None or e.line < down])


def _without_late(run: Run, roots: list[Verdict]) -> list[Verdict]:
    """Errors of a server that was up and is being stopped are part of the stop."""
    if run.ready is None or run.stopping is None:
        return roots
    stopping = run.stopping
    return [v for v in roots if v.lead.line < stopping or (v.lead.line == stopping and _cut_off(v))]


def _cut_off(verdict: Verdict) -> bool:
    """Whether the stop came from outside (a cancelled job) and not from the person at the keyboard."""
    return verdict.weight < 2 and verdict.lead.record.exception is None


def _made_it_stop(verdict: Verdict, run: Run) -> bool:
    """Whether a warning stands between coming up and a stop that follows at once: some launchers only warn before
    they give up. A server that ran for a while was stopped by somebody."""
    if run.ready is None or run.stopping is None:
        return False
    return run.ready < verdict.lead.line < run.stopping <= run.ready + CLOSE_TO_THE_STOP


def _unknown(run: Run, heap: Heap, roots: Sequence[Verdict]) -> list[Event]:
    """Unknown errors that are no echo: none after a cause that stopped the run, none while it was being stopped."""
    limits = [v.lead.line for v in roots if v.weight == 0]
    if run.stopping is not None:
        limits.append(run.stopping)
    if not limits:
        return heap.unknown
    limit = min(limits)
    return [e for e in heap.unknown if e.line < limit]
