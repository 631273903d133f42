"""A text as rows that know where their characters came from."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from diagnose.light import dataclass
from diagnose.model import Piece
from diagnose.records.span import Span
from diagnose.sources import decode_line

MAX_ROWS = 3
"""A page of more rows has its line ends."""
_HOLE = bytes(8)

Page = list[Span]
"""Rows without line ends. The marks of a row say which line of the input, and which byte, a part of it is from."""


def page_of(data: bytes) -> Page:
    """The rows of a text in UTF-8, as they stand."""
    page: Page = []
    offset = 0
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    for number, raw in enumerate(lines, 1):
        page.append(Span(decode_line(raw), (Piece(0, number, offset),)))
        offset += len(raw) + 1
    return page


def nul_ends(data: bytes) -> Page | None:
    """The rows of a text whose lines end with a NUL byte (``print0``); None for one that has
    line ends, or in which many stand together: that is a hole."""
    ends = data.strip(b"\0")
    if data.count(b"\n") > MAX_ROWS or ends.count(b"\0") < MAX_ROWS or _HOLE in ends:
        return None
    page: Page = []
    offset = 0
    for number, raw in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        for part in raw.split(b"\0"):
            page.append(Span(decode_line(part), (Piece(0, number, offset),)))
            offset += len(part) + 1
    return page


def cut(row: Span, places: Sequence[int]) -> Iterator[Span]:
    """The pieces of a row between ``places`` (ascending, from 0 to its length); each knows the byte it begins at."""
    marks = row.marks
    index, at, byte = 0, 0, marks[0].offset
    for start, end in itertools.pairwise(places):
        while index + 1 < len(marks) and marks[index + 1].start <= start:
            index += 1
            at, byte = marks[index].start, marks[index].offset
        byte += len(row.text[at:start].encode("utf-8", "replace"))
        at = start
        inner = []
        for behind in range(index + 1, len(marks)):
            mark = marks[behind]
            if mark.start >= end:
                break
            inner.append(Piece(mark.start - start, mark.line, mark.offset))
        yield Span(row.text[start:end], (Piece(0, marks[index].line, byte), *inner))


def replaced(row: Span, change: Callable[[str], str]) -> Span:
    """``row`` with its text changed; the marks move to where the text before them ends now."""
    text = change(row.text)
    if text == row.text:
        return row
    if len(row.marks) == 1:
        return Span(text, row.marks)
    ends = [0]
    _ends(row.text, [mark.start for mark in row.marks], 0, len(text), change, ends)
    ends = list(itertools.accumulate((min(end, len(text)) for end in ends), max))
    return Span(text, tuple(replace(mark, start=end) for mark, end in zip(row.marks, ends, strict=True)))


def _ends(
    text: str, starts: Sequence[int], begins: int, length: int, change: Callable[[str], str], ends: list[int]
) -> None:
    """Adds to ``ends`` where the parts of ``text`` but the first begin when it is changed.

    ``starts``: where the parts begin in ``text``; ``begins`` and ``length``: of ``text`` when changed. By halves, for a
    row can be joined of thousands of lines: to change it up to each of them takes the square of their number.
    """
    if len(starts) < 2:
        return
    half = len(starts) // 2
    first, second = text[: starts[half]], text[starts[half] :]
    before, after = len(change(first)), len(change(second))
    _ends(first, starts[:half], begins, before, change, ends)
    # What is cut in two is changed in neither half: the second is counted from the end, which it leaves right.
    left = begins + length - after
    ends.append(max(begins + before, left))
    _ends(second, [start - starts[half] for start in starts[half:]], left, after, change, ends)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the bytes of a repaired text stand in the input."""

    rows: Sequence[Span]
    starts: Sequence[int]
    """First byte of every row in the repaired text."""

    def of_line(self, number: int) -> int:
        """The input's line for a line of the repaired text."""
        if not 1 <= number <= len(self.rows):
            return number
        # Of a part that nothing is left of, no character is from.
        return [mark for mark in self.rows[number - 1].marks if not mark.start][-1].line

    def of_offset(self, offset: int) -> tuple[int, int]:
        """(line, byte) of the input for the beginning of a row, or of a mark in it, in the repaired text."""
        index = max(bisect.bisect_right(self.starts, offset) - 1, 0)
        if index >= len(self.rows):
            return 1, 0
        row, inside = self.rows[index], offset - self.starts[index]
        found = row.marks[0]
        for mark, size in zip(row.marks, _sizes(row), strict=True):
            if size > inside:
                break
            found = mark
        return found.line, found.offset

    def marks(self, number: int) -> tuple[Piece, ...]:
        """The parts of a line of the repaired text that was joined of several; empty for any other line."""
        row = self.rows[number - 1]
        if len(row.marks) == 1:
            return ()
        start = self.starts[number - 1]
        return tuple(Piece(mark.start, number, start + size) for mark, size in zip(row.marks, _sizes(row), strict=True))


def _sizes(row: Span) -> Iterator[int]:
    """Bytes in front of every mark."""
    at = size = 0
    for mark in row.marks:
        size += len(row.text[at : mark.start].encode("utf-8", "replace"))
        at = mark.start
        yield size


def text_of(page: Page) -> tuple[bytes, Origin]:
    """The page as UTF-8 with line ends, and the way back."""
    parts: list[bytes] = []
    starts: list[int] = []
    size = 0
    for row in page:
        raw = row.text.replace("\n", " ").encode("utf-8", "replace") + b"\n"
        starts.append(size)
        parts.append(raw)
        size += len(raw)
    return b"".join(parts), Origin(page, starts)
