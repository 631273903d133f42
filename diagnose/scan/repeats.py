"""The same line over and over: after a while it tells nothing new."""

from __future__ import annotations

from collections.abc import Sequence

REPEATS = 50
"""How often a line of interest is given before its further copies are only counted."""
STORM_AFTER = 1536
"""Lines of interest given in one run from which on it is a storm: tracebacks of 32 workers stay below."""
STORM_REPEATS = 1
"""Takes the place of ``REPEATS`` in a storm."""
MAX_TEXTS = 16_384
"""Different lines that are counted; further ones are always given. Keeps memory bounded (below 10 MB)."""
KEY_BYTES = 512
"""So much of a line is compared, without what is left out of it."""
_HEAD_BYTES = 512
"""A start is told by what stands in so much of its line."""
VARYING = b"0123456789abcdef"
"""Left out of the comparison: numbers, times and hexadecimal ids are what differs between the copies."""
_SOURCE_END = b":] "
"""Where the place a logger names ends, without its digits: ``[core.py:1366] `` of vLLM."""
_SOURCE_WITHIN = 160
_PROCESS_BYTES = 12
"""Of what stands ahead of it, the process is kept: ``(EngineCore ``."""


class Seen:
    """A text and how often it came since the server was started."""

    __slots__ = ("copies", "left_out", "line", "run")

    def __init__(self, run: int) -> None:
        self.run = run
        """Number of the start it was seen after."""
        self.line = 0
        """Number of its first line."""
        self.copies = 1
        self.left_out = 0
        """Copies that were only counted."""


class Repeats:
    """Counts the copies of lines of interest, from one start of a server to the next."""

    def __init__(self, limit: int, starts: Sequence[bytes] = (), storm_after: int = STORM_AFTER) -> None:
        self._limit = limit
        self._starts = tuple(starts)
        self._storm_after = storm_after
        self._given = 0
        self.run = 0
        """Starts so far."""
        self._new: Seen | None = None
        self._seen: dict[bytes, Seen] = {}
        self._closed: dict[int, int] = {}

    @property
    def in_storm(self) -> bool:
        """Whether so many lines of interest were given that only new texts still tell something."""
        return self._given >= self._storm_after

    def is_copy(self, line: bytes, given: bool) -> bool:
        """True when ``line`` is a copy beyond the limit; ``stands_at`` must be told where it stands if not.

        A line that holds one of ``starts`` begins anew: what failed in the run after it is told again. ``given``:
        it is passed on all the same, because it stands near another line of interest.
        """
        seen = self.beyond(line)
        if seen is not None:
            self.count([seen], given)
        return seen is not None

    def beyond(self, line: bytes) -> Seen | None:
        """As ``is_copy``, for whoever finds out only then whether the line is given: what ``count`` is to be told."""
        key = _key(line)
        seen = self._seen.get(key)
        if seen is None:
            # Lines that begin anew are never kept, so that this is looked at for new texts only.
            if self._begins_run(line[:_HEAD_BYTES]):
                self._begin_anew()
            elif len(self._seen) < MAX_TEXTS:
                self._new = self._seen[key] = Seen(self.run)
            self._given += 1
            return None
        if seen.copies < self._most:
            seen.copies += 1
            self._given += 1
            return None
        return seen

    def knows(self, seen: Seen) -> bool:
        """False when a start made a text new again since it was looked up."""
        return seen.run == self.run

    def told_enough(self, line: bytes) -> Seen | None:
        """What is known of the text of ``line``, when one more line with it will be a copy beyond the limit."""
        seen = self._seen.get(_key(line))
        return seen if seen is not None and seen.copies >= self._most else None

    def count(self, copies: Sequence[Seen], given: int) -> None:
        """Counts one more copy of each text, all of which this run knows; the first ``given`` are passed on."""
        for seen in copies:
            seen.copies += 1
            seen.left_out += 1
        for seen in copies[:given]:
            seen.left_out -= 1

    @property
    def _most(self) -> int:
        return STORM_REPEATS if self.in_storm else self._limit

    def stands_at(self, number: int) -> None:
        """The number of the line that was no copy: what is left out is told by the first line of its text."""
        if self._new is not None:
            self._new.line, self._new = number, None

    def _begins_run(self, head: bytes) -> bool:
        for start in self._starts:  # noqa: SIM110 (a generator takes longer than the looks)
            if start in head:
                return True
        return False

    def _begin_anew(self) -> None:
        self._closed = self.left_out()
        self.run += 1
        self._seen.clear()
        self._given = 0

    def left_out(self) -> dict[int, int]:
        """Number of the first line with a text → how many of its copies were not passed on."""
        fresh = {seen.line: seen.left_out for seen in self._seen.values() if seen.left_out}
        return {**self._closed, **fresh}


def _key(line: bytes) -> bytes:
    """Equal for two lines that differ in numbers, or in the place of the program that logged them."""
    text = line.translate(None, VARYING)[:KEY_BYTES]
    end = text.find(_SOURCE_END, 0, _SOURCE_WITHIN)
    return text if end < 0 else text[:_PROCESS_BYTES] + text[end:]
