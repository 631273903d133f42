"""The operating system, as small as a tail needs it. Tests put their own in its place."""

from __future__ import annotations

import glob as _glob
import os
import stat as _stat
from collections.abc import Sequence
from typing import Protocol

from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class Stat:
    """What is known about a file without reading it."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    links: int = 1
    kind: str = "file"
    """``file``, ``directory``, ``pipe`` or ``other``: a device or a socket."""

    @property
    def key(self) -> tuple[int, int]:
        return self.device, self.inode


class Handle(Protocol):
    """An open file."""

    def stat(self) -> Stat: ...
    def read(self, offset: int, size: int) -> bytes: ...
    def data_from(self, offset: int) -> int:
        """The first place at or behind ``offset`` that is no hole."""

    def close(self) -> None: ...


class Files(Protocol):
    """Files by path. Every method may raise OSError; for what is not there ``stat`` answers None, ``names`` nothing."""

    def stat(self, path: str) -> Stat | None: ...
    def open(self, path: str) -> Handle: ...
    def names(self, directory: str) -> Sequence[str]: ...
    def glob(self, pattern: str) -> Sequence[str]: ...
    def real(self, path: str) -> str: ...
    def is_link(self, path: str) -> bool: ...


_KINDS = (
    (_stat.S_ISREG, "file"),
    (_stat.S_ISDIR, "directory"),
    (_stat.S_ISFIFO, "pipe"),
)


def _stat_of(found: os.stat_result) -> Stat:
    kind = next((name for test, name in _KINDS if test(found.st_mode)), "other")
    return Stat(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_nlink, kind)


class OsHandle:
    """A file descriptor opened for reading; never the one of a terminal."""

    def __init__(self, path: str) -> None:
        flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
        self._descriptor = os.open(path, flags)

    def stat(self) -> Stat:
        return _stat_of(os.fstat(self._descriptor))

    def read(self, offset: int, size: int) -> bytes:
        return os.pread(self._descriptor, size, offset)

    def data_from(self, offset: int) -> int:
        seek_data = getattr(os, "SEEK_DATA", None)
        if seek_data is None:
            return offset
        try:
            return max(os.lseek(self._descriptor, offset, seek_data), offset)
        except OSError:  # nothing but a hole up to the end, or a file system that does not know holes
            return offset

    def close(self) -> None:
        os.close(self._descriptor)


class OsFiles:
    """The real ones."""

    def stat(self, path: str) -> Stat | None:
        try:
            return _stat_of(os.stat(path))  # noqa: PTH116  (the result is turned into our own)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def open(self, path: str) -> Handle:
        return OsHandle(path)

    def names(self, directory: str) -> Sequence[str]:
        try:
            return sorted(os.listdir(directory or "."))  # noqa: PTH208
        except (FileNotFoundError, NotADirectoryError):
            return ()

    def glob(self, pattern: str) -> Sequence[str]:
        return sorted(_glob.glob(pattern, recursive=True))  # noqa: PTH207

    def real(self, path: str) -> str:
        return os.path.realpath(path)

    def is_link(self, path: str) -> bool:
        return os.path.islink(path)  # noqa: PTH114
