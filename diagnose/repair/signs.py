"""Signs before every line: a patch, a list, a comment of a script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from diagnose.late import late
from diagnose.records.grammars import read_head
from diagnose.records.process import read_owner
from diagnose.records.shapes import PYTEST, begins_traceback, exception_type
from diagnose.records.transport import read_transport
from diagnose.repair.page import Page
from diagnose.repair.strips import FEW

_Sign = tuple[str, re.Pattern[str]]
"""(what it begins with behind blanks, the sign): a page without the first is not asked for the second."""
_LISTS: Sequence[_Sign] = (("*•·", late(r" {0,3}[*•·](?: |$)")), ("-", late(r"-(?: |$)")))
_SIGNS: Sequence[_Sign] = (
    ("/", late(r" {0,3}//(?: |$)")),
    ("#", late(r" {0,3}#(?: |$)")),
    ("+", late(r"\+(?: |$)")),
    ("+", late(r"\+(?!\+)")),
    ("+", late(r"\+")),  # what a shell traced begins with one too
    *_LISTS,
    ("-", late(r"-(?!-)")),
)
_OF_A_PATCH = ("diff ", "index ", "@@ -", "--- ", "+++ ", "\\ No newline")
"""How what a patch has beside its lines begins."""
_FAILED = late(r"(?:FAILED|ERROR) [\w./-]{1,200}\.py(?:::\S{1,200})? - [\w.]{1,160}: ")
_IN_A_PATCH: _Sign = ("+- ", late(r"[+\- ]"))
LEAST_OF_A_DOCUMENT = 4
LOOKED_AT = 2_000
"""Rows of a page in which one must begin as a log's do."""


class _Bare(NamedTuple):
    page: Page
    block: Page
    """The rows that had the sign."""
    whole: bool
    """All rows had it."""
    listed: bool
    """The sign is one of a list."""


def signs(page: Page) -> Page | None:
    """One sign before the lines taken off, where a line of a log stands behind one of them: a list of sentences and
    a comment speak of errors, they need not report them. Other lines can stand before and behind these."""
    for bare in _without(page):
        looks = is_written if bare.listed and not bare.whole else is_of_a_log
        if any(looks(row.text) for row in bare.block[:LOOKED_AT]) or (bare.whole and is_document(bare.page)):
            return bare.page
    return None


def few_signs(page: Page) -> Page | None:
    """The same for a few lines that look like nothing, where there are no others: no more than a guess."""
    if sum(bool(row.text.strip()) for row in page) > FEW:
        return None
    return next((bare.page for bare in _without(page) if bare.whole), None)


def _without(page: Page) -> Iterator[_Bare]:
    """The page without a sign, for each that stands before all rows of one block of it."""
    filled = [index for index, row in enumerate(page) if row.text.strip()]
    lines = [index for index in filled if not page[index].text.startswith(_OF_A_PATCH)]
    heads = {page[index].text.lstrip()[0] for index in lines}
    told = [sign for sign in _SIGNS if not heads.isdisjoint(sign[0])]
    for sign in told if len(lines) == len(filled) else (_IN_A_PATCH,):
        found = {index: match.end() for index in lines if (match := sign[1].match(page[index].text))}
        if not found:
            continue
        first, last = min(found), max(found)
        if any(index not in found for index in lines if first < index < last):
            continue
        out = [row.drop(found.get(index, 0)) for index, row in enumerate(page)]
        yield _Bare(out, out[first : last + 1], len(found) == len(lines), sign in _LISTS)


def is_written(text: str) -> bool:
    """Whether a logger, a traceback or a transport wrote the row: nobody puts that in a list by hand."""
    if text.startswith('{"'):
        return True
    if begins_traceback(text) or read_transport(text).end:
        return True
    return read_owner(text)[1] > 0 or read_head(text) is not None


def is_document(page: Page) -> bool:
    """Whether the rows are those of a JSON document that was printed over many lines."""
    filled = [row.text.strip() for row in page if row.text.strip()]
    return len(filled) >= LEAST_OF_A_DOCUMENT and filled[0] in ("[", "{") and filled[-1] in ("]", "}")


def is_of_a_log(text: str) -> bool:
    """The same, and an exception."""
    return exception_type(text) is not None or is_of_a_report(text) or is_written(text)


def is_of_a_report(text: str) -> bool:
    """Whether pytest wrote the row about a test that failed."""
    raised = PYTEST.match(text)
    return _FAILED.match(text) is not None or (raised is not None and exception_type(text[raised.end() :]) is not None)
