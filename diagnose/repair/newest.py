"""A text with the newest line first, as stores of logs show and export it: turned round, a cause stands before its
echoes again.

Kibana, Datadog, CloudWatch Logs Insights, Loki and ``gcloud logging read`` give the newest first unless asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from diagnose.late import late
from diagnose.records.opener import Opener
from diagnose.records.shapes import exception_type
from diagnose.records.transport import read_transport
from diagnose.repair.page import Page
from diagnose.repair.signs import is_document, is_of_a_log
from diagnose.repair.words import is_word_wrapped
from diagnose.repair.wrap import is_wrapped

LOOKED_INTO = 2_000
"""Characters of a row in which its time is looked for: an object has it anywhere."""
LEAST_FALLS = 2
"""Times a time must be earlier than the one before: one fall is a clock past midnight or a year that ends."""
RISES = 0.05
"""Share of the changes that may go the other way: processes write at the same moment."""
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_STAMP = (
    rf"(?P<iso>\d{{4}}-\d\d-\d\d[T ,]{{1,2}}{_CLOCK})"
    rf"|(?<![\w-])(?P<day>\d\d-\d\d {_CLOCK})"
    rf"|(?<!\w)(?P<month>(?:{'|'.join(_MONTHS)}) [ \d]?\d(?:, \d{{4}} @)? {_CLOCK})"
    r"|(?<![\w.:-])(?P<epoch>1[5-9]\d{8}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?)(?![\w.-])"
)
_TIME = late(_STAMP)
_KEYED = late(
    rf'"(?:@?timestamp|[tT]ime|TimeGenerated|_time|ts|eventTime|ingestionTime|__REALTIME_TIMESTAMP)": ?"?(?:{_STAMP})'
)
_FIELD = late(r'(?P<before>[^"{]{0,40})"[\w.@/-]{1,100}": ')
"""One of many of an object that was printed over lines: only some of them are its time, and none where something
stands before them."""
Stamp = tuple[str, str]
"""(form, time that sorts)."""
_HEADER = "Traceback (most recent call last):"
_FRAME = late(r'  File \\?"[^"]{1,300}", line \d')
_OPENS = late(r"(?P<indent>\s*)\{\s*\Z")


def newest_first(page: Page) -> Page | None:
    """The lines from the oldest to the newest, where their times run backwards from the first to the last."""
    texts = [row.text for row in page]
    if _ends_later(texts):
        return None
    stamps = [*map(stamp, texts)]
    told_by_one = is_document(page) or _are_exported(texts) or _goes_on_above(texts)
    if not runs_backwards(stamps, 1 if told_by_one else LEAST_FALLS):
        return None
    if is_wrapped(texts) or is_word_wrapped(texts):
        return None  # the times of some rows stand on the next
    if is_document(page):
        return _objects_turned(page)
    start = next(index for index, one in enumerate(stamps) if one is not None)
    if any(map(is_of_a_log, texts[:start])):
        start = 0  # no header of a table, and no words of a person
    return [*page[:start], *_turned(page[start:], stamps[start:])]


def _goes_on_above(texts: Sequence[str]) -> bool:
    """Whether the first row is the second line of a message, and the last one is the first of one."""
    filled = [text[read_transport(text).end :] for text in texts if text.strip()]
    return len(filled) > 1 and filled[0].startswith("  ") and exception_type(filled[-1]) is not None


def _ends_later(texts: Sequence[str]) -> bool:
    """Whether the last time is not before the first of its form, as in any log in order: two rows tell it."""
    first = next(filter(None, map(stamp, texts)), None)
    last = next(filter(None, map(stamp, reversed(texts))), None)
    return first is None or last is None or (first[0] == last[0] and first[1] <= last[1])


def _are_exported(texts: Sequence[str]) -> bool:
    """Whether a store gave all rows: it sorts them, so that one fall tells its order."""
    opener = Opener()
    return all(opener.open(text) is not None for text in texts if text.strip())


def stamp(text: str) -> Stamp | None:
    """The time of a row; None for one without."""
    field = _FIELD.match(text) if '"' in text else None
    if field is not None and field["before"].strip():
        return None
    found = _KEYED.search(text, 0, LOOKED_INTO) if '"' in text else None
    if found is None and field is None:
        found = _TIME.search(text, 0, LOOKED_INTO)
    if found is None or found.lastgroup is None:
        return None
    said = found[found.lastgroup].replace(",", ".")
    if found.lastgroup == "iso":
        said = f"{said[:10]} {said[11:].lstrip()}"
    elif found.lastgroup == "month":
        day, *_, clock = said[3:].split()
        said = f"{_MONTHS.index(said[:3]):02d} {day.rstrip('.'):>2s} {clock}"
    elif found.lastgroup == "epoch":
        return f"epoch {len(said.split('.')[0])}", f"{said:.<20s}"
    return found.lastgroup, said


def runs_backwards(stamps: Sequence[Stamp | None], least: int) -> bool:
    """Whether times of one form fall from the first to the last, ``least`` times or more."""
    times: dict[str, list[str]] = {}
    for one in stamps:
        if one is not None:
            times.setdefault(one[0], []).append(one[1])
    falls = rises = 0
    for of_form in times.values():
        falls += sum(a > b for a, b in itertools.pairwise(of_form))
        rises += sum(a < b for a, b in itertools.pairwise(of_form))
        if of_form[0] < of_form[-1]:
            return False
    return falls >= least and rises <= RISES * falls


def _turned(page: Page, stamps: Sequence[Stamp | None]) -> Page:
    """Rows from the last to the first; what belongs together stays in order: the lines of one entry that follow its
    first, and those of one moment where a traceback among them stands the right way round."""
    starts = [index for index, one in enumerate(stamps) if one is not None or not index]
    if _holds(page, lambda header, below, above: header and below):
        moments = [stamps[index] for index in starts]
        starts = [index for n, index in enumerate(starts) if not n or moments[n] != moments[n - 1]]
    elif _holds(page, lambda header, below, above: header and above):
        starts = list(range(len(page)))
    ends = [*starts[1:], len(page)]
    return [row for start, end in zip(reversed(starts), reversed(ends), strict=True) for row in page[start:end]]


def _holds(page: Page, told: Callable[[bool, bool, bool], bool]) -> bool:
    """Whether of some row is told: it heads a traceback, a frame stands below it, a frame stands above it."""
    frames = [_FRAME.search(row.text) is not None for row in page]
    return any(
        told(_HEADER in row.text, frames[index + 1 : index + 2] == [True], index > 0 and frames[index - 1])
        for index, row in enumerate(page)
    )


def _objects_turned(page: Page) -> Page | None:
    """The objects of a list that was printed over many lines, the last first."""
    opens = [(len(found["indent"]), n) for n, row in enumerate(page) if n and (found := _OPENS.match(row.text))]
    outermost = min(opens, default=(0, 0))[0]
    starts = [index for indent, index in opens if indent == outermost]
    closes = late(rf"\s{{{outermost}}}\}},?\s*\Z")
    ends = [index + 1 for index, row in enumerate(page) if closes.match(row.text)]
    if len(starts) < LEAST_FALLS or len(ends) != len(starts) or any(a >= b for a, b in zip(starts, ends, strict=True)):
        return None
    objects = [row for start, end in zip(reversed(starts), reversed(ends), strict=True) for row in page[start:end]]
    return [*page[: starts[0]], *objects, *page[ends[-1] :]]
