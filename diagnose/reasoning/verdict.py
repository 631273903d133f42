"""Root or echo: what one run's events come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from diagnose.knowledge.schema import Entry
from diagnose.model import Match, Record, RecordKind, Value
from diagnose.reasoning.chains import explains, representative, role_of, root_match
from diagnose.reasoning.events import Event
from diagnose.reasoning.runs import Run

CLOSE_TO_THE_STOP = 5
"""Lines between a warning and the stop it is the reason of."""

SEVERITY = {"fatal": 0, "error": 1, "warning": 2, "info": 3}


@dataclass(frozen=True, slots=True)
class Echo:
    """A later error that a root explains."""

    entry: str
    """Entry id, or ``engine.echo`` for an error no entry knows."""
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """One cause in one run, with all its copies and echoes."""

    entry: str
    lead: Match
    copies: tuple[Match, ...]
    """By line, the lead among them."""
    numbers: Mapping[str, Value]
    weight: int
    """0 stopped the run, 1 failed a request, 2 warned, 3 informed."""
    echoes: tuple[Echo, ...] = ()


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """Everything that was found out about one run."""

    run: Run
    roots: tuple[Verdict, ...] = ()
    """The cause that stopped the run first, then independent ones."""
    consequences: tuple[Verdict, ...] = ()
    """Echoes whose root is not in the log (only when there is no root)."""
    notes: tuple[Verdict, ...] = ()
    recovered: tuple[Verdict, ...] = ()
    """Causes of failures the same start got over."""
    unknown: tuple[Event, ...] = ()

    @property
    def failed(self) -> bool:
        return bool(self.roots or self.consequences or self.unknown)


@dataclass(slots=True)
class _Heap:
    """Events of one run sorted by what they count as."""

    roots: list[Event] = field(default_factory=list)
    consequences: list[Event] = field(default_factory=list)
    notes: list[Event] = field(default_factory=list)
    unknown: list[Event] = field(default_factory=list)


def judge(run: Run, events: Iterable[Event], entries: Mapping[str, Entry]) -> RunVerdict:
    """Roots, echoes, notes and unknown errors of the events of ``run``."""
    heap = _sort(_chosen([e for e in events if run.holds(e.line)], entries), entries)
    early, heap = _before_ready(run, heap)
    roots = _group(heap.roots, entries, run)
    failing = heap.unknown + heap.consequences
    warned = [v for v in roots if v.weight >= 2]
    strong = [v for v in roots if v.weight < 2 or _made_it_stop(v, run)]
    warned = [v for v in warned if v not in strong]
    if warned and (strong or not failing):
        roots = strong
    else:
        warned = []
    roots = _without_late(run, roots)
    unknown = _unknown(run, heap, roots)
    echoes = heap.consequences + [e for e in heap.unknown if e not in unknown]
    if not roots and not unknown:
        # Only a line that quotes the cause was pasted: it is better than none.
        roots = _group(heap.consequences, entries, run)
        echoes = [e for e in echoes if root_match(e, entries) is None]
    causes = _nest(roots, echoes, entries)
    return RunVerdict(
        run=run,
        roots=causes,
        consequences=() if causes or unknown else _alone(run, heap.consequences, entries),
        notes=(*_notes(heap.notes), *warned),
        recovered=tuple(_group(early, entries, run)),
        unknown=tuple(unknown),
    )


def _chosen(events: Sequence[Event], entries: Mapping[str, Entry]) -> list[Event]:
    """One event per exception chain, and every event that is no exception, headers of tracebacks left out."""
    chains: dict[int, list[Event]] = {}
    chosen: list[Event] = []
    stamps = set()
    for event in events:
        info = event.record.exception
        if info is None:
            chosen.append(event)
            continue
        chains.setdefault(info.chain, []).append(event)
        stamps.add(_stamp(event.record))
    for chain in chains.values():
        chain.sort(key=lambda e: e.record.exception.position if e.record.exception else 0)
        stands = representative(chain, entries)
        chosen.append(stands)
        # A later exception of the chain that is a known echo is still worth naming as one.
        chosen += [e for e in chain if e is not stands and role_of(e, entries) in ("consequence", "context")]
    headless = [e for e in chosen if e.matches or not _is_header(e, stamps)]
    return sorted(headless, key=lambda e: (e.line, e.record.offset))


def _stamp(record: Record) -> tuple[object, ...]:
    return (record.process, record.pid, record.source, record.time)


def _is_header(event: Event, stamps: set[tuple[object, ...]]) -> bool:
    """A logged line such as ``Error in …`` whose traceback follows from the same place at the same time."""
    record = event.record
    return record.kind is RecordKind.LOG and record.source is not None and _stamp(record) in stamps


def _sort(events: Sequence[Event], entries: Mapping[str, Entry]) -> _Heap:
    heap = _Heap()
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
    return heap


def _before_ready(run: Run, heap: _Heap) -> tuple[list[Event], _Heap]:
    """What a server printed before it said it was up did not keep it from coming up."""
    if run.ready is None:
        return [], heap
    ready = run.ready
    early = [e for e in heap.roots if e.line < ready and not e.logged_warning]
    late = _Heap(
        roots=[e for e in heap.roots if e.line >= ready or e.logged_warning],
        consequences=[e for e in heap.consequences if e.line >= ready],
        notes=heap.notes,
        unknown=[e for e in heap.unknown if e.line >= ready],
    )
    return early, late


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


def _group(events: Sequence[Event], entries: Mapping[str, Entry], run: Run) -> list[Verdict]:
    """One verdict per entry, the most severe and the one nearest to the cause first."""
    by_entry: dict[str, list[tuple[Event, Match]]] = {}
    for event in events:
        match = root_match(event, entries)
        if match is not None:
            by_entry.setdefault(match.entry, []).append((event, match))
    verdicts = []
    for entry, found in by_entry.items():
        weight = min(_weight(event, entries[entry], run) for event, _ in found)
        verdicts.append(_verdict(entry, [m for _, m in found], weight))
    return sorted(verdicts, key=lambda v: (v.weight, _best_rank(v), v.lead.line))


def _weight(event: Event, entry: Entry, run: Run) -> int:
    weight = SEVERITY[entry.severity]
    if event.logged_warning:
        return max(weight, 2)
    # In a start that never came up an error is what stopped it.
    return 0 if run.ready is None and weight == 1 else weight


def _best_rank(verdict: Verdict) -> int:
    return min(process_rank(m.record) for m in verdict.copies)


def _verdict(entry: str, matches: Sequence[Match], weight: int) -> Verdict:
    copies = tuple(sorted(matches, key=lambda m: m.line))
    lead = min(copies, key=lambda m: (max(process_rank(m.record), 1), _quotes(m), m.line))
    numbers: dict[str, Value] = {}
    for match in (*copies, lead):
        numbers.update({k: v for k, v in match.numbers.items() if match is lead or k not in numbers})
    return Verdict(entry, lead, copies, numbers, weight)


def _quotes(match: Match) -> bool:
    """Whether a logged line only quotes the error, which stands for itself elsewhere."""
    return match.record.kind is RecordKind.LOG and match.start > 0


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
    """Whether a warning stands right before a stop nobody asked for: some launchers only warn before they give up."""
    return run.stopping is not None and 0 < run.stopping - verdict.lead.line <= CLOSE_TO_THE_STOP


def _unknown(run: Run, heap: _Heap, roots: Sequence[Verdict]) -> list[Event]:
    """Unknown errors that are no echo: none after a cause that stopped the run, none while it was being stopped."""
    limits = [v.lead.line for v in roots if v.weight == 0]
    if run.stopping is not None:
        limits.append(run.stopping)
    if not limits:
        return heap.unknown
    limit = min(limits)
    return [e for e in heap.unknown if e.line < limit]


def _nest(roots: Sequence[Verdict], echoes: Sequence[Event], entries: Mapping[str, Entry]) -> tuple[Verdict, ...]:
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


def _alone(run: Run, events: Sequence[Event], entries: Mapping[str, Entry]) -> tuple[Verdict, ...]:
    """Echoes without a root: one verdict, the first echo, the others nested in it."""
    if run.stopping is not None:
        events = [e for e in events if e.line < run.stopping]
    found = [m for e in events for m in e.matches if entries[m.entry].role == "consequence"]
    if not found:
        return ()
    lead = min(found, key=lambda m: (process_rank(m.record), m.line))
    same = [m for m in found if m.entry == lead.entry]
    verdict = _verdict(lead.entry, same, SEVERITY[entries[lead.entry].severity])
    rest = [_echo(m.entry, m) for m in found if m.entry != lead.entry]
    return (Verdict(lead.entry, verdict.lead, verdict.copies, verdict.numbers, 0, _ordered(rest)),)


def _notes(events: Sequence[Event]) -> list[Verdict]:
    by_entry: dict[str, list[Match]] = {}
    for event in events:
        for match in event.matches:
            by_entry.setdefault(match.entry, []).append(match)
    return [_verdict(entry, matches, 2) for entry, matches in by_entry.items()]


def first_line(text: str) -> str:
    """First line of a message that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
