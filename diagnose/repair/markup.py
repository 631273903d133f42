"""Lines that a mail program or an editor stored as HTML: every line an element, or ``<br>`` where a line ends."""

from __future__ import annotations

import re

from diagnose.late import late
from diagnose.repair.page import Page, cut

SHARE = 0.3
"""Share of the rows that must show it: nothing else writes so."""
_BLOCK = r"(?:div|p|li|tr|pre|code|span|samp|font|blockquote)"
_ATTRIBUTES = r"(?:\s[^<>]{0,400})?"
_OPENS = late(rf"\s*(?:<{_BLOCK}{_ATTRIBUTES}>)+", re.IGNORECASE)
_CLOSES = late(rf"(?:<br\s*/?>|</{_BLOCK}>)+\s*\Z", re.IGNORECASE)
_BETWEEN = late(rf"<br\s*/?>|</(?:div|p|li|tr)>\s*(?=<(?:div|p|li|tr){_ATTRIBUTES}>)", re.IGNORECASE)
_SHORT = 400
"""Characters in front of a row's end that are looked at."""


def markup(page: Page) -> Page | None:
    """The lines without the elements around them, one row each. None where fewer rows have any."""
    filled = [row for row in page if row.text.strip()]
    if not filled or sum(_is_marked(row.text) for row in filled) < SHARE * len(filled):
        return None
    return _without(page)


def few_elements(page: Page) -> Page | None:
    """The same where only some rows have any: other lines were put around them later."""
    return _without(page) if any(_is_marked(row.text) for row in page) else None


def _without(page: Page) -> Page:
    out: Page = []
    for row in page:
        if not _is_marked(row.text):
            out.append(row)
            continue
        # the last <br> of a row ends it: what would stand behind is the next row
        places = sorted({0, *(found.end() for found in _BETWEEN.finditer(row.text)), len(row.text)})
        for piece in cut(row, places):
            closed = _CLOSES.search(piece.text, max(len(piece.text) - _SHORT, 0))
            kept = piece.keep(closed.start()) if closed else piece
            opened = _OPENS.match(kept.text)
            out.append(kept.drop(opened.end()) if opened else kept)
    return out


def _is_marked(text: str) -> bool:
    if "<" not in text:
        return False
    return (
        _CLOSES.search(text, max(len(text) - _SHORT, 0)) is not None
        or (_OPENS.match(text) is not None and "</" in text)
        or _BETWEEN.search(text) is not None
    )
