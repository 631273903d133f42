"""The innermost frames of one traceback, as short texts."""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from diagnose.records.limits import MAX_FRAMES, MAX_SOURCE_CHARS
from diagnose.records.shapes import ELIDED, FRAME, is_carets

_ENOUGH = 1_000
"""Characters of a line that is remembered."""
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
        place, source = _read(text) if len(text) <= _ENOUGH else _read.__wrapped__(text)
        if place is not None:
            self._finish()
            self._file = place
        elif self._file is not None and source is not None:
            self._source.append(source)

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


@lru_cache(maxsize=512)
def _read(text: str) -> tuple[str | None, str | None]:
    """Where a ``File`` line is, or the source on another line; neither for marks. The same lines stand in every copy
    of a traceback."""
    found = FRAME.match(text) if 'File "' in text else None
    if found is None:
        return None, None if is_carets(text) or ELIDED.match(text) else text.strip()
    function = (found["function"] or "").strip()
    place = f"{short_path(found['file'])}:{found['line']}"
    return (f"{place} in {function}" if function else place), None


def short_path(path: str) -> str:
    """From the package on for an installed file (it tells whose code it is), else the bare file name."""
    path = path.replace("\\", "/")
    for folder in _PACKAGES:
        _, found, rest = path.rpartition(folder)
        if found:
            return rest
    return path.rsplit("/", 1)[-1]
