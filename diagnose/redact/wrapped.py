"""Rows that a terminal broke at its width: a secret that stands on two of them is one, whatever stands before them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from itertools import accumulate
from typing import Final
from unicodedata import east_asian_width

from diagnose.late import late
from diagnose.light import dataclass
from diagnose.redact.heads import heads, told

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
_REST: Final = late(
    r"(?!rbln\d)(?:[\w+/~.-]{1,400}={0,2}(?=[ \t\r]{0,8}(?:\n|\Z))"
    r"|(?=[\w+/]{0,200}(?:[A-Za-z][\w+/]{0,200}\d|\d[\w+/]{0,200}[A-Za-z]|[a-z][A-Z]))"
    r"[\w+/]{8,400}={0,2}(?=[\s\"',;]))"
)
"""The rest of a token: all there is in a line, or what is no word (letters and digits, capitals within) and longer than
what a line begins with: a service, a device."""


@dataclass(frozen=True, slots=True)
class Row:
    """Lines of a text as the one they were before they were broken."""

    text: str
    starts: tuple[int, ...]
    """Where each line begins in ``text``."""
    places: tuple[int, ...]
    """Where each line begins in the whole text."""
    sizes: Mapping[int, int] = field(default_factory=dict)
    """Of the lines (by number) that were written as other characters, how many these are; below 0: it is nowhere."""

    def parts(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """The places in the whole text of ``text[start:end]``, one for every line it stands on."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        made = []
        for number in range(first, last + 1):
            begin = self.starts[number]
            stop = self.starts[number + 1] if number < last else end
            place = self.places[number]
            if number in self.sizes:
                if self.sizes[number] > 0:
                    made.append((place, place + self.sizes[number]))
                continue
            made.append((place + max(start - begin, 0), place + stop - begin))
        return tuple(made)


def wrapped(text: str) -> Iterator[Row]:
    """Rows of ``text`` that fill its width and go on in the next line, also behind what stands before every line."""
    if "\n" not in text:
        return
    lines = text.split("\n")
    behind = heads(lines)
    places = list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
    if not all(behind[number] for number in told(lines)):
        yield from _rows(lines, places)
    if any(behind):
        rests = [line[end:] if end else "" for line, end in zip(lines, behind, strict=True)]
        yield from _rows(rests, [place + end for place, end in zip(places, behind, strict=True)])


def rest(text: str, end: int) -> tuple[int, int] | None:
    """Where the credential that ends at ``end`` with its line goes on: one broken row tells no width."""
    if text[end : end + 1] != "\n" or _BEGINS.match(text, end + 1):
        return None
    found = _REST.match(text, end + 1)
    return found and found.span()


def _rows(lines: list[str], places: list[int]) -> Iterator[Row]:
    """Of lines that begin at ``places``."""
    lines = _unpadded(lines)
    yield from _full(lines, places, _cells)
    if not all(map(str.isascii, lines)):  # what is no terminal counts characters
        yield from _full(lines, places, len)


def _full(lines: list[str], places: list[int], size: Callable[[str], int]) -> Iterator[Row]:
    """Rows that fill the width, which is counted by ``size``."""
    widths = list(map(size, lines))
    width = max(widths)
    full = {_DIGITS.sub("", line) for line, cells in zip(lines, widths, strict=True) if cells >= width - 1}
    if width < MIN_WIDTH or len(full) < MIN_FULL:
        return
    first = 0
    for number, cells in enumerate(widths):
        room = width - cells
        line = lines[number + 1] if number + 1 < len(lines) else ""
        if room <= 1 and line and (not room or size(line[0]) > room) and not _BEGINS.match(line):
            continue
        if number > first:
            yield _row(lines[first : number + 1], tuple(places[first : number + 1]))
        first = number + 1


def _unpadded(lines: list[str]) -> list[str]:
    """Without the blanks at their ends where most lines have some; the one at which a line was broken is its own."""
    filled = [line for line in lines if line.strip()]
    if sum(line[-1] == " " for line in filled) * 2 < len(filled):
        return lines
    bare = [line.rstrip(" ") for line in lines]
    width = max(map(_cells, bare))
    return [
        f"{one} " if line != one and _cells(one) == width - 1 else one for line, one in zip(lines, bare, strict=True)
    ]


def _cells(text: str) -> int:
    """Columns of a terminal that ``text`` takes."""
    return len(text) if text.isascii() else sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def _row(lines: list[str], places: tuple[int, ...]) -> Row:
    return Row("".join(lines), tuple(accumulate(map(len, lines[:-1]), initial=0)), places)
