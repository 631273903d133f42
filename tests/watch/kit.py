"""A daemon in a box: real files, a clock that is moved by hand, either kind of wake-up, no sleeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from diagnose.analyzer import Analyzer, engine_for
from diagnose.incidents.fingerprint import fingerprint
from diagnose.incidents.nouns import Alert
from diagnose.knowledge import load
from diagnose.model import Diagnosis
from diagnose.redact import redacted
from diagnose.watch.alerts import Dispatcher
from diagnose.watch.daemon import Daemon
from diagnose.watch.discovery import Discovery
from diagnose.watch.doubts import key_of
from diagnose.watch.keeper import Keeper
from diagnose.watch.locks import Locks, NoLocks
from diagnose.watch.memory import MemoryStore
from diagnose.watch.nouns import Event, Mode, SourceState
from diagnose.watch.opening import Opener
from diagnose.watch.ports import Store, Waker
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.tail.system import Files, OsFiles
from diagnose.watch.wake import EventWaker, SleepWaker

START = "(APIServer pid={pid}) INFO 11-29 11:57:05 [api_utils.py:286] vLLM server version 0.30.0, serving model X\n"
READY = "(APIServer pid={pid}) INFO:     Application startup complete.\n"
CALM = "INFO 11-29 11:58:00 [loggers.py:12] going on\n"
"""Completes what the same process wrote before."""
ACCESS = '(APIServer pid=4100) INFO:     10.0.0.9:51234 - "POST /v1/completions HTTP/1.1" 200 OK\n'
"""Another process, which completes nothing."""
BLOCKS = "ValueError: The set `kvcache_num_blocks` ({n}) is less than the minimum number of blocks (33)\n"
MULTIPLE = (
    "ValueError: `max_seq_len` (100000) must be a multiple of `kvcache_partition_len` (16384) when using "
    "'flash_attn'. Please adjust either value to meet this requirement.\n"
)
UNHEARD = "RuntimeError: something wholly unheard of happened\n"


def start(pid: int = 4100) -> str:
    return START.format(pid=pid)


def ready(pid: int = 4100) -> str:
    return READY.format(pid=pid)


def blocks(n: int = 10) -> str:
    """A line that is a root cause by itself."""
    return BLOCKS.format(n=n)


@lru_cache(maxsize=1)
def tools() -> Any:
    knowledge = load()
    return knowledge, engine_for(knowledge)


class TapAnalyzer(Analyzer):
    """Keeps what it was fed."""

    def __init__(self, name: str, taps: dict[str, bytearray]) -> None:
        knowledge, engine = tools()
        super().__init__(name=name, all_runs=True, knowledge=knowledge, engine=engine)
        self._tap = taps.setdefault(name, bytearray())
        self._tap.clear()

    def feed(self, data: bytes) -> None:
        self._tap += data
        super().feed(data)


@dataclass
class HandClock:
    """Moves when told to."""

    now: float = 1000.0
    wall: float = 1_800_000_000.0
    used: float = 0.0
    """Seconds of a core."""

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.wall

    def cpu(self) -> float:
        return self.used

    def advance(self, seconds: float) -> None:
        self.now += seconds
        self.wall += seconds


@dataclass
class ListSink:
    """Keeps what it was told."""

    events: list[Event] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    states: Sequence[SourceState] = ()

    def event(self, event: Event) -> None:
        self.events.append(event)

    def notice(self, notice: Notice) -> None:
        self.notices.append(notice)

    def state(self, sources: Sequence[SourceState]) -> None:
        self.states = sources


@dataclass
class Inbox:
    """A runner that carries alerts out at once, and what arrived. Keys tell a second copy."""

    works: Callable[[Alert], bool] = lambda alert: True
    arrived: list[Alert] = field(default_factory=list)
    _results: list[tuple[Alert, bool]] = field(default_factory=list)

    def submit(self, alert: Alert) -> bool:
        worked = self.works(alert)
        if worked:
            self.arrived.append(alert)
        self._results.append((alert, worked))
        return True

    def results(self) -> list[tuple[Alert, bool]]:
        found, self._results = self._results, []
        return found

    def close(self) -> None:
        self._results = []

    @property
    def once(self) -> dict[str, Alert]:
        """What a receiver that knows keys has."""
        return {alert.key: alert for alert in self.arrived}


class Rig:
    """One daemon over ``tmp_path``. ``restart`` ends it (``kill``: without a word) and begins another one."""

    def __init__(
        self,
        paths: Sequence[Path | str],
        *,
        events: bool = False,
        mode: Mode = "checkpoint",
        files: Files | None = None,
        store: Store | None = None,
        channels: Sequence[str] = ("test",),
        locks: Locks | None = None,
        wrap: Callable[[Store], Store] = lambda store: store,
        stdin: int | None = None,
    ) -> None:
        self.clock = HandClock()
        self.inbox = Inbox()
        self.taps: dict[str, bytearray] = {}
        self.files = files or OsFiles()
        self.store: Store = store or MemoryStore(self.clock.time)
        self.reload: Callable[[], bool] = lambda: True
        self._paths = [str(p) for p in paths]
        self._events = events
        self._channels = channels
        self._locks = locks or NoLocks()
        self._wrap = wrap
        self._stdin = stdin
        self.sink = ListSink()
        self._build(mode)

    def _build(self, mode: Mode) -> None:
        self.waker: Waker = EventWaker() if self._events else SleepWaker()
        self.keeper = Keeper(lambda: self._wrap(self.store), clock=self.clock, host="here", say=self.sink.notice)
        self.dispatcher = Dispatcher(
            self.keeper, self._channels, self.inbox, clock=self.clock, say=self.sink.notice, jitter=lambda: 1.0
        )
        opener = Opener(
            lambda name: TapAnalyzer(name, self.taps),
            fingerprint,
            self.files,
            self.keeper,
            self.clock,
            self.sink,
            self.waker,
            self._stdin,
        )
        self.daemon = Daemon(
            Discovery(self._paths, self.files),
            opener,
            mode=mode,
            keeper=self.keeper,
            dispatcher=self.dispatcher,
            sink=self.sink,
            clock=self.clock,
            waker=self.waker,
            locks=self._locks,
            reload=lambda: self.reload(),
        )

    # ------------------------------------------------------------------------------ moving

    def step(self, seconds: float = 0.0) -> None:
        self.clock.advance(seconds)
        self.daemon.step()

    def go(self, seconds: float = 0.0) -> list[Event]:
        """What happened was written: it is noticed (by an event, or by the timer), read and told at once."""
        seen = len(self.sink.events)
        if self._events:
            self.waker.wait(2.0)
        self.clock.advance(max(seconds, 0.1))
        self._turns()
        return self.sink.events[seen:]

    def settle(self, seconds: float = 8.0) -> list[Event]:
        """Time passes and nothing is written."""
        seen = len(self.sink.events)
        steps = int(seconds / 0.25)
        for _ in range(steps):
            self.clock.advance(0.25)
            self._turns()
        return self.sink.events[seen:]

    def _turns(self) -> None:
        for _ in range(64):
            self.daemon.step()
            if not any(s.tail.waiting for s in self.daemon.sources.values()):
                return
            self.clock.advance(0.01)

    def close(self) -> None:
        self.daemon.close()

    def restart(self, mode: Mode = "checkpoint", *, kill: bool = False) -> list[Event]:
        """End it and begin again with what the store has; gives what is told at the start."""
        seen = len(self.sink.events)
        if kill:
            for source in self.daemon.sources.values():
                source.tail.close()
            self.waker.close()
        else:
            self.daemon.close()
        self._build(mode)
        self._turns()
        return self.sink.events[seen:]

    # ----------------------------------------------------------------------------- looking

    def read(self, path: Path | str) -> str:
        """Everything the analyser was fed from a source since it was opened."""
        return bytes(self.taps.get(str(path), b"")).decode("utf-8", "replace")

    def lines(self, path: Path | str) -> list[str]:
        return [line for line in self.read(path).split("\n") if line]

    def codes(self) -> list[str]:
        return [n.code for n in self.sink.notices]


def told(events: Sequence[Event]) -> list[tuple[str, str, int]]:
    """(kind, entry, line) of events."""
    return [(e.kind, e.finding.entry if e.finding else "-", e.finding.line if e.finding else 0) for e in events]


def append(path: Path, text: str | bytes) -> None:
    with path.open("ab") as out:
        out.write(text.encode() if isinstance(text, str) else text)


def numbers(rig: Rig, path: Path | str, prefix: str = "n=") -> list[int]:
    """Numbered lines in the order they were read."""
    return [int(line[len(prefix) :]) for line in rig.lines(path) if line.startswith(prefix)]


def numbered(first: int, last: int) -> str:
    return "".join(f"n={i}\n" for i in range(first, last + 1))


def one_shot(data: bytes, name: str = "-", *, all_runs: bool = False, repair: bool = True) -> Diagnosis:
    """What the command line says of these bytes; without ``repair``, of a log that is read as it stands."""
    knowledge, engine = tools()
    analyzer = Analyzer(name=name, all_runs=all_runs, knowledge=knowledge, engine=engine, repair=repair)
    analyzer.feed(data)
    return analyzer.finish()


def wrong_now(found: Diagnosis) -> set[str]:
    """What a diagnosis says is wrong, a key each."""
    found = redacted(found)
    return {key_of(f) for f in found.findings if not f.recovered} | {key_of(u) for u in found.unknown}


def standing(events: Sequence[Event]) -> set[str]:
    """The same for whoever was told these events and believed each of them."""
    stands: set[str] = set()
    for event in events:
        said = event.finding or event.unknown
        if event.was is not None:
            stands.discard(key_of(event.was))
        if said is None:
            continue
        echo = event.kind == "amended" and event.was is None and event.finding and event.finding.role == "consequence"
        if event.kind == "recovered" or echo:
            stands -= {key_of(said), key_of(said).replace("consequence:", "root:")}
        else:
            stands.add(key_of(said))
    return stands


OPENED: Mapping[str, str] = {"blocks": "kv-cache.below-minimum", "multiple": "attention.not-multiple"}


Make = Callable[..., Rig]
"""What the fixture ``rig`` is."""
