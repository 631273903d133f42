"""The store, when it works and when it does not: following goes on, each reason is said once, and it comes back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Literal

from diagnose.incidents.nouns import Alert, Batch, Checkpoint, Incident, Left
from diagnose.light import dataclass
from diagnose.model import InputError
from diagnose.watch.limits import MAX_BACKLOG, RETRY_S
from diagnose.watch.memory import MemoryStore
from diagnose.watch.ports import Clock, Store
from diagnose.watch.tail.nouns import Notice

MAX_REASONS: Final = 8
"""Reasons given while the store cannot be used."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    batch: Batch
    source: str


class Keeper:
    """Writes to the store; while that fails, to memory, from where alerts go out all the same.

    What was written to memory is written to the store when it is back, without alerts: those were told.
    Nothing is raised.
    """

    def __init__(
        self,
        open_store: Callable[[], Store] | None,
        *,
        clock: Clock,
        host: str,
        say: Callable[[Notice], None],
    ) -> None:
        self._open = open_store
        self._clock = clock
        self._host = host
        self._say = say
        self._memory = MemoryStore(clock.time)
        self._store: Store | None = None
        self._down = False
        self._said: set[str] = set()
        """Reasons given since it works no more: a full disk is another matter than a lock."""
        self._retry_at = 0.0
        self._backlog: deque[_Waiting] = deque(maxlen=MAX_BACKLOG)
        self._from_memory: set[str] = set()
        self._full: set[str] = set()
        self.failures = 0

    @property
    def down(self) -> bool:
        """True while the store cannot be used."""
        return self._down

    def write(self, batch: Batch, source: str, channels: Sequence[str]) -> tuple[Incident, ...]:
        """Incidents of the sightings, in order."""
        if self._ready():
            try:
                written = self._real().write(batch, source=source, host=self._host, channels=channels)
                self._memory.know(written)
                return written
            except Exception as error:
                self._fail(error)
        if self._open is not None:
            if not batch.sightings and batch.started is None:
                # Only the last place counts; older ones would push incidents out of the backlog.
                waiting = [w for w in self._backlog if w.source != source or w.batch.sightings or w.batch.started]
                self._backlog = deque(waiting, maxlen=MAX_BACKLOG)
            if len(self._backlog) == MAX_BACKLOG:
                self._overflown("backlog-full")
            self._backlog.append(_Waiting(batch, source))
        dropped = self._memory.dropped
        made = self._memory.write(batch, source=source, host=self._host, channels=channels)
        if self._memory.dropped > dropped:
            self._overflown("alerts-dropped")
        return made

    def _overflown(self, code: Literal["backlog-full", "alerts-dropped"]) -> None:
        if code not in self._full:
            self._full.add(code)
            self._say(Notice(code, "", {"limit": MAX_BACKLOG}))

    def checkpoint(self, source: str) -> Checkpoint | None:
        """The place a source was followed to; None when it is not known."""
        if self._ready():
            try:
                return self._real().checkpoint(source)
            except Exception as error:
                self._fail(error)
                self._say(Notice("checkpoint-unreadable", source))
        return self._memory.checkpoint(source)

    def left_open(self, source: str) -> Sequence[Left]:
        """Incidents of a source that were told and are not over; none when that is not known."""
        if self._ready():
            try:
                left = self._real().left_open(source, self._host)
                self._memory.know(one.incident for one in left)
                return left
            except Exception as error:
                self._fail(error)
        return self._memory.left_open(source, self._host)

    def recover(self) -> None:
        """Try again what failed, when it is time."""
        if self._down:
            self._ready()

    # ------------------------------------------------------------------------------ alerts

    def due_alerts(self) -> list[Alert]:
        """What has to be told now."""
        now = self._clock.time()
        due = list(self._memory.due_alerts(now))
        self._from_memory = {alert.key for alert in due} | self._from_memory
        if not self._down and self._open is not None:
            try:
                due += [a for a in self._real().due_alerts(now) if a.key not in self._from_memory]
            except Exception as error:
                self._fail(error)
        return due

    def alert_done(self, key: str) -> bool:
        """True when it is written down that it was told."""
        return self._settle(key, lambda store: store.alert_done(key))

    def alert_failed(self, key: str, retry_at: float | None) -> bool:
        """True when it is written down that it has to be told again (None: never)."""
        return self._settle(key, lambda store: store.alert_failed(key, retry_at))

    def _settle(self, key: str, work: Callable[[Store], None]) -> bool:
        if key in self._from_memory:
            work(self._memory)
            if all(alert.key != key for alert in self._memory.due_alerts(float("inf"))):
                self._from_memory.discard(key)
            return True
        if not self._ready():
            return False
        try:
            work(self._real())
        except Exception as error:
            self._fail(error)
            return False
        return True

    # --------------------------------------------------------------------- up, down, up again

    def _real(self) -> Store:
        if self._store is None:
            assert self._open is not None
            self._store = self._open()
        return self._store

    def _ready(self) -> bool:
        if self._open is None:
            return False
        if not self._down:
            return True
        if self._clock.monotonic() < self._retry_at:
            return False
        try:
            store = self._real()
            while self._backlog:
                waiting = self._backlog[0]
                store.write(waiting.batch, source=waiting.source, host=self._host)
                self._backlog.popleft()
            store.due_alerts(self._clock.time())
        except Exception as error:
            self._fail(error)
            return False
        self._down = False
        self._full.clear()
        self._said.clear()
        self._say(Notice("store-back", ""))
        return True

    def _fail(self, error: Exception) -> None:
        self.failures += 1
        self._retry_at = self._clock.monotonic() + RETRY_S
        self._drop()
        self._down = True
        why = error.message if isinstance(error, InputError) else None
        fields = {"why": str(error) or type(error).__name__}
        if why is not None:
            fields |= {"why": why.en, "why_ko": why.ko}
        kind = f"{type(error).__name__} {fields['why']}"
        if kind not in self._said and len(self._said) < MAX_REASONS:
            self._said.add(kind)
            self._say(Notice("store-failed", "", fields))

    def _drop(self) -> None:
        """Open it anew next time: the file may have been replaced."""
        store, self._store = self._store, None
        if store is not None:
            try:
                store.close()
            except Exception:
                return

    def close(self) -> None:
        self._retry_at = 0.0
        if self._down:
            self._ready()
        self._drop()
