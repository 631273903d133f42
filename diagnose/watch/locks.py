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

    The system gives the locks back when the process ends, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor: int | None = None
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, source: str) -> bool:
        if self._descriptor is None:
            return True
        import fcntl

        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(source))
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # a file system without locks
            return True
        return True

    def release(self, source: str) -> None:
        if self._descriptor is not None:
            import fcntl

            with contextlib.suppress(OSError):
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, _byte(source))

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _byte(source: str) -> int:
    """The byte of the lock file that stands for a source; below 2^31, which every file system can lock."""
    return int.from_bytes(hashlib.blake2b(source.encode(errors="replace"), digest_size=4).digest(), "big") >> 1
