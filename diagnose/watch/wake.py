"""Sleeping until something was written. Events only shorten the sleep: nothing depends on them."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Callable, Sequence
from typing import Any


class SleepWaker:
    """No events: the timer, a signal, or a readable descriptor ends the sleep."""

    polling = True

    def __init__(self) -> None:
        self.names_changed = False
        self._read, self._write = os.pipe()
        for end in (self._read, self._write):
            os.set_blocking(end, False)
        self._streams: dict[str, int] = {}

    def watch(self, directories: Sequence[str]) -> None:
        """Nothing to do: every sleep is short."""

    def stream(self, name: str, descriptor: int) -> None:
        """Wake when there is something to read in a pipe."""
        self._streams[name] = descriptor

    def forget(self, name: str) -> None:
        """A pipe that ended would be readable for ever."""
        self._streams.pop(name, None)

    def wait(self, timeout: float) -> bool:
        """Sleep at most ``timeout`` seconds; True when woken."""
        poller = select.poll()
        for descriptor in (self._read, *self._streams.values()):
            poller.register(descriptor, select.POLLIN | select.POLLHUP)
        woken = bool(poller.poll(max(timeout, 0.0) * 1000))
        with contextlib.suppress(BlockingIOError):
            while os.read(self._read, 4096):
                pass
        return woken

    def wake(self) -> None:
        """End the sleep, from any thread or signal handler."""
        with contextlib.suppress(OSError):  # a full pipe wakes as well
            os.write(self._write, b"!")

    def close(self) -> None:
        for end in (self._read, self._write):
            with contextlib.suppress(OSError):
                os.close(end)


class EventWaker(SleepWaker):
    """File events through watchdog. Raises OSError when the system has none left (inotify limits)."""

    polling = False

    def __init__(self, observer: Any = None) -> None:
        super().__init__()
        self._watches: dict[str, Any] = {}
        self._refused: set[str] = set()
        self._handler = _handler(self.wake, self._changed)
        if observer is None:
            import logging

            # Else its warnings go to stderr as they are, at the end for one: what a person needs is said as a notice.
            logging.getLogger("watchdog").addHandler(logging.NullHandler())
            from watchdog.observers import Observer

            observer = Observer()
        self._observer = observer
        self._observer.start()

    def watch(self, directories: Sequence[str]) -> None:
        """Watch exactly these directories. Raises OSError when one cannot be watched for want of resources."""
        for gone in set(self._watches) - set(directories):
            with contextlib.suppress(Exception):
                self._observer.unschedule(self._watches[gone])
            del self._watches[gone]
        for new in sorted(set(directories) - set(self._watches)):
            try:
                self._watches[new] = self._observer.schedule(self._handler, new, recursive=False)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                continue  # the timer looks after it until it is there

    def _changed(self) -> None:
        self.names_changed = True

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._observer.stop()
            self._observer.join(2.0)
        super().close()


def _handler(wake: Callable[[], None], names_changed: Callable[[], None]) -> Any:
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        """Wakes for whatever changes; our own opening and reading changes nothing."""

        def on_any_event(self, event: Any) -> None:
            if event.event_type in ("created", "moved", "deleted"):
                names_changed()
            if event.event_type not in ("opened", "closed_no_write"):
                wake()

    return Handler()
