"""Two panes of a terminal side by side in one copy (tmux, screen, an editor): ``left text     │right text``.

Each was its own program on its own screen. What stands in one row has nothing to do with each other, and a number of
one pane is none of the other's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from diagnose.records.span import Span
from diagnose.repair.page import Page
from diagnose.repair.speakers import NEARLY_ALL, SPEAKS, begins, behind
from diagnose.repair.wrap import columns, unwrapped

LEAST_ROWS = 4
_BAR = "│"
_NAMES = ("left", "right")


def panes(page: Page) -> Page | None:
    """The left pane and then the right one, each with what its width broke put together, as of two programs; None
    where no bar stands in the same column of nearly all rows, where there are more of them, as in a table, or where
    one side says the same over and over: that is a name."""
    filled = [row for row in page if row.text.strip()]
    if len(filled) < LEAST_ROWS or not any(_BAR in row.text for row in filled[:LEAST_ROWS]):
        return None
    cells = Counter(cell for row in filled for cell, _ in _bars(row.text))
    (cell, rows), *others = cells.most_common(2)
    if rows < NEARLY_ALL * len(filled) or any(count > rows // 2 for _, count in others):
        return None
    both = [_halves(row, cell) for row in page]
    sides = [[half[side] for half in both] for side in range(len(_NAMES))]
    if not all(map(_is_text, sides)) or not any(map(_speaks, sides)):
        return None
    sides = [_whole(side) for side in sides]
    return [
        behind(f"[pod/{name}] ", row)
        for name, side in zip(_NAMES, sides, strict=True)
        for row in side
        if row.text.strip()
    ]


def _is_text(side: Page) -> bool:
    texts = [row.text for row in side if row.text.strip()]
    return len(texts) >= LEAST_ROWS and len({*texts}) > len(texts) // 2


def _speaks(side: Page) -> bool:
    """Whether it is of a log, or of a program that failed."""
    return sum(begins(row.text) for row in side) >= SPEAKS or any("Traceback (most" in row.text for row in side)


def _bars(text: str) -> Iterator[tuple[int, int]]:
    """(column, index) of every bar."""
    at = text.find(_BAR)
    while at >= 0:
        yield columns(text[:at]), at
        at = text.find(_BAR, at + 1)


def _halves(row: Span, cell: int) -> tuple[Span, Span]:
    """What stands before and behind the bar in column ``cell``; all of a row without one is of the left pane. A single
    blank at its end is that of the text as likely as not, and stays."""
    end = len(row.text)
    at = next((index for where, index in _bars(row.text) if where == cell), end)
    stop = len(row.text[:at].rstrip())
    return row.between(0, at if at - stop == 1 else stop), row.between(min(at + 1, end), end)


def _whole(side: Page) -> Page:
    found = next(unwrapped(side), None)
    return found.page if found is not None and (found.sure or found.told) else side
