"""Telling systemd that we are ready, alive, and about to stop (``sd_notify(3)``)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


class Systemd:
    """Does nothing outside a unit of ``Type=notify``, and nothing when the ``sdnotify`` package is missing."""

    def __init__(self, environ: Mapping[str, str], pid: int, clock: Callable[[], float], notifier: Any = None) -> None:
        self._notifier = notifier if notifier is not None else _notifier(environ)
        self._clock = clock
        self._every = _interval(environ, pid)
        self._ready = False
        self._beat_at = float("-inf")

    def beat(self) -> None:
        """Called after every turn: READY once, then WATCHDOG in half of the time systemd allows."""
        if self._notifier is None:
            return
        if not self._ready:
            self._ready = True
            self._notifier.notify("READY=1")
        now = self._clock()
        if self._every is not None and now - self._beat_at >= self._every:
            self._beat_at = now
            self._notifier.notify("WATCHDOG=1")

    def status(self, text: str) -> None:
        if self._notifier is not None:
            self._notifier.notify(f"STATUS={text}")

    def stopping(self) -> None:
        if self._notifier is not None:
            self._notifier.notify("STOPPING=1")


def _notifier(environ: Mapping[str, str]) -> Any:
    if not environ.get("NOTIFY_SOCKET"):
        return None
    try:
        # The package has no types.
        return importlib.import_module("sdnotify").SystemdNotifier()
    except ImportError:
        return None


def _interval(environ: Mapping[str, str], pid: int) -> float | None:
    """Seconds between two signs of life; None when systemd does not ask this process for any."""
    usec = environ.get("WATCHDOG_USEC", "")
    meant = environ.get("WATCHDOG_PID", "")
    if not usec.isdecimal() or (meant and meant != str(pid)):
        return None
    return int(usec) / 2_000_000
