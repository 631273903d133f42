"""From a line of the stream that was analysed to the file and the line it stands on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace

from diagnose.light import dataclass
from diagnose.model import Finding, RunContext, Setting
from diagnose.watch.limits import MAX_SEGMENTS
from diagnose.watch.nouns import Said
from diagnose.watch.tail.nouns import Origin, Piece


@dataclass(frozen=True, slots=True)
class Place:
    """A byte of a file, and its line (from 1)."""

    origin: Origin
    offset: int
    line: int


@dataclass(frozen=True, slots=True)
class _Segment:
    """From here on the stream is one file in one go."""

    stream_line: int
    stream_offset: int
    origin: Origin
    line: int
    offset: int


class Ledger:
    """Told of every piece before it is analysed. Lines and offsets of the stream count what was fed, with guards."""

    def __init__(self) -> None:
        self.line = 1
        """Line of the stream the next byte stands on."""
        self.offset = 0
        self.line_start = 0
        """Offset in the stream of the line that is being written."""
        self._segments: list[_Segment] = []
        self._lines: dict[Origin, int] = {}
        """Line of each file that its next byte stands on."""
        self._end = 0

    def take(self, piece: Piece) -> None:
        """Note where ``piece`` stands."""
        if piece.origin is not None:
            self._begin(piece.origin, piece.offset)
        newlines = piece.data.count(b"\n")
        if newlines:
            self.line_start = self.offset + piece.data.rfind(b"\n") + 1
        self.line += newlines
        self.offset += len(piece.data)
        if piece.origin is not None:
            self._lines[piece.origin] = self._lines.get(piece.origin, 1) + newlines
            self._end = piece.offset + len(piece.data)

    def _begin(self, origin: Origin, offset: int) -> None:
        last = self._segments[-1] if self._segments else None
        if last is not None and last.origin == origin and self._end == offset:
            return
        self._segments.append(_Segment(self.line, self.offset, origin, self._lines.get(origin, 1), offset))
        if len(self._segments) > MAX_SEGMENTS:
            del self._segments[: MAX_SEGMENTS // 2]
            kept = {s.origin for s in self._segments}
            self._lines = {o: n for o, n in self._lines.items() if o in kept}

    def at_line(self, line: int) -> Place | None:
        """Where a line of the stream stands; None for one from before everything that is remembered."""
        found = self._segment(line, [s.stream_line for s in self._segments])
        return None if found is None else Place(found.origin, 0, found.line + line - found.stream_line)

    def at_offset(self, offset: int) -> Place | None:
        """Where a byte of the stream stands; the line is the one the segment begins on when it is not known better."""
        found = self._segment(offset, [s.stream_offset for s in self._segments])
        return None if found is None else Place(found.origin, found.offset + offset - found.stream_offset, found.line)

    def begin_of(self, generation: str) -> int | None:
        """Line of the stream a file begins on."""
        return next((s.stream_line for s in self._segments if s.origin.generation == generation), None)

    def _segment(self, wanted: int, starts: list[int]) -> _Segment | None:
        index = bisect_right(starts, wanted) - 1
        return self._segments[index] if index >= 0 else None

    # ------------------------------------------------------------------------ findings as a person reads them

    def finding(self, found: Finding) -> Finding:
        """The same finding with lines and offset of the file."""
        place = self.at_offset(found.offset)
        return replace(
            found,
            line=self._line(found.line),
            offset=found.offset if place is None else place.offset,
            lines=tuple(map(self._line, found.lines)),
            remedies=tuple(r.on_lines(self._line) for r in found.remedies),
            consequences=tuple(replace(c, line=self._line(c.line)) for c in found.consequences),
        )

    def said(self, found: Said) -> Said:
        """The same with lines and offset of the file."""
        if isinstance(found, Finding):
            return self.finding(found)
        place = self.at_offset(found.offset)
        offset = found.offset if place is None else place.offset
        return replace(found, line=self._line(found.line), offset=offset)

    def context(self, context: RunContext) -> RunContext:
        """The same context with the lines of the file its settings were read from."""
        config: Mapping[str, Setting] = {
            name: s if s.line is None else replace(s, line=self._line(s.line)) for name, s in context.config.items()
        }
        return replace(context, config=config)

    def _line(self, line: int) -> int:
        place = self.at_line(line)
        return line if place is None else place.line
