"""Text with its escapes undone, for the look at what they hide: quotation marks of JSON in JSON and of tables, HTML,
Markdown, URLs. A name and its secret are told by the signs between them, and these are what is escaped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Final, NamedTuple

from diagnose.late import late

_ESCAPES: Final = late(
    r"\\{1,4}(?:x(?:2[267AaCcFf]|3[AaC-Ec-e])|u00(?:2[267AaCcFf]|3[AaC-Ec-e]))"
    r"|\\{1,4}u(?:[dD][89aAbB][0-9a-fA-F]{2}\\{1,4}u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?!00[0-9a-fA-F]{2}|[dD][89a-fA-F])[0-9a-fA-F]{4}|00[a-fA-F][0-9a-fA-F])"
    r"|\\{1,15}(?=[_*`~#.\[\](){}<>|!=:/-]|[\"']\W)|(?<!\w)\\{1,15}(?=[\"'])"
    r"|&(?:quot|apos|amp|lt|gt|nbsp|equals|colon|lowbar|#\d{2,5}|#[xX][0-9a-fA-F]{2,4});"
    r"|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|5[B-Fb-f]|7[B-Eb-e])"
)
"""Not the quotation mark in ``'it\\'s'``, which is a letter like others. Letters beyond ASCII in full: JSON writes
Hangul so, and half of a pair is no character."""
_SIGNS: Final = ("\\", "&", "%")
NO_BLANK: Final = "&nbsp;"
"""What pages hold for a blank at which no line may be broken."""
MAX_LAYERS: Final = 4
"""JSON in a field of a table in HTML is three."""
_TABLE: Final = late(r"(?m)^(?=[^\n]{0,4000}(?:\w(?:\"\"){1,4}\s?:|\{(?:\"\"){1,4}\w|\[\"\"-))[^\n]*")
"""A line of a table with JSON in one of its fields: the quotation marks in it are doubled."""


class Plain(NamedTuple):
    """A text with its escapes undone."""

    text: str
    starts: tuple[int, ...]
    """Where in ``text`` a part begins that was shifted as a whole."""
    shifts: tuple[int, ...]
    """How many more characters stand ahead of it in the text as it came."""
    ends: Mapping[int, int]
    """Where a character of ``text`` that was written as several ends in the text as it came."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]`` (not empty) stands in the text as it came; a quotation mark and a slash with their
        escape."""
        first = self._end(start - 1) if start and self.text[start] in "'\"/" else self._place(start)
        return first, self._end(end - 1)

    def _end(self, at: int) -> int:
        return self.ends.get(at) or self._place(at) + 1

    def _place(self, at: int) -> int:
        return at + self.shifts[bisect_right(self.starts, at) - 1]


def unescaped(text: str) -> Plain | None:
    """``text`` without its escapes; None where it has none."""
    edits = [(found.start(), found.end(), _meant(found[0])) for found in _escapes(text)]
    if '""' in text:
        edits += [(place, place + 1, "") for line in _TABLE.finditer(text) for place in _doubled(text, *line.span())]
    if not edits:
        return None
    parts: list[str] = []
    starts, shifts = [0], [0]
    ends: dict[int, int] = {}
    at = length = 0
    for start, end, meant in sorted(edits):
        if start < at:
            continue
        parts += (text[at:start], meant)
        length += start - at + len(meant)
        if meant:
            ends[length - 1] = end
        starts.append(length)
        shifts.append(end - length)
        at = end
    parts.append(text[at:])
    return Plain("".join(parts), tuple(starts), tuple(shifts), ends)


def _escapes(text: str) -> list[re.Match[str]]:
    return list(_ESCAPES.finditer(text)) if any(sign in text for sign in _SIGNS) else []


def _doubled(text: str, start: int, end: int) -> list[int]:
    """Where one of two quotation marks stands in ``text[start:end]``."""
    places = []
    at = text.find('""', start, end)
    while at >= 0:
        places.append(at)
        at = text.find('""', at + 2, end)
    return places


def _character(code: str) -> str:
    """What ``x3d``, ``uae40`` or a pair of UTF-16 with a backslash between stands for."""
    if len(code) > 5:
        return chr(0x10000 + ((int(code[1:5], 16) & 0x3FF) << 10) + (int(code[-4:], 16) & 0x3FF))
    return chr(int(code[1:], 16)).replace("\xa0", " ")


def _meant(escape: str) -> str:
    if escape[0] == "\\":
        return _character(escape.strip("\\")) if escape[-1] != "\\" else ""
    if escape[0] == "%":
        return chr(int(escape[1:], 16))
    import html

    # A name and its secret stand apart by blanks, whatever kept them from being broken there.
    return html.unescape(escape)[:1].replace("\xa0", " ")
