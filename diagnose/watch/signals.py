"""Being asked to end: from the first moment on, quietly and with a code that says who asked.

SIGTERM ends with 0, SIGINT with 130; SIGHUP has the knowledge base read again. This module imports next to nothing:
it is there before the rest of the program is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

ENDS = {signal.SIGTERM: 0, signal.SIGINT: 130}
"""Signal → exit code."""


def end_quietly() -> None:
    """Until the watch is ready there is nothing to write down or to put back: a signal ends the process at once.

    A signal somebody had us ignore stays ignored.
    """

    def leave(number: int, frame: Any) -> None:
        del frame
        os._exit(ENDS[signal.Signals(number)])

    for number in ENDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # what is read in a moment is new


class Signals:
    """Catches them between ``with`` and its end; hands them on once there is a daemon."""

    def __init__(self) -> None:
        self.first: int | None = None
        """The first signal that asked us to end."""
        self._stop: Callable[[], None] = lambda: None
        self._reload: Callable[[], None] = lambda: None
        self._before: dict[int, Any] = {}

    def hand_to(self, stop: Callable[[], None], reload: Callable[[], None]) -> None:
        """From here on ``stop`` and ``reload`` are called. What came before is in ``first``."""
        self._stop, self._reload = stop, reload

    @property
    def code(self) -> int | None:
        """The exit code; None when nobody asked."""
        return None if self.first is None else ENDS[signal.Signals(self.first)]

    def __enter__(self) -> Signals:
        handlers: dict[int, Callable[[int, Any], None]] = dict.fromkeys(ENDS, self._asked_to_end)
        handlers[signal.SIGHUP] = lambda *_: self._reload()
        self._before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        return self

    def _asked_to_end(self, number: int, frame: Any) -> None:
        del frame
        self.first = number if self.first is None else self.first
        self._stop()

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
