"""Quotes, dots and hyphens as word processors, chats and PDF files write them, back to what a program wrote."""

from __future__ import annotations

from diagnose.late import late
from diagnose.repair.page import Page, replaced
from diagnose.repair.wrap import BEGINS

SIGNS = "“”„‟‘’‚‛…–—‐‑−"
"""What stands for ``"``, ``'``, ``...`` and ``-``."""
_SIGN = late(f"[{SIGNS}]")
_PLAIN = {
    **dict.fromkeys(map(ord, "“”„‟"), '"'),
    **dict.fromkeys(map(ord, "‘’‚‛"), "'"),
    **dict.fromkeys(map(ord, "‐‑−"), "-"),
    ord("…"): "...",
}
_OPTION = late(r"(?<!\S)[–—](?=[A-Za-z]{2})|(?<=\S)—(?=\S)")
"""Two hyphens that were made one dash: in front of an option. A dash between blanks is the writer's own."""
_DASH = late(r"–|—(?=\S)")
_ALONE = late(r"(?<= )[–—](?= )")
_ECHO = late(r"Received request|prompt: ['\"‘’“”]")
"""A user's text is quoted in the log: its quotes are no quotes of the log."""


def typography(page: Page) -> Page | None:
    """Typographic quotes, dots and dashes as plain ones; None for a page without any outside echoed prompts."""
    if all(row.text.isascii() for row in page):
        return None
    out: Page = []
    echo = changed = False
    for row in page:
        if _ECHO.search(row.text):
            echo = True
        elif echo and BEGINS.match(row.text):
            echo = False
        new = row if echo or not _SIGN.search(row.text) else replaced(row, plain)
        changed = changed or new is not row
        out.append(new)
    return out if changed else None


def plain(text: str) -> str:
    """``text`` with typographic signs as a program writes them."""
    return _DASH.sub("-", _OPTION.sub("--", text)).translate(_PLAIN)


def double_dashes(page: Page) -> Page | None:
    """Dashes between blanks as two hyphens: most often they were one. None for a page without any."""
    if not any(" – " in row.text or " — " in row.text for row in page):
        return None
    return [replaced(row, lambda text: _ALONE.sub("--", text)) for row in page]
