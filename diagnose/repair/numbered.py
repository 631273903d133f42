"""Line numbers of a viewer: in front of nearly every line a number that is one more than in front of the one before.

Forms: ``12:`` of ``grep -n``, ``    12<tab>`` of ``cat -n``, ``    12  `` of ``nl``, ``  12 │ `` of bat, with the box
it draws around, ``12 | ``, ``L12: ``, ``0012: ``, ``12) ``, ``[12] ``. No form is asked for by its name: it is whatever
stands around the number in the same way in all lines. So regular a growth is nothing a log does by itself, and what
begins a line is seen behind the number only: it goes before anything is judged. Numbers with gaps, as of the lines that
were looked for, are in ``strips.numbers``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

from diagnose.late import late
from diagnose.records.envelope import open_envelope
from diagnose.records.terminal import strip_colours
from diagnose.repair.page import Page, replaced
from diagnose.repair.strips import FEW, MOST

LEAST_ROWS = 3
REGULAR = 0.9
"""Share of the numbers that must be one more than the one before: parts of a file can stand one after the other."""
LOOKED_AT = 40
"""Lines from all over the page that tell at once that it has no numbers."""

_LEAD = late(
    r"(?P<before>[ \t]{0,12}(?:(?:[Ll]ine ?|[Ll]|#|\[|\(|<)[ \t]{0,8})?)(?P<number>\d{1,7})(?![\w/%])(?![.,]\d)"
)
_SEPARATOR = late(r"\t|[ ]{0,3}(?:[+~-](?= ?[|│┃]) ?)?[:.)\]>|│┃→-]{0,2}(?:\t| {0,8})")
_SIGNS = " \t:.)]>|│┃→+~-"
_CLOSING = {"[": "]", "(": ")", "<": ">"}
_BARS = "|│┃"
_RULE = late(r"[ \t]{0,12}[─━]{2,}(?P<joint>[┬┼┴╋┳┻])[─━]{2,}[ \t]*")
_OPENS = "┬┳"


def numbered(page: Page) -> Page | None:
    """The page without its line numbers, where nearly all lines have one; None where they have none."""
    filled = [index for index, row in enumerate(page) if row.text.strip()]
    if filled and _RULE.fullmatch(page[filled[0]].text):
        return _without(page, 1, MOST)  # the box tells that the numbers are a viewer's, however few they are
    looked = filled[:: max(len(filled) // LOOKED_AT, 1)]
    if len(filled) < LEAST_ROWS or 3 * sum(_lead(page[index].text) is not None for index in looked) < len(looked):
        return None
    return _without(page, LEAST_ROWS, MOST)


def few_numbered(page: Page) -> Page | None:
    """The same for a few lines, of which one alone may have a number: no more than a guess."""
    return _without(page, 1, 0) if sum(bool(row.text.strip()) for row in page) <= FEW else None


def _lead(text: str) -> re.Match[str] | None:
    return _LEAD.match(strip_colours(text) if "\x1b" in text[:40] else text)


def _without(page: Page, least: int, share: float) -> Page | None:
    bare = [replaced(row, strip_colours) if "\x1b" in row.text[:40] else row for row in page]
    frame = _frame(bare)
    filled = [index for index, row in enumerate(bare) if index not in frame and row.text.strip()]
    leads = {index: lead for index in filled if (lead := _LEAD.match(bare[index].text)) is not None}
    inside = [index for index in filled if min(leads, default=0) <= index <= max(leads, default=0)]
    if len(leads) < least or len(inside) < share * len(filled) or not _grow(leads):
        return None
    if all(open_envelope(bare[index].text) is not None for index in itertools.islice(leads, LEAST_ROWS)):
        return None  # the records know what begins so
    separator = _separator(leads)
    if not separator or (len(leads) < LEAST_ROWS and not separator[-1].isspace()):
        return None  # of one line, a clock
    ends = {index: _end(lead, separator) for index, lead in leads.items()}
    width = max(ends.values())
    if not all(index in ends or _goes_on(bare[index].text, width) for index in inside):
        return None
    ends |= {index: min(width, len(bare[index].text)) for index in inside if index not in ends}
    return [
        (bare[i].drop(ends[i]) if i in ends else row) if row.text.strip() else row.drop(len(row.text))
        for i, row in enumerate(page)
        if i not in frame
    ]


def _grow(leads: Mapping[int, re.Match[str]]) -> bool:
    """Whether the numbers grow by one from line to line; blank lines between can be counted or not."""
    steps = [
        int(lead["number"]) - int(before["number"]) in (1, index - above)
        for (above, before), (index, lead) in itertools.pairwise(leads.items())
    ]
    return sum(steps) >= REGULAR * len(steps)


def _separator(leads: Mapping[int, re.Match[str]]) -> str:
    """What stands between the number and the text in the same way in all lines; "" where nothing does."""
    before = {lead["before"].strip() for lead in leads.values()}
    rests = [lead.string[lead.end() :] for lead in leads.values()]
    found = _SEPARATOR.match(_common([rest for rest in rests if rest.strip(_SIGNS)] or rests))
    separator = found.group() if found is not None else ""
    if len(before) > 1 or _CLOSING.get(min(before), "") not in separator:
        return ""
    return separator


def _common(texts: Iterable[str]) -> str:
    """What all begin with: what the two furthest apart in order have in common."""
    ordered = sorted(texts)
    pairs = zip(ordered[0], ordered[-1], strict=False)
    return "".join(one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _end(lead: re.Match[str], separator: str) -> int:
    """Where the text begins; a line without any can have lost the last blanks of what stands before it."""
    rest = lead.string[lead.end() :]
    return lead.end() + (len(separator) if rest.startswith(separator) else len(rest))


def _goes_on(text: str, width: int) -> bool:
    """Whether a viewer that wraps wrote the row: the column of numbers is empty."""
    return not text[:width].strip(" \t" + _BARS)


def _frame(page: Page) -> frozenset[int]:
    """The rows of a box around the lines: its rules, and the name of the file between the first two of them."""
    found: set[int] = set()
    title: list[int] = []
    inside = False
    for index, row in enumerate(page):
        rule = _RULE.fullmatch(row.text) if "─" in row.text or "━" in row.text else None
        if rule is not None:
            found |= {index, *(title if inside and _are_titles([page[i].text for i in title]) else ())}
            inside, title = rule["joint"] in _OPENS, []
        elif inside:
            title.append(index)
    return frozenset(found)


def _are_titles(texts: Sequence[str]) -> bool:
    """Whether the rows have an empty column of numbers."""
    return all(text[:1].isspace() and text.lstrip().startswith(tuple(_BARS)) for text in texts)
