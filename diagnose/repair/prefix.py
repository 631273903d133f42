"""One text of a person or a tool before every line: ``[stage] ``, ``0|server  | ``, ``│ ``, ``job: ``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from diagnose.late import late
from diagnose.records.transport import read_transport
from diagnose.repair.flow import BEGINS, OF_VLLM
from diagnose.repair.numbered import numbered
from diagnose.repair.page import Page
from diagnose.repair.signs import LOOKED_AT, is_document, is_of_a_report
from diagnose.repair.strips import FEW

_END = late(r"[^\w\s.](?!\S)\s{0,4}|[\])|:>](?=\S)|\s{1,4}")
"""What is put before a line ends with a sign or a blank, never in a word."""
_OF_A_TABLE = ('"', "{")
"""The first field of a row, or an object: its lines are no text with something before it."""
_BARRED = late(r"(?P<name>[\w./@-]{1,40} {0,4}[|│┃»]|E {2,3}(?= )|>)(?: |$)")
LONGEST = 120
LEAST_ROWS = 3


def same_prefix(page: Page) -> Page | None:
    """What all lines begin with, where lines of a log show themselves behind it only."""
    filled = [row for row in page if row.text.strip()]
    if len(filled) < LEAST_ROWS or any(begins(row.text) or read_transport(row.text).end for row in filled[:LOOKED_AT]):
        return None
    for prefix in _prefixes([row.text for row in filled]):
        out = [row.drop(min(len(prefix), len(row.text))) for row in page]
        if any(begins(row.text) or is_of_a_report(row.text) for row in out[:LOOKED_AT]) or is_document(out):
            return out
        if any(map(str.isalnum, prefix)) and numbered(out) is not None:  # a name before the numbers of a viewer
            return out
        if prefix.strip().isdigit():  # nobody begins three sentences with one number
            return out
    return None


def few_barred(page: Page) -> Page | None:
    """One name and a bar before the lines of a page that has few: no more than a guess. Other lines can stand before
    and behind these."""
    filled = [index for index, row in enumerate(page) if row.text.strip()]
    if len(filled) > FEW:
        return None
    leads = {index: lead for index in filled if (lead := _BARRED.match(page[index].text)) is not None}
    names = {lead["name"].strip() for lead in leads.values()}
    if len(names) != 1:
        return None
    found = {index: lead.end() for index, lead in leads.items()}
    found |= {index: len(page[index].text) for index in filled if page[index].text.strip() in names}  # a blank line
    if any(index not in found for index in filled if min(found) < index < max(found)):
        return None
    return [row.drop(found[index]) if index in found else row for index, row in enumerate(page)]


def _prefixes(texts: list[str]) -> Iterator[str]:
    """What all begin with, the shortest first; a line that is nothing else may have lost its last blanks."""
    longest = max(texts, key=len)
    full = [text for text in texts if not longest.startswith(text.rstrip())] or texts
    # all have in common what the two furthest apart in order have
    pairs = zip(min(full)[:LONGEST], max(full), strict=False)
    common = "".join(one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    if common.lstrip().startswith(_OF_A_TABLE):
        return
    for found in _END.finditer(common):
        prefix = common[: found.end()]
        bare = prefix.rstrip()
        if bare and all(text.startswith(prefix) or text.rstrip() == bare for text in texts):
            yield prefix


def begins(text: str) -> bool:
    """Whether a line of a log begins right there. A logger's head is also known further inside a line."""
    return text.startswith('{"') or OF_VLLM.match(text) is not None or BEGINS.match(text) is not None
