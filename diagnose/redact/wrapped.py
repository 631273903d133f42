"""Rows that a terminal broke at its width: a secret that stands on two of them is one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final
from unicodedata import east_asian_width

from diagnose.late import late
from diagnose.light import dataclass

MIN_WIDTH: Final = 40
"""Cells of the narrowest terminal."""
MIN_FULL: Final = 2
"""Different rows that fill the width: one is the longest line of any text."""
_DIGITS: Final = late(r"\d+")
_BEGINS: Final = late(
    r"\s{2}|\((?:[\w. ]{1,40} )?pid=|\[(?:rank\d|\d{4}-|pod/)|INFO|ERROR|WARN|DEBUG|CRITICAL|Traceback|During handling"
    r"|The above|\d{4}-\d\d-\d\d|\d\d-\d\d \d\d:|\d\d:\d\d:\d\d[ .,]|[A-Z][a-z]{2} [ \d]\d \d\d:"
    r"|[\w.]{0,80}(?:Error|Exception|Interrupt|Exit|Warning)\b"
)
"""How a line begins that is no rest of the one before it."""


@dataclass(frozen=True, slots=True)
class Row:
    """Lines of a text as the one they were before they were broken."""

    text: str
    starts: tuple[int, ...]
    """Where each line begins in ``text``."""
    places: tuple[int, ...]
    """Where each line begins in the whole text."""

    def parts(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """The places in the whole text of ``text[start:end]``, one for every line it stands on."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        made = []
        for number in range(first, last + 1):
            begin = self.starts[number]
            stop = self.starts[number + 1] if number < last else end
            place = self.places[number]
            made.append((place + max(start - begin, 0), place + stop - begin))
        return tuple(made)


def wrapped(text: str) -> Iterator[Row]:
    """Rows of ``text`` that fill its width and go on in the next line."""
    if "\n" not in text:
        return
    lines = text.split("\n")
    widths = list(map(_cells, lines))
    width = max(widths)
    full = {_DIGITS.sub("", line) for line, cells in zip(lines, widths, strict=True) if cells >= width - 1}
    if width < MIN_WIDTH or len(full) < MIN_FULL:
        return
    place, first, group = 0, 0, [lines[0]]
    for before, line in zip(lines, [*lines[1:], ""], strict=True):
        place += len(before) + 1
        room = width - _cells(before)
        if room <= 1 and line and (not room or _cells(line[0]) > room) and not _BEGINS.match(line):
            group.append(line)
            continue
        if len(group) > 1:
            yield _row(group, first)
        first, group = place, [line]


def _cells(text: str) -> int:
    """Columns of a terminal that ``text`` takes."""
    return len(text) if text.isascii() else sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def _row(lines: list[str], place: int) -> Row:
    starts, places, at = [], [], 0
    for line in lines:
        starts.append(at)
        places.append(place + at + len(starts) - 1)
        at += len(line)
    return Row("".join(lines), tuple(starts), tuple(places))
