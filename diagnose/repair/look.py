"""Whether a text that is large for a paste shows that something happened to it: a cheap look before it is read again.

A terminal, a viewer or a mail changes a text from its first line to its last, so that a few parts of it tell; only a
width needs all lines. A plain log pays for no more than this look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from diagnose.late import late
from diagnose.repair import strips
from diagnose.repair.backslashes import backslashes, breaks
from diagnose.repair.blanks import blanks
from diagnose.repair.boxes import boxes
from diagnose.repair.literals import literal_rows
from diagnose.repair.mailed import quoted_printable
from diagnose.repair.markup import markup
from diagnose.repair.newest import newest_first
from diagnose.repair.numbered import numbered
from diagnose.repair.page import MAX_ROWS, Page, page_of
from diagnose.repair.panes import panes
from diagnose.repair.prefix import same_prefix
from diagnose.repair.running import running
from diagnose.repair.signs import signs
from diagnose.repair.speakers import speakers
from diagnose.repair.typography import SIGNS
from diagnose.repair.words import is_word_wrapped
from diagnose.repair.wrap import is_wrapped

SMALL_BYTES = 64 * 1024
"""A text up to this size is read in every way its shape allows: the whole costs some 0.1 s."""
GIANT_BYTES = 32 * 1024
"""A longer line was broken by nobody and hides nothing in the others."""
PARTS = 3
"""Parts that are looked at: from the beginning, the middle and the end."""
PART_LINES = 100

_IN_WORDS = (
    *(b"&lt;", b"&gt;", b"&amp;", b"&quot;", b"&apos;", b"&nbsp;", b"&#"),
    *(
        b"^[[",
        b"#033[",
        rb"\033[",
        rb"\33[",
        rb"\x1b[",
        rb"\x1B[",
        rb"\e[",
        rb"\u001b[",
        "␛[".encode(),
        b"ESC[",
        b"\x1b[",
        "\ufffd[".encode(),
    ),
    *(b"^M\n", b"#015\n"),
    *(sign.encode() for sign in f"\u00a0\u202f\u200b\ufeff\u2060{SIGNS}"),
)
"""What hides a message wherever it stands in it: only the lines with the message need to hold it."""
_BY_LINE = (strips.colours, strips.carets, strips.line_ends, strips.padding, strips.entities)
"""What is undone within a line. Colours and ``\\r`` in front of and behind messages are taken off by the records."""
_AROUND = (
    *(
        quoted_printable,
        markup,
        numbered,
        backslashes,
        breaks,
        boxes,
        panes,
        literal_rows,
        strips.quotation,
        speakers,
        signs,
        strips.numbers,
        strips.numbers_between,
    ),
    *(strips.indentation, same_prefix, running, newest_first, blanks),
)
_FENCE = late(rb"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*\r?$", re.MULTILINE)


def shows_shape(data: bytes, *, troubled: bool) -> bool:
    """Whether ``data`` (UTF-8) is worth reading again. ``troubled``: the plain reading found that something failed;
    what only hides words of a message is no reason where no message is."""
    if b"\0" in data.strip(b"\0") or _few_lines(data) or _is_small_but_for_giants(data):
        return True
    if troubled and any(sign in data for sign in _IN_WORDS):
        return True
    if (b"```" in data or b"~~~" in data) and _FENCE.search(data):
        return True
    texts = data.decode("utf-8", "replace").split("\n")
    if is_wrapped(texts) or is_word_wrapped(texts):
        return True
    sample = page_of("\n".join(_parts_of(texts)).encode("utf-8", "replace"))
    return _is_around(sample) or _is_within_transports(sample)


def _few_lines(data: bytes) -> bool:
    """Whether the line ends are lost, or written as bare ``\\r``."""
    ends = data.count(b"\n")
    return ends <= MAX_ROWS or data.count(b"\r") - data.count(b"\r\n") > ends


def _is_small_but_for_giants(data: bytes) -> bool:
    """Whether only lines that nobody typed make the text large."""
    return sum(size for line in data.split(b"\n") if (size := len(line)) <= GIANT_BYTES) <= SMALL_BYTES


def _parts_of(texts: Sequence[str]) -> list[str]:
    if len(texts) <= PARTS * PART_LINES:
        return list(texts)
    step = (len(texts) - PART_LINES) // (PARTS - 1)
    return [text for part in range(PARTS) for text in texts[part * step : part * step + PART_LINES]]


def _is_around(page: Page) -> bool:
    for strip in _BY_LINE:
        page = strip(page) or page
    return any(strip(page) is not None for strip in _AROUND)


def _is_within_transports(page: Page) -> bool:
    """Whether there is more below the transports, which the records take off by themselves."""
    inner = strips.transports(page)
    return inner is not None and (_is_around(inner) or is_wrapped([row.text for row in inner]))
