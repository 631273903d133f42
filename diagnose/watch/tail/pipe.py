"""A stream without a name: standard input, a FIFO. What was read cannot be read again."""

from __future__ import annotations

import os
import select
from collections.abc import Callable

from diagnose.watch.limits import CHUNK_BYTES, RING_BYTES
from diagnose.watch.tail.follower import Out, Start
from diagnose.watch.tail.identity import Identity
from diagnose.watch.tail.nouns import Notice, Origin, Piece

_READ_BYTES = 64 * 1024


class PipeFollower:
    """Follows an open descriptor to its end; it never blocks. The interface is ``Follower``'s."""

    def __init__(self, name: str, descriptor: int, *, generation: Callable[[], str]) -> None:
        self.path = name
        self.waiting = False
        self.missing_since: float | None = None
        self.ended = False
        """Nothing more will come."""
        self.descriptor = descriptor
        self.lag_bytes = 0
        self.open_files = 0
        self._origin = Origin(name, generation())
        self._offset = 0
        self._ring = b""

    def start(self, identity: Identity | None, offset: int, *, beside: bool = True) -> Start:
        """A pipe begins where it is."""
        del identity, offset, beside
        return Start(None, 0)

    def here(self) -> Start:
        """Nothing of a pipe was there before."""
        return Start(None, 0)

    def poll(self, now: float, size: int = CHUNK_BYTES) -> list[Out]:
        """What can be read without waiting, at most about ``size`` bytes."""
        del now
        out: list[Out] = []
        got = 0
        while not self.ended and got < size and self._is_ready():
            try:
                data = os.read(self.descriptor, _READ_BYTES)
            except BlockingIOError:
                break
            except OSError as error:  # the other end is gone
                data = b""
                out.append(Notice("unreadable", self.path, {"why": error.strerror or str(error)}))
            if not data:
                self.ended = True
                out.append(Notice("ended", self.path))
                break
            out.append(Piece(data, self._origin, self._offset))
            self._offset += len(data)
            self._ring = (self._ring + data)[-RING_BYTES:]
            got += len(data)
        self.waiting = got >= size
        return out

    def _is_ready(self) -> bool:
        poller = select.poll()
        poller.register(self.descriptor, select.POLLIN | select.POLLHUP)
        return bool(poller.poll(0))

    @property
    def identity(self) -> dict[str, Identity]:
        return {}

    def quote(self, origin: Origin, offset: int, size: int) -> bytes:
        """Bytes read a short while ago; empty when they are kept no more."""
        begin = offset - (self._offset - len(self._ring))
        if origin != self._origin or begin + size <= 0:
            return b""
        return self._ring[max(begin, 0) : begin + size]

    def close(self) -> None:
        """The descriptor belongs to whoever opened it."""
