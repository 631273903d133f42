"""Signs before every line: a patch, a list, a comment of a script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from diagnose.records.envelope import open_envelope
from diagnose.records.grammars import read_head
from diagnose.records.process import read_owner
from diagnose.records.shapes import begins_traceback, exception_type
from diagnose.records.transport import read_transport
from diagnose.repair.page import Page
from diagnose.repair.strips import FEW

_SIGNS: Sequence[re.Pattern[str]] = (
    re.compile(r" {0,3}//(?: |$)"),
    re.compile(r" {0,3}#(?: |$)"),
    re.compile(r" {0,3}[*•·](?: |$)"),
    re.compile(r"\+(?: |$)"),
    re.compile(r"-(?: |$)"),
    re.compile(r"\+(?!\+)"),
    re.compile(r"-(?!-)"),
)
_OF_A_PATCH = re.compile(r"(?:diff|index) \S|@@ -\d|--- |\+\+\+ |\\ No newline")
"""What a patch has beside its lines."""
_IN_A_PATCH = re.compile(r"[+\- ]")
_FATAL = re.compile(r'\{"event": ?"rbln\.')
LOOKED_AT = 2_000
"""Rows of a page in which one must begin as a log's do."""


def signs(page: Page) -> Page | None:
    """One sign before every line taken off, where a line of a log stands behind one of them: a list of sentences and
    a comment speak of errors, they need not report them."""
    out = _without(page)
    return out if out is not None and any(is_of_a_log(row.text) for row in out[:LOOKED_AT]) else None


def few_signs(page: Page) -> Page | None:
    """The same for a few lines that look like nothing: no more than a guess."""
    out = _without(page)
    return out if out is not None and sum(bool(row.text.strip()) for row in out) <= FEW else None


def _without(page: Page) -> Page | None:
    filled = [row for row in page if row.text.strip()]
    if not filled:
        return None
    lines = [row for row in filled if _OF_A_PATCH.match(row.text) is None]
    for sign in _SIGNS if len(lines) == len(filled) else (_IN_A_PATCH,):
        if not lines or any(sign.match(row.text) is None for row in lines):
            continue
        return [row.drop(found.end()) if (found := sign.match(row.text)) else row for row in page]
    return None


def is_of_a_log(text: str) -> bool:
    """Whether a row begins as a logger, a traceback or a transport begins a line."""
    if text.startswith("{") and (_FATAL.match(text) or open_envelope(text) is not None):
        return True
    if exception_type(text) is not None or begins_traceback(text) or read_transport(text).end:
        return True
    return read_owner(text)[1] > 0 or read_head(text) is not None
