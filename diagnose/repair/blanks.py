"""Blanks that a chat, a browser or a form took away, where they told what a line is."""

from __future__ import annotations

from collections.abc import Sequence

from diagnose.late import late
from diagnose.records.shapes import closing_type, exception_type, is_carets
from diagnose.records.span import Span
from diagnose.repair.page import Page, replaced

_OF_PYTEST = late(r"={3,} [\w ,.:()-]{1,120} ={3,}\Z")
"""The titles of its report."""
_RAISED = late(r"\AE (?=\S)")
_INDENTED = "E       "
_HEADER = "Traceback (most recent call last):"
_FRAME = late(r' ?File "[^"]{1,300}", line \d{1,7}(?:, in \S|$)')
"""A frame that stands as far left as Python writes none."""


def blanks(page: Page) -> Page | None:
    """The indentation of frames as Python writes it, and what pytest puts before the lines of an exception: both are
    always wider than what is found here."""
    texts = [row.text for row in page]
    found = {**_of_tracebacks(texts), **_of_reports(texts)}
    return [_at(row, found[index]) if index in found else row for index, row in enumerate(page)] if found else None


_Widened = tuple[int, int, str]
"""Where blanks are put, up to where they stand instead of what is there, and what is put."""


def _at(row: Span, widened: _Widened) -> Span:
    start, end, put = widened
    return replaced(row, lambda text: f"{text[:start]}{put}{text[end:]}" if len(text) >= end else text)


def _of_reports(texts: Sequence[str]) -> dict[int, _Widened]:
    """Row → what is put before it, in a report of pytest."""
    raised = [index for index, text in enumerate(texts) if _RAISED.match(text) is not None]
    if not any(exception_type(texts[index][2:]) is not None for index in raised):
        return {}
    titled = any(_OF_PYTEST.match(text) is not None for text in texts)
    return dict.fromkeys(raised, (0, 2, _INDENTED)) if titled else {}


def _of_tracebacks(texts: Sequence[str]) -> dict[int, _Widened]:
    """Row → what is put behind the head that it shares with the header of its traceback."""
    out: dict[int, _Widened] = {}
    for index, text in enumerate(texts):
        if text.rstrip().endswith(_HEADER):
            out |= _of_frames(texts, index + 1, text.rindex(_HEADER))
    return out


def _of_frames(texts: Sequence[str], first: int, head: int) -> dict[int, _Widened]:
    """The frames from row ``first`` on, and the source lines below them; ``head``: characters before a line's text."""
    out: dict[int, _Widened] = {}
    index = first
    while index < len(texts) and _FRAME.match(texts[index], head) is not None:
        out[index] = _indent(texts[index], head, 2)
        index += 1
        if index < len(texts) and _is_source(texts, index, head):
            out[index] = _indent(texts[index], head, 4)
            index += 1
        while index < len(texts) and is_carets(texts[index][head:]):
            out[index] = _indent(texts[index], head, 4)
            index += 1
    return out


def _indent(text: str, head: int, width: int) -> _Widened:
    return head, head + len(text[head:]) - len(text[head:].lstrip(" ")), " " * width


def _is_source(texts: Sequence[str], index: int, head: int) -> bool:
    """Whether a row is the source line of the frame above it, and not the exception that ends the traceback."""
    text = texts[index][head:].lstrip(" ")
    if not text or _FRAME.match(text) is not None or is_carets(text):
        return False
    if closing_type(text) is None:
        return True
    below = texts[index + 1][head:] if index + 1 < len(texts) else ""
    if _FRAME.match(below) is not None or is_carets(below):
        return True
    return exception_type(text) is None and closing_type(below.lstrip(" ")) is not None  # ``self.drain(lane)``
