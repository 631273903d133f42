"""A log as one block of a larger text: indented below a sentence (Markdown, reStructuredText, YAML), or the strings
of a JSON document that a viewer printed over many lines.
"""

from __future__ import annotations

import json

from diagnose.late import late
from diagnose.records.span import Span
from diagnose.repair.page import Page
from diagnose.repair.signs import LOOKED_AT, is_of_a_log, is_written
from diagnose.repair.strips import indentation

_INDENTED = late(r"(?: {2}|\t)\s*\S")
_INTRODUCES = late(r"\S.*[:|>][-+]?\s*\Z")
"""``Log::`` and ``log: |`` stand right above their block; other text has an empty line below it."""
_CODE = late(r"(?:async def|def|class|with|for|while|if|try|@)\b")
MOST_OUTSIDE = 40
"""Lines of a person around the block."""


def indented_block(page: Page) -> Page | None:
    """One indented block with words of a person around it; it loses its indentation. A line of a log must stand in
    it, and none around it: there the indentation would be the log's own."""
    filled = [index for index, row in enumerate(page) if row.text.strip()]
    inside = [index for index in filled if _INDENTED.match(page[index].text)]
    outside = len(filled) - len(inside)
    if len(inside) < 2 or not 0 < outside <= MOST_OUTSIDE:
        return None
    first, last = inside[0], inside[-1]
    if sum(first <= index <= last for index in filled) != len(inside) or not _is_introduced(page, first):
        return None
    if any(_CODE.match(text) or is_of_a_log(text) for text in (page[i].text for i in filled if not first <= i <= last)):
        return None
    block = indentation(page[first : last + 1])
    if block is None or not any(is_written(row.text) for row in block[:LOOKED_AT]):
        return None
    return [*page[:first], *block, *page[last + 1 :]]


def _is_introduced(page: Page, first: int) -> bool:
    above = page[first - 1].text if first else ""
    return not above.strip() or _INTRODUCES.match(above) is not None


_STRING = r'"(?:[^"\\]|\\.)*+"'
_ROW = late(
    rf"\s*(?:[\[{{\]}}]{{1,4}},?|(?:(?P<key>{_STRING})\s?:\s?)?(?:(?P<said>{_STRING})|[\[{{]{{1,2}}|\[\]|{{}}|[\w.+-]+),?)\s*"
)
_KEYS = ('"message"', '"log"', '"msg"', '"line"', '"MESSAGE"')
"""Names under which collectors keep a line. ``text`` and ``content`` are what people said."""


def printed_json(page: Page) -> Page | None:
    """The lines of a log in a JSON document of many rows: the strings of a list, or what stands under the names
    collectors use."""
    filled = [row for row in page if row.text.strip()]
    if len(filled) < 4 or filled[0].text.strip()[:1] not in ("[", "{") or filled[-1].text.strip()[:1] not in ("]", "}"):
        return None
    out: Page = []
    for row in filled:
        found = _ROW.fullmatch(row.text)
        if found is None:
            return None
        if found["said"] is not None and (found["key"] is None or found["key"] in _KEYS):
            out += _said(row, found["said"])
    return out if any(is_written(row.text) for row in out[:LOOKED_AT]) else None


def _said(row: Span, literal: str) -> Page:
    try:
        text = json.loads(literal)
    except ValueError:
        return [row]
    return [row.with_text(line) for line in str(text).splitlines() or [""]]
