"""One open file, read from a place on, and watched for being cut or written anew."""

from __future__ import annotations

from dataclasses import replace

from diagnose.watch.limits import HEAD_BYTES, HOLE_BYTES, TAIL_BYTES
from diagnose.watch.tail.identity import Identity, digest_of, identify
from diagnose.watch.tail.nouns import Origin
from diagnose.watch.tail.system import Handle, Stat


class Opened:
    """``offset`` is the place of the next byte to read. Raises OSError where the operating system does."""

    def __init__(self, path: str, handle: Handle, generation: str, base: str = "") -> None:
        self.handle = handle
        self.identity: Identity = identify(handle, generation, base)
        self.origin = Origin(path, generation)
        self.offset = 0
        self.skipped = 0
        """NUL bytes of holes left out since it was last asked."""
        self._tail = b""
        self._seen: Stat | None = None
        self._largest = 0

    @property
    def key(self) -> tuple[int, int]:
        return self.identity.device, self.identity.inode

    def changed(self) -> Stat | None:
        """The file's state when it differs from what was dealt with; None when there is nothing to do."""
        found = self.handle.stat()
        if found == self._seen and self.offset >= found.size:
            return None
        self._seen = found
        return found

    def lost(self, found: Stat) -> int | None:
        """None while what was read still stands there; else bytes known to be cut away before they were read."""
        unread = max(self._largest - self.offset, 0)
        self._largest = max(self._largest, found.size)
        if found.size < self.offset:
            return unread
        length = self.identity.length
        if length and digest_of(self.handle.read(0, length)) != self.identity.digest:
            return unread
        if self._tail and self.handle.read(self.offset - len(self._tail), len(self._tail)) != self._tail:
            return unread
        if length < HEAD_BYTES and found.size > length:
            self.identity = identify(self.handle, self.identity.generation, self.identity.base)
        return None

    def begin_again(self, generation: str, base: str) -> None:
        """What is in the file now is new."""
        self.identity = identify(self.handle, generation, base)
        self.origin = Origin(self.origin.path, generation)
        self.offset = 0
        self._largest = 0
        self._tail = b""

    def rebase(self, base: str) -> None:
        """Reading begins only now: another run is going on than when it was opened."""
        self.identity = replace(self.identity, base=base)

    def read(self, size: int, *, at_line_start: bool, whole_lines: bool = False) -> tuple[bytes, int]:
        """The next bytes, at most ``size``, and the place of the first one. ``whole_lines`` leaves a last partial
        line for later."""
        data = self.handle.read(self.offset, size)
        if at_line_start and data.startswith(b"\0" * HOLE_BYTES):
            data = self._over_the_hole(data, size)
        if whole_lines and len(data) < size:
            data = data[: data.rfind(b"\n") + 1]
        start = self.offset
        self.offset += len(data)
        self._tail = (self._tail + data)[-TAIL_BYTES:]
        return data, start

    def _over_the_hole(self, data: bytes, size: int) -> bytes:
        """A writer that was truncated under its feet goes on at its old place: the file has a hole up to there."""
        start = self.offset
        while data and not data.strip(b"\0"):
            self.offset = max(self.handle.data_from(self.offset + len(data)), self.offset + len(data))
            data = self.handle.read(self.offset, size)
        rest = data.lstrip(b"\0")
        self.offset += len(data) - len(rest)
        self.skipped += self.offset - start
        self._tail = b""
        return rest

    def at_end(self) -> bool:
        return self.offset >= self.handle.stat().size

    def close(self) -> None:
        self.handle.close()
