"""A bar on stderr, when a person waits at a terminal for more than a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

QUIET_S = 1.0
"""So long nothing is shown: most logs are read in less."""


class Progress:
    """Called with the bytes read and the size on disk (None: not known); silent when not on a terminal."""

    def __init__(self, stream: TextIO | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._started = clock()
        self._bar: Bar | None = None

    def __call__(self, done: int, size: int | None) -> None:
        if self._bar is None:
            if self._stream is None or not self._stream.isatty():
                return
            if self._clock() - self._started < QUIET_S:
                return
            self._bar = _bar(self._stream)
            self._bar.add_task("", total=None)
        # A compressed log is longer than its file: then the end is not known.
        total = size if size and done <= size else None
        self._bar.update(self._bar.task_ids[0], completed=done, total=total)

    @property
    def shown(self) -> bool:
        return self._bar is not None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar(stream: TextIO) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as RichProgress

    bar = RichProgress(
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(file=stream),
        transient=True,
    )
    bar.start()
    return bar
