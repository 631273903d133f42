"""Which files PATH… means: files, directories, patterns. Rotated and compressed ones are not followed as new logs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from diagnose.light import dataclass
from diagnose.model import InputError
from diagnose.watch.tail.names import is_compressed, is_rotated
from diagnose.watch.tail.system import Files, Stat
from diagnose.watch.words import text

PIPE = "-"
_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Found:
    """One file to follow."""

    path: str
    explicit: bool
    """Named by itself: it is waited for when it is not there, whatever its name is."""


class Discovery:
    """``found`` lists what is there now. Raises InputError for a file that cannot grow."""

    def __init__(self, paths: Sequence[str], files: Files) -> None:
        self._paths = tuple(dict.fromkeys(paths))
        self._files = files
        for path in self._paths:
            if path != PIPE and is_compressed(path) and not _is_pattern(path):
                raise InputError(text("compressed", path=path))
            if path != PIPE and (stat := self._stat(path)) is not None and stat.kind == "other":
                raise InputError(text("device", path=path))

    def found(self) -> list[Found]:
        """Every file once, in the order given; one file under two names is followed under the first."""
        made: dict[str, Found] = {}
        keys: set[tuple[int, int]] = set()
        for found in self._each():
            if found.path in made:
                continue
            if not found.explicit:
                key = self._key(found.path)
                if key is None or key in keys:
                    continue
                keys.add(key)
            elif found.path != PIPE and (key := self._key(found.path)) is not None:
                keys.add(key)
            made[found.path] = found
        return list(made.values())

    def awaited(self) -> list[str]:
        """What was given and means no file that is there now: perhaps it comes later, perhaps it is misspelt."""
        return [path for path in self._paths if path != PIPE and not any(map(self._is_there, self._meant(path)))]

    def directories(self) -> list[str]:
        """Directories in which something may happen to the files given or found."""
        made = {os.path.dirname(path) or "." for path in self._paths if path != PIPE}  # noqa: PTH120
        made |= {os.path.dirname(f.path) or "." for f in self.found() if f.path != PIPE}  # noqa: PTH120
        made |= {path for path in self._paths if path != PIPE and self._is_directory(path)}
        links = {self._files.real(f.path) for f in self.found() if f.path != PIPE and self._files.is_link(f.path)}
        made |= {os.path.dirname(path) for path in links}  # noqa: PTH120
        return sorted(d for d in made if not _is_pattern(d) and self._is_directory(d))

    def _each(self) -> Iterator[Found]:
        for path in self._paths:
            yield from self._meant(path)

    def _meant(self, path: str) -> Iterator[Found]:
        if path == PIPE:
            yield Found(path, True)
        elif self._is_directory(path):
            for name in self._files.names(path):
                yield from self._file(os.path.join(path, name))  # noqa: PTH118
        elif _is_pattern(path) and self._key(path) is None:
            for name in self._files.glob(path):
                yield from self._file(name)
        else:
            yield Found(path, True)

    def _is_there(self, found: Found) -> bool:
        try:
            return self._files.stat(found.path) is not None
        except OSError:
            return True  # there, and not to be read: that is said elsewhere

    def _file(self, path: str) -> Iterator[Found]:
        name = os.path.basename(path)  # noqa: PTH119
        if name.startswith(".") or is_rotated(name):
            return
        stat = self._stat(path)
        if stat is not None and stat.kind == "file":
            yield Found(path, False)

    def _stat(self, path: str) -> Stat | None:
        try:
            return self._files.stat(path)
        except OSError:
            return None

    def _key(self, path: str) -> tuple[int, int] | None:
        stat = self._stat(path)
        return None if stat is None else stat.key

    def _is_directory(self, path: str) -> bool:
        stat = self._stat(path)
        return stat is not None and stat.kind == "directory"


def _is_pattern(path: str) -> bool:
    return not _MAGIC.isdisjoint(path)
