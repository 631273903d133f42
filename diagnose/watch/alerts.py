"""Alerts on their way: from the outbox through a bounded queue to a thread a channel; back-off when it fails.

The daemon's loop never waits for a network. An alert leaves the outbox when its channel took it; a crash in
between sends it again under the same key.
"""

from __future__ import annotations

import hashlib
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from diagnose.incidents.nouns import Alert
from diagnose.watch.keeper import Keeper
from diagnose.watch.limits import MAX_ALERTS_WAITING
from diagnose.watch.ports import Clock, Sender
from diagnose.watch.tail.nouns import Notice

FIRST_RETRY_S = 2.0
LONGEST_RETRY_S = 600.0
MAX_ATTEMPTS = 60
"""About nine hours of attempts; then it is given up and said so."""
CLOSE_S = 0.5
"""How long alerts on their way are waited for when we end."""
ASK_S = 1.0
"""How often the outbox is asked when nothing was written to it by ourselves."""


class Runner(Protocol):
    """Carries alerts out, now or later."""

    def submit(self, alert: Alert) -> bool:
        """False when no more can be taken at the moment."""

    def results(self) -> Sequence[tuple[Alert, bool]]: ...
    def close(self) -> None: ...


class ThreadRunner:
    """A thread a channel: a slow one does not hold up the others, and none the tail."""

    def __init__(self, senders: Mapping[str, Sender], wake: Callable[[], None]) -> None:
        self._queues: dict[str, queue.Queue[Alert | None]] = {}
        self._done: queue.Queue[tuple[Alert, bool]] = queue.Queue()
        self._wake = wake
        self._threads = []
        for channel, sender in senders.items():
            waiting: queue.Queue[Alert | None] = queue.Queue(MAX_ALERTS_WAITING)
            self._queues[channel] = waiting
            thread = threading.Thread(target=self._work, args=(sender, waiting), daemon=True, name=f"alert {channel}")
            thread.start()
            self._threads.append(thread)

    def _work(self, sender: Sender, waiting: queue.Queue[Alert | None]) -> None:
        while True:
            alert = waiting.get()
            if alert is None:
                return
            try:
                arrived = sender.send(alert)
            except Exception:  # whatever a service's client raises, the alert did not arrive
                arrived = False
            self._done.put((alert, arrived))
            self._wake()

    def submit(self, alert: Alert) -> bool:
        try:
            self._queues[alert.channel].put_nowait(alert)
        except queue.Full:
            return False
        return True

    def results(self) -> list[tuple[Alert, bool]]:
        found = []
        while not self._done.empty():
            found.append(self._done.get_nowait())
        return found

    def close(self) -> None:
        """Ask the threads to end; one that hangs in a network does not hold up the exit."""
        for waiting in self._queues.values():
            try:
                waiting.put_nowait(None)
            except queue.Full:
                continue
        end = time.monotonic() + CLOSE_S
        for thread in self._threads:
            thread.join(max(end - time.monotonic(), 0.0))


class Dispatcher:
    """Moves alerts between the outbox and the runner. ``step`` never blocks and raises nothing."""

    def __init__(
        self,
        keeper: Keeper,
        channels: Sequence[str],
        runner: Runner,
        *,
        clock: Clock,
        say: Callable[[Notice], None],
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.channels = tuple(channels)
        self.sent = 0
        self.failed = 0
        self._keeper = keeper
        self._runner = runner
        self._clock = clock
        self._say = say
        self._jitter = jitter
        self._flying: dict[str, str] = {}  # key → channel
        self._unsettled: list[tuple[Alert, bool]] = []
        self._troubled: set[str] = set()
        self._ask_at = 0.0

    def hurry(self) -> None:
        """Something was put into the outbox."""
        self._ask_at = 0.0

    def step(self) -> None:
        """Note what arrived and what did not; hand out what is due."""
        if not self.channels:
            return
        self._settle()
        if self._clock.monotonic() < self._ask_at:
            return
        self._ask_at = self._clock.monotonic() + ASK_S
        for alert in self._keeper.due_alerts():
            if alert.key in self._flying or alert.channel not in self.channels:
                continue
            waiting = sum(channel == alert.channel for channel in self._flying.values())
            if waiting < MAX_ALERTS_WAITING and self._runner.submit(alert):
                self._flying[alert.key] = alert.channel

    def _settle(self) -> None:
        results, self._unsettled = [*self._unsettled, *self._runner.results()], []
        for alert, arrived in results:
            if self._settled(alert, arrived):
                self._flying.pop(alert.key, None)
            else:
                self._unsettled.append((alert, arrived))

    def _settled(self, alert: Alert, arrived: bool) -> bool:
        if arrived:
            if not self._keeper.alert_done(alert.key):
                return False
            self.sent += 1
            self._ask_at = 0.0  # a later one of the same incident may go now
            self._troubled.discard(alert.channel)
            return True
        given_up = alert.attempts + 1 >= MAX_ATTEMPTS
        retry_at = None if given_up else self._clock.time() + self.delay(alert.attempts)
        if not self._keeper.alert_failed(alert.key, retry_at):
            return False
        self.failed += 1
        if given_up:
            fields: dict[str, str | int] = {"channel": alert.channel, "attempts": alert.attempts + 1}
            self._say(Notice("alert-given-up", "", fields))
        elif alert.channel not in self._troubled:
            self._troubled.add(alert.channel)
            self._say(Notice("alert-failed", "", {"channel": alert.channel}))
        return True

    def delay(self, attempts: int) -> float:
        """Seconds to the next attempt: doubled each time, between half and all of it, so that daemons spread out."""
        longest = min(FIRST_RETRY_S * 2.0 ** min(attempts, 20), LONGEST_RETRY_S)
        return longest * (0.5 + self._jitter() / 2)

    def close(self) -> None:
        """What arrives while the runner ends is noted, or it would be told again at the next start."""
        self._runner.close()
        self._settle()


def channel_of(address: str) -> str:
    """A name for an address that may be shown and stored: the address itself holds tokens."""
    scheme = address.partition("://")[0] or "alert"
    return f"{scheme}:{hashlib.blake2b(address.encode(), digest_size=4).hexdigest()}"
