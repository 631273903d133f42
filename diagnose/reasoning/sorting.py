"""The events of one run, sorted by what they count as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from diagnose.context.runs import ends_script
from diagnose.knowledge.schema import Entry
from diagnose.light import dataclass
from diagnose.model import Record, RecordKind
from diagnose.reasoning.chains import representative, role_of
from diagnose.reasoning.events import Event
from diagnose.reasoning.runs import Run
from diagnose.records import fingerprint_text


@dataclass(slots=True)
class Heap:
    """Events of one run sorted by what they count as."""

    roots: list[Event] = field(default_factory=list)
    consequences: list[Event] = field(default_factory=list)
    notes: list[Event] = field(default_factory=list)
    unknown: list[Event] = field(default_factory=list)


def chosen(events: Sequence[Event], entries: Mapping[str, Entry]) -> list[Event]:
    """One event per exception chain, and every event that is no exception, headers of tracebacks left out."""
    chains: dict[int, list[Event]] = {}
    kept: list[Event] = []
    stamps = set()
    for event in events:
        info = event.record.exception
        if info is None:
            kept.append(event)
            continue
        chains.setdefault(info.chain, []).append(event)
        stamps.add(_stamp(event.record))
    for chain in chains.values():
        chain.sort(key=lambda e: e.record.exception.position if e.record.exception else 0)
        stands = representative(chain, entries)
        kept.append(stands)
        # A later exception of the chain that is a known echo is still worth naming as one.
        kept += [e for e in chain if e is not stands and role_of(e, entries) in ("consequence", "context")]
    headless = [e for e in kept if e.matches or not _is_header(e, stamps)]
    return sorted(headless, key=lambda e: (e.line, e.record.offset))


def _stamp(record: Record) -> tuple[object, ...]:
    return (record.process, record.pid, record.source, record.time)


def _is_header(event: Event, stamps: set[tuple[object, ...]]) -> bool:
    """A logged line such as ``Error in …`` whose traceback follows from the same place at the same time."""
    record = event.record
    return record.kind is RecordKind.LOG and record.source is not None and _stamp(record) in stamps


def sort(events: Sequence[Event], entries: Mapping[str, Entry]) -> Heap:
    heap = Heap()
    places = {
        "root": heap.roots,
        "consequence": heap.consequences,
        "context": heap.notes,
        "unknown": heap.unknown,
    }
    for event in events:
        role = role_of(event, entries)
        if role == "unknown" and not event.error:
            continue
        if role in places:
            places[role].append(event)
        if role == "context" and ends_script(event.record):
            heap.unknown.append(_without_cause(event))
    return heap


def _without_cause(event: Event) -> Event:
    """What ended a script is a failure, though all that is known of its message is a note: the cause is not known."""
    return replace(event, template=fingerprint_text(event.record.text))


def before_ready(run: Run, heap: Heap) -> tuple[list[Event], Heap]:
    """What a server printed before it said it was up did not keep it from coming up."""
    if run.ready is None:
        return [], heap
    ready = run.ready
    early = [e for e in heap.roots if e.line < ready and not e.logged_warning]
    late = Heap(
        roots=[e for e in heap.roots if e.line >= ready or e.logged_warning],
        consequences=[e for e in heap.consequences if e.line >= ready],
        notes=heap.notes,
        unknown=[e for e in heap.unknown if e.line >= ready],
    )
    return early, late
