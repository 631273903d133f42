"""Two daemons on one log: the second leaves it to the first."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Protocol


class Locks(Protocol):
    """``take`` is False when another process has the source; a lock that cannot be had for other reasons is none."""

    def take(self, source: str) -> bool: ...
    def release(self, source: str) -> None: ...
    def close(self) -> None: ...


class NoLocks:
    """Without a place to keep them."""

    def take(self, source: str) -> bool:
        return True

    def release(self, source: str) -> None:
        """Nothing was taken."""

    def close(self) -> None:
        """Nothing was taken."""


class FileLocks:
    """One file beside the store, one byte of it a source: any number of sources costs one descriptor.

    A source is the file its path leads to: one log under two names is one.

    The system gives the locks back when the process ends, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor: int | None = None
        self._bytes: dict[str, int] = {}
        """Source → its byte as long as it is taken: a link may lead elsewhere by the time it is given back."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, source: str) -> bool:
        if self._descriptor is None:
            return True
        import fcntl

        place = _byte(os.path.realpath(source))  # noqa: PTH - of a text, which need not be a path that is there
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # a file system without locks
            return True
        self._bytes[source] = place
        return True

    def release(self, source: str) -> None:
        place = self._bytes.pop(source, None)
        if self._descriptor is not None and place is not None and place not in self._bytes.values():
            import fcntl

            with contextlib.suppress(OSError):
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, place)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _byte(source: str) -> int:
    """The byte of the lock file that stands for a source; below 2^31, which every file system can lock."""
    return int.from_bytes(hashlib.blake2b(source.encode(errors="replace"), digest_size=4).digest(), "big") >> 1
