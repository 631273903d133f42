"""A running time or number before every line: ``12.345678 ``, ``00:01:23 ``, ``+1.2s ``, ``[ 12.3s] ``, ``#17 1.234 ``.

Shapes: moreutils ``ts -s`` and ``ts -i``, BuildKit's plain progress, test runners, seconds since a start. What a
viewer numbers is in ``strips.numbers``, what all lines have in common in ``prefix``.
"""

from __future__ import annotations

import re

from diagnose.late import late
from diagnose.records.envelope import open_envelope
from diagnose.records.transport import read_transport
from diagnose.repair import strips
from diagnose.repair.page import Page
from diagnose.repair.prefix import LEAST_ROWS, begins
from diagnose.repair.signs import LOOKED_AT
from diagnose.repair.strips import FEW

_LEAD = late(
    r"(?P<before>(?:#\d{1,4} )?[\[(<+]{0,2} {0,12})"
    r"(?P<time>\d{1,10}(?:(?::\d\d){1,2}(?:[.,]\d{1,9})?|[.,]\d{1,9}(?=[\s\])>a-zµ:|]|$))?)"
    r"(?P<behind>(?: ?(?:ns|us|µs|ms|sec|s|m|h)(?=[\])>\s:|]|$))?[\])>]?(?:[:|](?=\s|$))?)(?=\s|$)"
)
LEAST = 2
"""Lines of a log that must begin behind it; where fewer do, all of ``LEAST_ROWS`` must have a time."""
_DIGITS = late(r"\d+")


def running(page: Page) -> Page | None:
    """A time or a number of one form taken off all lines, where lines of a log show themselves behind it only; a time
    shows itself when it stands before all lines. Otherwise some can stand before the first and behind the last."""
    filled = [index for index, row in enumerate(page) if row.text.strip()]
    if len(filled) < LEAST or any(begins(page[index].text) for index in filled[:LOOKED_AT]):
        return None
    if all(_is_carried(page[index].text) for index in filled[:LEAST_ROWS]):
        return None  # the records know what begins so
    out = _without(page, filled)
    if out is None:
        return None
    if sum(begins(row.text) for row in out[:LOOKED_AT]) < LEAST:
        return out if len(filled) >= LEAST_ROWS and _are_times(page, filled) else None
    return out if strips.numbers(page) is None else None


def _is_carried(text: str) -> bool:
    return read_transport(text).end > 0 or open_envelope(text) is not None


def _are_times(page: Page, filled: list[int]) -> bool:
    """Whether all lines begin with a time: a bare number or two can be a table's."""
    leads = [_lead(page[index].text) for index in filled]
    return all(one is not None and (_DIGITS.sub("", one["time"]) or one["behind"]) for one in leads)


def few_running(page: Page) -> Page | None:
    """The same for a few lines that look like nothing: no more than a guess, and none for a bare number
    at the beginning of the line."""
    filled = [index for index, row in enumerate(page) if row.text.strip()]
    if not filled or len(filled) > FEW:
        return None
    first = next((lead for index in filled if (lead := _lead(page[index].text))), None)
    if first is None or not (first["before"] or first["behind"] or _DIGITS.sub("", first["time"])):
        return None
    return _without(page, filled)


def _without(page: Page, filled: list[int]) -> Page | None:
    found = {index: lead for index in filled if (lead := _lead(page[index].text)) is not None}
    if not found:
        return None
    first, last = min(found), max(found)
    forms = {_form(lead.group()) for lead in found.values()}
    if len(forms) > 1 or any(index not in found for index in filled if first < index < last):
        return None
    # further blanks are the log's own: a traceback needs them
    blanks = min(
        (_blanks(page[i].text, lead.end()) for i, lead in found.items() if lead.end() < len(page[i].text)), default=0
    )
    return [row.drop(found[i].end() + blanks) if i in found else row for i, row in enumerate(page)]


def _lead(text: str) -> re.Match[str] | None:
    """A digit stands behind nothing but brackets and blanks."""
    return _LEAD.match(text) if text.lstrip("#[(<+ ")[:1].isdigit() else None


def _blanks(text: str, start: int) -> int:
    """Blanks from ``start`` on; without end where nothing else follows."""
    rest = text[start:]
    return len(rest) - len(rest.lstrip()) if rest.strip() else len(text)


def _form(lead: str) -> str:
    """What is the same in every line: all but the digits and the blanks that fill up."""
    return "".join(_DIGITS.sub("0", lead).split())
