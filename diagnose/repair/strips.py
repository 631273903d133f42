"""What a viewer, a mail, a form or a transport put around every line: one function per shape.

Each gives the page without it, or None when the page has not the shape. Indentation behind what is taken off is the
log's own and stays: a traceback needs it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence

from diagnose.late import late
from diagnose.records.opener import DROPPED, Opener
from diagnose.records.server import server_of
from diagnose.records.span import Span, join
from diagnose.records.terminal import strip_colours
from diagnose.records.transport import read_transport
from diagnose.repair.page import Page, replaced
from diagnose.repair.wrap import columns

Strip = Callable[[Page], "Page | None"]

MOST = 0.8
"""Share of the rows that must show a shape before it is the shape of the page."""
FEW = 24
"""Lines of a text in which a single one may show a shape, if that explains what was not understood before."""
MAX_LEVELS = 6
"""Quotations of quotations around a part of a text."""
QUOTED_SHARE = 0.6
"""The same for a quotation: a mail has lines of its own around it."""
SPEAKERS_SHARE = 0.05
"""Share of the rows that a program says before it is one of several whose lines are told apart."""


def _filled(page: Page) -> list[Span]:
    return [row for row in page if row.text.strip()]


def _each(page: Page, change: Callable[[str], str]) -> Page | None:
    """``change`` on the text of every row; None when it changes nothing."""
    changed = [replaced(row, change) for row in page]
    return changed if any(new is not old for new, old in zip(changed, page, strict=True)) else None


# ------------------------------------------------------------------ characters that were written out

_WRITTEN_OUT = late(r"(?:\\x1[bB]|\\0?33|\\e|\\u001[bB]|␛|ESC|\^\[|#033)\[[0-?]*[ -/]*[@-~]")
_WRITTEN_WITH = ("\\", "␛", "ESC[", "^[", "#033[")
"""One of them stands in every text with a sequence that was written out."""
_CARET_RETURN = late(r"(?:\^M|#015|␍)+\Z")


def colours(page: Page) -> Page | None:
    """ANSI sequences, also those whose escape character was written out (``^[``, ``#033``, ``\\033``, ``\\x1b``) or
    lost to U+FFFD."""
    return _each(page, _uncoloured)


def _uncoloured(text: str) -> str:
    if any(sign in text for sign in _WRITTEN_WITH):
        text = _WRITTEN_OUT.sub("", text)
    return strip_colours(text)


def carets(page: Page) -> Page | None:
    """``\\r`` at the line ends written out by ``cat -v`` or rsyslog."""
    return _each(page, lambda text: _CARET_RETURN.sub("\r", text) if text.endswith(("^M", "#015", "␍")) else text)


def line_ends(page: Page) -> Page | None:
    """``\\r`` at the end of every line. On some of the lines only it is vLLM's mark of records that go on."""
    filled = _filled(page)
    if not filled or not all(row.text.endswith("\r") for row in filled[:-1] or filled):
        return None
    return _each(page, lambda text: text.removesuffix("\r"))


def padding(page: Page) -> Page | None:
    """Blanks that fill every row up to the width of a pane, as copies out of tmux and screen have them. A single one
    at the end of a row is that of the text as likely as not, and stays."""
    widths = Counter(columns(row.text) for row in page if row.text)
    width, rows = widths.most_common(1)[0] if widths else (0, 0)
    filled = sum(row.text.endswith("  ") for row in page)
    if not filled or rows < MOST * sum(widths.values()) or width < max(widths):
        return None
    return _each(page, lambda text: text.rstrip(" ") if text.endswith("  ") else text)


_ENTITY = late(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#[xX][0-9a-fA-F]{1,5});")
_BLANKS = {
    **dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F), " "),
    **dict.fromkeys((0x200B, 0x2060, 0xFEFF)),
}
"""What browsers put for blanks, and characters without width."""


def entities(page: Page) -> Page | None:
    """HTML escapes and the blanks of a browser."""
    return _each(page, lambda text: (_without_entities(text) if "&" in text else text).translate(_BLANKS))


def _without_entities(text: str) -> str:
    import html  # with the names of all characters; most logs hold no ``&``

    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)


# --------------------------------------------------------------------------- what stands before lines

_QUOTE = late(r" {0,3}>(?!>> ) ?")
"""Not ``>>> ``: prompts of Python and messages begin so."""


def quotation(page: Page, share: float = QUOTED_SHARE) -> Page | None:
    """One level of ``> `` before the lines."""
    filled = _filled(page)
    quoted = sum(_QUOTE.match(row.text) is not None for row in filled)
    if not quoted or quoted < share * len(filled):
        return None
    return [row.drop(found.end()) if (found := _QUOTE.match(row.text)) else row for row in page]


_FENCE = late(r"[ \t]*(?:`{3,}|~{3,})[\w+-]*\s*\Z")


def fences(page: Page) -> Page | None:
    """Fences of Markdown; what stands between two of them loses their indentation."""
    out: Page = []
    inside: Page | None = None
    for row in page:
        if _FENCE.match(row.text) is None:
            (out if inside is None else inside).append(row)
        elif inside is None:
            inside = []
        else:
            out += indentation(inside) or inside
            inside = None
    out += inside or []
    return out if len(out) < len(page) else None


def indentation(page: Page) -> Page | None:
    """The indentation all lines have in common; a single blank can be the one at which a line was broken."""
    heads = [row.text[: len(row.text) - len(row.text.lstrip(" \t"))] for row in _filled(page)]
    # all have in common what the two furthest apart in order have
    first, last = min(heads, default=""), max(heads, default="")
    common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    if not common or (common == 1 and first[0] == " "):
        return None
    return [row.drop(min(common, len(row.text))) for row in page]


_FILE_NUMBERED = late(r"(?P<file>[\w./-]{1,200}?\.\w{1,8})[:-](?P<number>\d{1,7})[:-]")
"""``grep -n`` over files: the only style that does not begin with the number."""
_NUMBERED: Sequence[re.Pattern[str]] = (
    late(r" *(?P<number>\d{1,7})\t"),  # cat -n, nl, GitHub
    late(r" *(?P<number>\d{1,7}) {1,2}[│|](?: |$)"),  # bat, IDEs
    # grep -n, with the lines around; a clock and a date are none, but one can stand behind the number
    late(r"(?P<number>\d{1,7}(?=[:-](?!\d\d[:-]\d))|\d{3,7}(?=:)|\d{1,2}(?=:\d\d:\d\d:\d\d))[:-]"),
    _FILE_NUMBERED,
    late(r" *(?P<number>\d{1,7})(?: |$)"),  # less -N, vim
    late(r" *(?P<number>\d{1,7})[.):] "),
)


def numbers(page: Page) -> Page | None:
    """The line numbers of a viewer: they grow from line to line."""
    return _numbers_of(page) if len(_filled(page)) > 1 else None


def parts(page: Page) -> Page | None:
    """Numbers or quotation marks before a part of a few lines: the rest was put around them later."""
    filled = _filled(page)
    if not filled or len(filled) > FEW:
        return None
    least = 1 / len(filled)
    found = quotation(page, least)
    for _ in range(MAX_LEVELS if found is not None else 0):
        found = quotation(found or page, least) or found
    return found or _numbers_of(page, least)


def _numbers_of(page: Page, share: float = MOST) -> Page | None:
    filled = _filled(page)
    digits = any(row.text.lstrip(" ")[0].isdigit() for row in filled)
    for style in _NUMBERED if digits else (_FILE_NUMBERED,):
        found = [style.match(row.text) for row in filled]
        heads = [one for one in found if one is not None]
        if not heads or not _ascend([int(one["number"]) for one in heads]):
            continue
        if "file" in style.groupindex and (len(heads) < 2 or len({one["file"] for one in heads}) > 1):
            continue  # a compiler and Python's warnings begin so too
        width = max(one.end() for one in heads)
        going_on = sum(one is None and _blank_head(row.text, width) for one, row in zip(found, filled, strict=True))
        if len(heads) + going_on >= share * len(filled):
            return _without_blank([_without_number(row, style, width) for row in page])
    return None


def _without_blank(page: Page) -> Page:
    """Where every line begins with a blank and one with no more, it stood behind the number: nothing indents by one."""
    indents = [len(row.text) - len(row.text.lstrip(" ")) for row in _filled(page)]
    return [row.drop(1) if row.text.startswith(" ") else row for row in page] if min(indents, default=0) == 1 else page


def _ascend(values: list[int]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))


def _blank_head(text: str, width: int) -> bool:
    """A viewer that wraps leaves the column of numbers empty."""
    return not text[:width].strip()


def _without_number(row: Span, style: re.Pattern[str], width: int) -> Span:
    found = style.match(row.text)
    if found is not None:
        return row.drop(found.end())
    return row.drop(min(width, len(row.text))) if _blank_head(row.text, width) else row


_NUMBER = late(r"[ \t]{0,12}[0-9]{1,7}[ \t\r]{0,12}")


def numbers_between(page: Page) -> Page | None:
    """Line numbers that a browser copied as lines of their own."""
    filled = _filled(page)
    values = [int(row.text) for row in filled if _NUMBER.fullmatch(row.text)]
    if len(values) < 2 or len(values) < 0.4 * len(filled) or not _ascend(values):
        return None
    return [row for row in page if not _NUMBER.fullmatch(row.text)]


# ---------------------------------------------------------------------------------- per-line transports


def transports(page: Page) -> Page | None:
    """Transports around most lines: taken off for the sake of what lies below. Lines they cut are joined.

    Where they tell several programs apart they stay: nothing else says whose a line is.
    """
    out: Page = []
    waiting: dict[str, list[Span]] = {}
    carried = 0
    said: Counter[str] = Counter()
    opener = Opener()
    for row in page:
        enclosed = opener.open(row.text)
        if enclosed is DROPPED:
            carried += 1
            continue
        if enclosed is not None:
            origin, partial = enclosed.origin, enclosed.partial
            inner = [row.with_text(text) for text in enclosed.text.split("\n")]
        else:
            layer = read_transport(row.text)
            origin, partial = layer.origin, layer.partial
            inner = [row.drop(layer.end)]
        said[server_of(origin)] += 1
        carried += bool(row.text.strip()) and (enclosed is not None or inner[0] is not row)
        if partial:
            waiting.setdefault(origin, []).extend(inner)
        else:
            before = waiting.pop(origin, None)
            out += [join([*before, inner[0]]), *inner[1:]] if before else inner
    out += [join(parts) for parts in waiting.values()]
    if sum(lines >= SPEAKERS_SHARE * len(page) for name, lines in said.items() if name) > 1:
        return None
    return out if carried and carried >= MOST * len(_filled(page)) else None
