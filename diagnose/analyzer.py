"""The flow itself: bytes, lines, records, matches and facts, and at the end a diagnosis."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from diagnose.by_run import OF_THE_MACHINE, Contexts
from diagnose.cache import cache_dir
from diagnose.collected import Collected
from diagnose.conclusion import conclude
from diagnose.context import GOES_ON, TRIGGERS, FactBook, parse_npu
from diagnose.context.given import few, given_sets
from diagnose.knowledge import Knowledge, load
from diagnose.light import dataclass
from diagnose.matching import GluedMatcher, Matcher
from diagnose.meaning import Meaning, Meanings
from diagnose.model import Diagnosis, GivenConfig, InputInfo, Line, Record, RunContext, Value
from diagnose.once import Once
from diagnose.reasoning import Event, Run
from diagnose.records import Assembler
from diagnose.repair import CutNumbers, Origin, Paste, Reading
from diagnose.rereading import MOSTLY, Shown, explained, in_rests, moved, settle, spoken_of, vocabulary
from diagnose.scan import ERROR_MARK, REPEATS, STRUCTURAL, Engine, Repeats, Scanner, make_engine
from diagnose.scan.ahead import THREADS, processors, with_hits
from diagnose.servers import Servers
from diagnose.sources import Transcoder, open_source

Sets = Mapping[str, Value] | Sequence[str]
"""Values given by hand: parsed ones by canonical name, or ``name=value`` texts as ``--set`` takes them."""

STARTS = (b"vLLM API server version", b"vLLM server version", b"non-default args: ", b"Initializing a V1 LLM engine")
"""A line that holds one of these begins a run: what was said over and over before it is told again."""

MAX_CONFIGS = 50
"""Files given with ``config``."""
MAX_SETS = 500
"""Values given with ``sets``: there are some 150 parameters."""

Progress = Callable[[int, "int | None"], None]
"""Told the bytes read so far and the size of the file on disk, where it has one."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Records of an input that goes on which may still grow, as far as they were written."""

    records: tuple[Record, ...]
    events: tuple[tuple[int, int, int], ...]
    """Offset, line and length of those that report something."""
    lines: int
    """Lines seen, with a last partial one."""
    partial: int
    """Number of the line that is being written."""


@dataclass(frozen=True, slots=True)
class Look:
    """An input that goes on, as if it ended here."""

    diagnosis: Diagnosis
    runs: tuple[Run, ...]
    starts: tuple[int, ...]
    """Lines that announced a start of the program."""
    context_of: Callable[[int], RunContext]
    """What the run at this place in ``runs`` was; to be asked before more is fed."""


class Analyzer:
    """Reads one input in pieces of any size and says at the end what went wrong.

    The diagnosis depends on the bytes alone, not on how they were cut. The constructor raises InputError for a bad
    ``config``, ``sets`` or ``npu``; ``feed`` and ``finish`` raise nothing, whatever the bytes are.
    """

    def __init__(
        self,
        *,
        name: str = "-",
        config: Sequence[str] = (),
        sets: Sets = (),
        npu: str | None = None,
        all_runs: bool = False,
        knowledge: Knowledge | None = None,
        engine: Engine | None = None,
        matcher: Matcher | None = None,
        repair: bool = True,
    ) -> None:
        """``matcher``: one over the same ``knowledge`` and ``engine``, so that its patterns are compiled once for many
        inputs. ``repair``: put a small text right that was wrapped, quoted or numbered on its way; not for a live
        log."""
        few("--config", len(config), MAX_CONFIGS)
        few("--set", len(sets), MAX_SETS)
        self._knowledge = knowledge or load()
        parameters = self._knowledge.parameters
        given: list[GivenConfig] = []
        if config:
            from diagnose.context import read_config

            given = [read_config(path, parameters) for path in config]
        self._collected = Collected(
            name=name,
            given=given,
            sets=given_sets(sets, parameters, self._knowledge.hardware),
            npu=None if npu is None else parse_npu(npu, self._knowledge.hardware),
            all_runs=all_runs,
        )
        engine = engine or engine_for(self._knowledge)
        self._transcoder = Transcoder()
        self._repeats = Repeats(REPEATS, STARTS)
        self._scanner = Scanner(engine, repeats=self._repeats, mark=ERROR_MARK)
        self._assembler = Assembler()
        self._matcher = matcher or Matcher(self._knowledge, engine)
        self._meaning = Meanings(self._knowledge, self._matcher)
        self._engine = engine
        self._paste = Paste() if repair else None
        self._origin: Origin | None = None
        self._cut = CutNumbers()
        self._servers = Servers(apart=repair)
        self._once = Once()
        self._oldest = 1
        self._events_taken = 0

    def feed(self, data: bytes) -> None:
        """Take the next piece of the input."""
        self._collected.bytes += len(data)
        self._scan(self._transcoder.feed(data))

    def feed_all(self, blocks: Iterable[bytes]) -> None:
        """As ``feed`` for each of ``blocks``. Where they are many, the engine looks at some of them ahead."""
        threads = min(THREADS, processors())
        scanner = self._scanner
        for data, hits in with_hits(self._decoded(blocks), scanner.hits, lambda: scanner.is_dense, threads=threads):
            self._scan(data, hits)

    def _decoded(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self._collected.bytes += len(block)
            yield self._transcoder.feed(block)

    def finish(self, *, damaged: bool = False) -> Diagnosis:
        """The diagnosis of everything that was fed. ``damaged``: the input broke off, which becomes a note."""
        self._collected.damaged = damaged
        self._scan(self._transcoder.finish())
        self._end()
        text = self._paste.take() if self._paste is not None else None
        shown = spoken_of(text) if text else None
        settle(shown, self._collected, self._servers, self._matcher)
        plain = self._servers.conclude(self._collected, self._knowledge)
        other = self._read_again(text, shown) if text and shown else None
        # Where another reading says nothing else, the text stands as it is.
        return plain if other is None or replace(other, input=plain.input) == plain else other

    def _end(self) -> None:
        for line in self._scanner.finish():
            self._take(self._assembler.feed(self._placed(line)))
        self._take(self._assembler.flush())
        self._measure()

    def _read_again(self, text: bytes, shown: Shown) -> Diagnosis | None:
        """The diagnosis of a small text that shows what happened to it, where that explains more of it."""
        from diagnose.repair import SMALL_BYTES, readings, shows_shape

        kept = self._collected
        most, best, certain = explained(kept, self._knowledge), None, None
        large = len(text) > SMALL_BYTES
        if large and not shows_shape(text, troubled=any(kept.events)):
            return None
        settled = large and most.root
        rests: frozenset[int] = frozenset()  # rests of lines on which the plain reading found what is none
        for reading in readings(text, lambda: vocabulary(self._knowledge)):
            if not (rests <= reading.rests and (reading.sure or not settled) and reading.undoes(certain)):
                continue
            other = self._reader_of(reading)
            of_line = reading.origin.of_line
            settle(shown, other._collected, other._servers, self._matcher, of_line)
            known = explained(other._collected, self._knowledge, of_line=of_line)
            so_far, of_its = (kept, int) if best is None else (best[1]._collected, best[0].origin.of_line)
            rested = reading.rests if best is None or reading.goes_on_from(best[0]) else frozenset()
            share = in_rests(so_far, rested, of_its)
            before = explained(so_far, self._knowledge, rested, of_its) if share else most
            nothing = (not rests and share >= MOSTLY) or reading.instead > (best[0].instead if best else 0)
            if nothing or known.better_than(before, sure=reading.sure, told=reading.told, joins=reading.joins):
                most, best, certain = known, (reading, other), reading if reading.sure else certain
                rests = reading.rests if share else rests
        if best is None:
            return None
        reading, other = best
        info = InputInfo(kept.name, kept.bytes, kept.lines, reading.shapes)
        found = other._servers.conclude(other._collected, self._knowledge)
        return moved(found, reading.origin.of_line, self._back(text, reading), info)

    def _reader_of(self, reading: Reading) -> Analyzer:
        """Another reading of the same input, read to its end."""
        matcher = GluedMatcher(self._knowledge, self._engine) if reading.glued else self._matcher
        other = Analyzer(knowledge=self._knowledge, engine=self._engine, matcher=matcher, repair=False)
        other._collected = self._collected.anew()
        other._origin = reading.origin
        other._servers = Servers(apart=True)
        other._scan(reading.data)
        other._end()
        return other

    def _back(self, text: bytes, reading: Reading) -> Callable[[int], tuple[int, int]]:
        """From a byte of a reading of ``text`` to line and byte of the input."""

        def of_offset(offset: int) -> tuple[int, int]:
            line, place = reading.origin.of_offset(offset)
            before = text[text.rfind(b"\n", 0, place) + 1 : place]
            return line, self._transcoder.offset(line, place, before)

        return of_offset

    def _placed(self, line: Line) -> Line:
        """``line`` with its place in the input, where what is read is not the input itself."""
        if self._origin is not None:
            marks = self._origin.marks(line.number)
            return replace(line, marks=marks) if marks else line
        return self._transcoder.placed(line) if self._transcoder.moves else line

    def _measure(self) -> None:
        """How much was read so far, and what of it was only counted."""
        self._collected.lines = self._scanner.lines_seen
        self._collected.left_out = self._repeats.left_out()
        self._collected.lines_lost = self._scanner.lines_lost
        self._collected.lines_lost_to = self._scanner.lines_lost_to

    @property
    def collected(self) -> Collected:
        """What was gathered so far, for whoever quotes from the input; not to be changed."""
        return self._collected

    # ------------------------------------------------------------- for an input that does not end

    def goes_on(self) -> None:
        """The input begins in the middle of a run. Call before the first ``feed``."""
        for mark in GOES_ON:
            self._collected.mark(0, mark)
        self._events_taken -= len(GOES_ON)  # that is no news

    @property
    def news(self) -> int:
        """Grows whenever something was collected that can change the diagnosis; never shrinks."""
        return self._events_taken + self._collected.news

    def snapshot(self) -> Diagnosis:
        """The diagnosis as if the input ended here; reading goes on untouched."""
        return self.look(self.opened()).diagnosis

    def look(self, opened: Opened, *, whole: bool = True) -> Look:
        """What ``snapshot`` says, with the runs. ``opened`` is what ``opened()`` gave since the last ``feed``.

        ``whole=False`` leaves out errors that are not complete yet: more of them may follow. What complete lines
        say about the run counts.
        """
        twin = self._collected.twin(opened.lines) if opened.records else replace(self._collected, lines=opened.lines)
        for record in opened.records:
            if whole:
                self._note(record, twin)
            elif record.last_line < opened.partial:
                self._note_context(record, self._meaning(record), twin)
        starts = tuple(sorted(line for line, mark in twin.marks if mark.kind == "start"))
        runs = twin.runs()
        return Look(
            conclude(twin, self._knowledge, self._once),
            runs,
            starts,
            lambda number: Contexts(twin, runs, self._knowledge)[number],
        )

    def opened(self) -> Opened:
        """What is not complete yet."""
        transcoder = copy.deepcopy(self._transcoder)
        found, lines_seen = self._scanner.peek(transcoder.finish())
        lines = [transcoder.placed(line) for line in found] if transcoder.moves else found
        # What a run that was forgotten left open would bring that run back.
        records = [r for r in self._assembler.peek(lines) if r.line >= self._oldest]
        events = tuple((r.offset, r.line, len(r.text)) for r in records if self._meaning(r).is_event)
        return Opened(tuple(records), events, lines_seen, self._scanner.lines_seen + 1)

    def runs(self) -> tuple[Run, ...]:
        """The runs seen so far in complete records, without those that were forgotten."""
        return replace(self._collected, lines=self._scanner.lines_seen).runs()

    def forget(self, before: int) -> None:
        """Drop what was collected from lines ahead of ``before``, the first line of a run that is to be kept.

        What was said about the machine stays. Keeps memory bounded when a server is restarted for months.
        """
        kept, news = self._collected, self.news
        self._oldest = max(before, self._oldest)
        kept.marks = [(line, mark) for line, mark in kept.marks if line >= before]
        kept.events = kept.events.since(before)
        machine = {f.name: f for f in kept.facts if f.line < before and f.name.startswith(OF_THE_MACHINE)}
        facts_, kept.facts = [*machine.values(), *(f for f in kept.facts if f.line >= before)], FactBook()
        for fact in facts_:
            kept.facts.new_start()  # what one run said is not said for the next
            kept.facts.add([fact])
        self._events_taken += news - self.news  # nothing that was forgotten is news

    # ------------------------------------------------------------------------------------ the flow

    def _scan(self, data: bytes, hits: Sequence[int] | None = None) -> None:
        if self._paste is not None:
            self._paste.feed(data)
        for line in self._scanner.feed(data, hits):
            self._cut.feed(line)
            if records := self._assembler.feed(self._placed(line)):
                self._take(records)

    def _take(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.line >= self._oldest:
                self._events_taken += self._note(record, self._collected, self._servers)

    def _note(self, record: Record, collected: Collected, servers: Servers | None = None) -> bool:
        """Put what ``record`` says into ``collected``; True when it is an event."""
        said = self._meaning(record)
        takers = self._note_context(record, said, collected, servers)
        if said.is_event:
            for one in takers:
                one.events.add(Event(record, said.matches, said.error, said.template))
        return said.is_event

    def _note_context(
        self, record: Record, said: Meaning, collected: Collected, servers: Servers | None = None
    ) -> list[Collected]:
        """Who took it: ``collected``, and what its server said itself, where the input names several."""
        if said.facts:
            said = said._replace(facts=self._cut.without(said.facts))
        own = None if servers is None else servers.take(record, collected, said.mark, said.facts)
        takers = [collected] if own is None else [collected, own]
        if record.server and (said.is_event or said.mark is not None or said.facts):
            for one in takers:
                one.from_server(record.server)
        if said.mark is not None or said.facts:
            for one in takers:
                one.take(record.line, said.mark, said.facts)
        return takers


def engine_for(knowledge: Knowledge, prefer: str | None = None) -> Engine:
    """A scan engine over the literals of the knowledge base and of the rooms that read the log for other things."""
    prefer = prefer or os.environ.get("RBLN_DIAGNOSE_ENGINE") or None
    literals = [text for text, _ in knowledge.literals]
    return make_engine([*literals, *STRUCTURAL, *TRIGGERS], prefer, cache_dir(os.environ))


def diagnose_bytes(
    data: bytes,
    *,
    config: Sequence[str] = (),
    sets: Sets = (),
    npu: str | None = None,
    all_runs: bool = False,
    name: str = "-",
) -> Diagnosis:
    """The diagnosis of a log held in memory (text of any encoding; not compressed).

    Raises InputError for a bad ``config`` or ``sets``.
    """
    analyzer = Analyzer(name=name, config=config, sets=sets, npu=npu, all_runs=all_runs)
    analyzer.feed(data)
    return analyzer.finish()


def diagnose_path(
    path: str | Path,
    *,
    config: Sequence[str] = (),
    sets: Sets = (),
    npu: str | None = None,
    all_runs: bool = False,
    progress: Progress | None = None,
    stdin: BinaryIO | None = None,
    stdin_is_terminal: bool = False,
) -> Diagnosis:
    """The diagnosis of a file (plain, gz or zst), or of ``stdin`` when ``path`` is ``-``.

    Raises InputError when the input cannot be read, is empty or is no text, or for a bad ``config`` or ``sets``.
    """
    with open_source(str(path), stdin=stdin, stdin_is_terminal=stdin_is_terminal) as source:
        analyzer = Analyzer(name=source.name, config=config, sets=sets, npu=npu, all_runs=all_runs)
        blocks = source.blocks()
        analyzer.feed_all(blocks if progress is None else _told(blocks, source.size_bytes, progress))
        return analyzer.finish(damaged=source.damaged)


def _told(blocks: Iterable[bytes], size_bytes: int | None, progress: Progress) -> Iterator[bytes]:
    """``blocks``; ``progress`` hears of each when the next one is asked for."""
    done = 0
    for block in blocks:
        yield block
        done += len(block)
        progress(done, size_bytes)
