"""A box that a terminal program or a notebook drew around lines: ``╭──╮``, ``│ text │``, ``╰──╯``.

ASCII tables are tables of the log itself (``rbln-stat`` prints one) and stay.
"""

from __future__ import annotations

from diagnose.late import late
from diagnose.repair.page import Page
from diagnose.repair.signs import LOOKED_AT, is_of_a_log

_BORDER = late(r"\s*[╭╰┌└┏┗╔╚├╞╠│┃║][─━═┄┈╌┅┉]{2}.*[╮╯┐┘┓┛╗╝┤╡╣│┃║]\s*|\s*[─━═]{10,}\s*")
_BARS = "│┃║─━═"
_INSIDE = late(r"\s*[│┃║] ?(?P<text>.*?)\s*[│┃║]\s*\Z")


def boxes(page: Page) -> Page | None:
    """The lines in boxes without them and without the padding, where a line of a log stands in one of these, or where
    the page is one box."""
    if all(row.text.isascii() for row in page):
        return None
    out: Page = []
    inside: Page = []
    borders = outside = 0
    for row in page:
        drawn = any(bar in row.text for bar in _BARS)
        found = _INSIDE.fullmatch(row.text) if drawn else None
        if drawn and _BORDER.fullmatch(row.text):
            borders += 1
        elif found is not None:
            inside.append(row.between(found.start("text"), found.end("text")))
            out.append(inside[-1])
        else:
            outside += bool(row.text.strip())
            out.append(row)
    whole = borders > 1 and not outside
    return out if inside and (whole or any(is_of_a_log(row.text) for row in inside[:LOOKED_AT])) else None
