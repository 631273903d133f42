"""The same line over and over: after a while it tells nothing new."""

from __future__ import annotations

from collections.abc import Sequence

REPEATS = 50
"""How often a line of interest is given before its further copies are only counted."""
_HEAD_BYTES = 1024
_MAX_TEXTS = 4096
"""Different lines that are counted; further ones are always given. Keeps memory bounded."""
_VARYING = b"0123456789abcdef"
"""Left out of the comparison: numbers, times and hexadecimal ids are what differs between the copies."""


class Repeats:
    """Counts the copies of lines of interest, from one start of a server to the next."""

    def __init__(self, limit: int, starts: Sequence[bytes] = ()) -> None:
        self._limit = limit
        self._starts = tuple(starts)
        self._seen: dict[bytes, list[int]] = {}  # text → [number of its first line, copies, copies left out]
        self._closed: dict[int, int] = {}

    def is_one_more(self, line: bytes, number: int, given: bool) -> bool:
        """True when line ``number`` is a copy beyond the limit. A line that holds one of ``starts`` begins
        anew: what failed in the run after it is told again. ``given``: it is passed on all the same, because it
        stands near another line of interest."""
        head = line[:_HEAD_BYTES]
        if any(start in head for start in self._starts):
            self._closed = self.left_out()
            self._seen.clear()
            return False
        key = head.translate(None, _VARYING)
        entry = self._seen.get(key)
        if entry is None:
            if len(self._seen) < _MAX_TEXTS:
                self._seen[key] = [number, 1, 0]
            return False
        entry[1] += 1
        if entry[1] <= self._limit:
            return False
        entry[2] += not given
        return True

    def left_out(self) -> dict[int, int]:
        """Number of the first line with a text → how many of its copies were not passed on."""
        fresh = {first: left for first, _, left in self._seen.values() if left}
        return {**self._closed, **fresh}
