"""The daemon: read, analyse, write down, tell; then sleep until something was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import field, replace

from diagnose.incidents.nouns import Batch, Incident, Sighting
from diagnose.light import dataclass
from diagnose.model import Finding, InputError
from diagnose.watch.alerts import Dispatcher
from diagnose.watch.discovery import PIPE, Discovery, Found
from diagnose.watch.events import iso
from diagnose.watch.keeper import Keeper
from diagnose.watch.limits import (
    CHUNK_BYTES,
    DISCOVER_S,
    DISCOVER_SOON_S,
    MAX_SOURCES,
    POLL_S,
    ROTATE_WAIT_S,
    SOON_S,
    TIMER_S,
    TURN_BYTES,
)
from diagnose.watch.locks import Locks
from diagnose.watch.nouns import Change, Event, Mode, SourceState, Word
from diagnose.watch.ports import Clock, Sink, Waker
from diagnose.watch.source import Source
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.words import text

Opening = Callable[[Found, Mode], Source]


@dataclass(slots=True)
class Stats:
    """What is counted since the start."""

    events: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, entry) → how often it was told."""
    bytes: int = 0
    lost_bytes: int = 0
    lines: int = 0
    """Of sources that are followed no more; the others count theirs."""


class Daemon:
    """``step`` is one turn and never blocks; ``run`` is steps and sleeps until ``stop``."""

    def __init__(
        self,
        discovery: Discovery,
        opening: Opening,
        *,
        mode: Mode,
        keeper: Keeper,
        dispatcher: Dispatcher,
        sink: Sink,
        clock: Clock,
        waker: Waker,
        locks: Locks,
        beat: Callable[[], None] = lambda: None,
        reload: Callable[[], bool] = lambda: True,
    ) -> None:
        self.stats = Stats()
        self.sources: dict[str, Source] = {}
        self.latest: list[SourceState] = []
        """The sources as the last turn left them: another thread may read it."""
        self.turned_at = clock.monotonic()
        """When the last turn ended: health is judged by it."""
        self._discovery = discovery
        self._opening = opening
        self._mode: Mode = mode
        self._keeper = keeper
        self._dispatcher = dispatcher
        self._sink = sink
        self._clock = clock
        self._waker = waker
        self._locks = locks
        self._beat = beat
        self._reload = reload
        self._discovered_at = float("-inf")
        self._stopping = False
        self._reload_asked = False
        self._refused: set[str] = set()
        self._begun = False

    # ---------------------------------------------------------------------------- the loop

    def run(self, prepare: Callable[[], None] = lambda: None) -> None:
        """Follow until ``stop`` is called or every source has ended. Raises InputError when all are taken.

        ``prepare`` is called when the sources are open: what is written while it works is new, not there before.
        """
        try:
            self._discover(self._clock.monotonic())
            prepare()
            while not self._stopping:
                pause = self.step()
                if self.done():
                    break
                if not self._stopping:
                    self._waker.wait(pause)
        finally:
            self.close()

    def stop(self) -> None:
        """End after this turn; may be called from a signal handler."""
        self._stopping = True
        self._waker.wake()

    def ask_reload(self) -> None:
        """Call ``reload`` and, where it says so, analyse anew from the last place; may be called from a handler."""
        self._reload_asked = True
        self._waker.wake()

    def done(self) -> bool:
        """True when nothing can come any more: every source is a stream that has ended."""
        return bool(self.sources) and all(s.tail.ended for s in self.sources.values())

    def step(self) -> float:
        """One turn; gives the seconds to sleep when nothing wakes us."""
        now = self._clock.monotonic()
        if self._reload_asked:
            self._reload_asked = False
            if self._reload():
                self._open_again()
        if now >= self._discovered_at + (DISCOVER_SOON_S if self._waker.names_changed else DISCOVER_S):
            self._discover(now)
        self._read(now)
        for source in list(self.sources.values()):
            self._review(source)
            self._write(source)
        self._keeper.recover()
        self._dispatcher.step()
        self.latest = self.states()
        self._sink.state(self.latest)
        self._beat()
        self.turned_at = self._clock.monotonic()
        return self._pause()

    def _read(self, now: float) -> None:
        """Every source in turn, a piece each, until all are read or the turn is over."""
        left = TURN_BYTES
        eager = list(self.sources.items())
        while eager and left > 0 and not self._stopping:
            again = []
            for path, source in eager:
                got, notices = source.poll(now, CHUNK_BYTES)
                for notice in notices:
                    self._sink.notice(notice)
                    if notice.code == "ended":
                        self._waker.forget(path)
                left -= got
                self.stats.bytes += got
                if got and source.lead is None and source.session.due(self._clock.monotonic()) == 0:
                    self._review(source)
                    self._write(source)
                if got and source.tail.waiting:
                    again.append((path, source))
            eager = again

    def _review(self, source: Source) -> None:
        now = self._clock.monotonic()
        ended = source.tail.ended and source.session.due(now) is not None
        if source.lead is None and (ended or source.session.due(now) == 0):
            begun = self._clock.cpu()
            source.review(now, end=ended)
            source.session.spent(self._clock.monotonic(), self._clock.cpu() - begun)

    def _pause(self) -> float:
        now = self._clock.monotonic()
        waits = [POLL_S if self._waker.polling else TIMER_S]
        if self._waker.names_changed:
            waits.append(DISCOVER_SOON_S)
        for source in self.sources.values():
            if source.lead is not None and source.tail.waiting:
                return 0.0
            if source.tail.waiting:
                waits.append(SOON_S)
            due = source.session.due(now)
            if due is not None:
                waits.append(due)
        return min(waits)

    # -------------------------------------------------------------------- writing and telling

    def _write(self, source: Source) -> None:
        """What was found and the place it was found up to, together; then it is told."""
        now = self._clock.monotonic()
        reviews, source.reviews = source.reviews, []
        changes = [c for r in reviews for c in r.changes]
        started = next((r.started for r in reversed(reviews) if r.started is not None), None)
        incidents: tuple[Incident, ...] = ()
        if changes or started is not None or source.wants_saving(now):
            point = source.checkpoint()
            replayed = any(c.replayed for c in changes)
            batch = Batch(point, tuple(_sighting(c) for c in changes), started)
            channels = () if replayed else self._dispatcher.channels
            incidents = self._keeper.write(batch, source.name, channels)
            source.saved, source.saved_at = point or source.saved, now
            if changes:
                self._dispatcher.hurry()
                self._tell(source, changes, incidents)
        for review in reviews:
            for word in review.words:
                self._tell_word(source, word, incidents, replayed=review.replayed)

    def _tell(self, source: Source, changes: Iterable[Change], incidents: Iterable[Incident]) -> None:
        ids = {i.fingerprint: i.id for i in incidents}
        at = iso(self._clock.time())
        for change in changes:
            if change.shown is None:
                continue
            if not change.replayed:
                self.stats.events[change.shown, change.finding.entry] += 1
            incident = ids.get(change.fingerprint, change.fingerprint)
            event = Event(change.shown, at, source.name, incident, change.finding, replayed=change.replayed)
            self._sink.event(replace(event, changed=change.changed))

    def _tell_word(self, source: Source, word: Word, incidents: Iterable[Incident], *, replayed: bool) -> None:
        about = word.now if word.kind == "amended" else word.said
        finding, unknown = (about, None) if isinstance(about, Finding) else (None, about)
        if not replayed:
            self.stats.events[word.kind, word.said.entry if isinstance(word.said, Finding) else ""] += 1
        incident = next((i.id for i in incidents if i.fingerprint == word.fingerprint), "")
        was = word.said if word.kind == "amended" else None
        at = iso(self._clock.time())
        self._sink.event(Event(word.kind, at, source.name, incident, finding, unknown, replayed=replayed, was=was))

    # --------------------------------------------------------------------- sources come and go

    def _discover(self, now: float) -> None:
        self._waker.names_changed = False
        self._discovered_at = now
        found = {f.path: f for f in self._discovery.found()}
        for path, one in found.items():
            if path not in self.sources and self._may_follow(path):
                self.sources[path] = self._opening(one, "appeared" if self._begun else self._mode)
        for path, source in list(self.sources.items()):
            missing = source.tail.missing_since
            if path not in found and missing is not None and now - missing >= 2 * ROTATE_WAIT_S:
                self._drop(path, source)
        if not self._begun and found and not self.sources:
            raise InputError(text("taken", path=next(iter(found))))
        self._begun = True
        try:
            self._waker.watch(self._discovery.directories())
        except OSError as error:
            self._waker.polling = True
            if "polling" not in self._refused:
                self._refused.add("polling")
                self._sink.notice(Notice("polling", "", {"why": error.strerror or str(error)}))

    def _may_follow(self, path: str) -> bool:
        if len(self.sources) >= MAX_SOURCES:
            self._once(Notice("too-many", path, {"limit": MAX_SOURCES}), "too-many")
            return False
        if path == PIPE or self._locks.take(path):  # every process has a standard input of its own
            self._refused.discard(path)
            return True
        if self._begun:
            self._once(Notice("taken", path), path)
        return False

    def _once(self, notice: Notice, key: str) -> None:
        if key not in self._refused:
            self._refused.add(key)
            self._sink.notice(notice)

    def _drop(self, path: str, source: Source) -> None:
        source.review(self._clock.monotonic(), end=True)
        self._write(source)
        source.tail.close()
        self._locks.release(path)
        self.stats.lines += source.session.ledger.line - 1
        self.stats.lost_bytes += source.lost_bytes
        del self.sources[path]
        self._sink.notice(Notice("gone", path))

    def _open_again(self) -> None:
        for path, source in list(self.sources.items()):
            if source.lead is not None or source.tail.ended or not source.tail.identity:
                continue  # what is being read, or cannot be read again, goes on as it is
            self._review(source)
            source.saved_at = float("-inf")
            self._write(source)
            source.tail.close()
            self.stats.lines += source.session.ledger.line - 1
            self.sources[path] = self._opening(Found(path, source.explicit), "checkpoint")

    # ------------------------------------------------------------------------------- the rest

    def states(self) -> list[SourceState]:
        """Every source as it is now."""
        now = self._clock.monotonic()
        return [source.state(now) for source in self.sources.values()]

    def outcome(self) -> str:
        """``diagnosed``, ``unknown`` or ``healthy``: the worst of the sources as they were looked at last."""
        outcomes = [s.session.diagnosis.outcome for s in self.sources.values() if s.session.diagnosis is not None]
        return next((o for o in ("diagnosed", "unknown") if o in outcomes), "healthy")

    def close(self) -> None:
        """Write down the places and let everything go."""
        for source in self.sources.values():
            if source.lead is None:
                self._review(source)
                if source.session.waits:
                    source.review(self._clock.monotonic(), hurry=True)
                source.saved_at = float("-inf")
            self._write(source)
        self._dispatcher.step()
        for source in self.sources.values():
            source.tail.close()
        self._dispatcher.close()
        self._keeper.close()
        self._locks.close()
        self._waker.close()


def _sighting(change: Change) -> Sighting:
    return Sighting(
        kind=change.kind,
        fingerprint=change.fingerprint,
        run=change.run,
        revision=change.revision,
        finding=change.finding,
        context=change.context,
        excerpt=change.excerpt,
        changed=change.changed,
    )
