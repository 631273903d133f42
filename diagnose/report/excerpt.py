"""The message as it stood in the log, with the numbers that were read underlined.

Pure functions on strings: a *span* is a pair of character indices, a *cell* one terminal column (Hangul
takes two).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from diagnose.light import dataclass
from diagnose.report.clean import Span

MAX_ROWS = 10
"""A message never takes more rows than this."""
_JOIN = " … "
_BREAK_BEFORE = 0.6
"""A row is broken at a space only past this share of its width, so that paths do not leave short rows."""


@dataclass(frozen=True, slots=True)
class Row:
    """One printed row and the caret line under it (empty when the row holds no number)."""

    text: str
    carets: str


def cells(text: str) -> int:
    """Terminal columns ``text`` takes."""
    return sum(map(_cell, text))


def _cell(character: str) -> int:
    if character < "\u0300":
        return 1
    # Conjoining vowels and final consonants (NFD Hangul) draw inside the syllable that precedes them.
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def rows(text: str, spans: Sequence[Span], width: int) -> tuple[Row, ...]:
    """``text`` in rows of at most ``width`` cells with carets under ``spans``.

    A text longer than half of :data:`MAX_ROWS` rows is cut to its beginning and a window around each number.
    """
    width = max(width, 10)
    if len(text) > width * MAX_ROWS // 2:
        text, spans = window(text, spans, head=2 * width, around=width // 2)
    found = [Row(text[a:b], _carets(text[a:b], a, spans)) for a, b in _breaks(text, width) if text[a:b].strip()]
    if len(found) > MAX_ROWS:
        found = [*found[: MAX_ROWS - 1], Row("…", "")]
    return tuple(found)


def window(text: str, spans: Sequence[Span], *, head: int, around: int) -> tuple[str, tuple[Span, ...]]:
    """Keep the first ``head`` characters and ``around`` more on both sides of each span, joined by ``…``."""
    keep: list[list[int]] = [[0, min(head, len(text))]]
    for start, end in sorted(spans):
        low, high = max(start - around, 0), min(end + around, len(text))
        if low <= keep[-1][1] + len(_JOIN):
            keep[-1][1] = max(keep[-1][1], high)
        else:
            keep.append([low, high])
    kept, moved = "", list[Span]()
    for number, (low, high) in enumerate(keep):
        kept += _JOIN if number else ""
        shift = len(kept) - low
        moved += [(a + shift, b + shift) for a, b in spans if low <= a and b <= high]
        kept += text[low:high]
    if keep[-1][1] < len(text):
        kept += _JOIN.rstrip()
    return kept, tuple(moved)


def _breaks(text: str, width: int) -> list[Span]:
    """Character ranges of the rows, without the white space at which a row was broken."""
    found: list[Span] = []
    start = 0
    for line in text.split("\n"):
        stop = start + len(line)
        while start < stop:
            end, following = _row_end(text, start, stop, width)
            found.append((start, end))
            start = following
        start = stop + 1
    return found


def _row_end(text: str, start: int, stop: int, width: int) -> tuple[int, int]:
    """End of the row that begins at ``start`` and start of the next one."""
    used, index = 0, start
    while index < stop and used + _cell(text[index]) <= width:
        used += _cell(text[index])
        index += 1
    if index >= stop:
        return stop, stop
    space = text.rfind(" ", start + int((index - start) * _BREAK_BEFORE), index + 1)
    if space <= start:
        return index, index
    return space, space + 1


def _carets(row: str, start: int, spans: Sequence[Span]) -> str:
    marks = [" "] * cells(row)
    for low, high in spans:
        first, last = max(low - start, 0), min(high - start, len(row))
        if first < last:
            before = cells(row[:first])
            size = cells(row[first:last])
            marks[before : before + size] = "^" * size
    return "".join(marks).rstrip()
