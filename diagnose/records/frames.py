"""The innermost frames of one traceback, as short texts."""

from __future__ import annotations

from collections import deque

from diagnose.records.limits import MAX_FRAMES, MAX_SOURCE_CHARS
from diagnose.records.shapes import ELIDED, FRAME, is_carets

_PACKAGES = ("site-packages/", "dist-packages/")


class Frames:
    """Keeps the last frames with their source lines; carets are left out."""

    __slots__ = ("_file", "_kept", "_source")

    def __init__(self) -> None:
        self._kept: deque[str] = deque(maxlen=MAX_FRAMES)
        self._file: str | None = None
        self._source: list[str] = []

    def add(self, text: str) -> None:
        """One indented line of a traceback: a ``File`` line, source, or carets under it."""
        found = FRAME.match(text) if 'File "' in text else None
        if found is not None:
            self._finish()
            function = (found["function"] or "").strip()
            place = f"{short_path(found['file'])}:{found['line']}"
            self._file = f"{place} in {function}" if function else place
        elif self._file is not None and not is_carets(text) and not ELIDED.match(text):
            self._source.append(text.strip())

    def take(self) -> tuple[str, ...]:
        """The frames, oldest first; the next exception begins with none."""
        self._finish()
        taken = tuple(self._kept)
        self._kept.clear()
        return taken

    def _finish(self) -> None:
        if self._file is not None:
            source = " ".join(self._source)[:MAX_SOURCE_CHARS].rstrip()
            self._kept.append(f"{self._file}: {source}" if source else self._file)
        self._file = None
        self._source = []


def short_path(path: str) -> str:
    """From the package on for an installed file (it tells whose code it is), else the bare file name."""
    path = path.replace("\\", "/")
    for folder in _PACKAGES:
        _, found, rest = path.rpartition(folder)
        if found:
            return rest
    return path.rsplit("/", 1)[-1]
