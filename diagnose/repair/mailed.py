"""Text as a mail carries it: quoted-printable, with ``=`` at the end of a broken row and ``=3D`` for a sign."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.late import late
from diagnose.records.span import Span, join
from diagnose.repair.page import Page, cut, replaced

WIDEST = 76
"""Characters of a row, with the ``=`` at its end: no mail has more."""
FULL = 72
"""Characters a row has that was broken: a sign of several bytes may be left for the next one."""
MANY = 3
"""So many signs that were written out are beyond doubt; a row that was broken counts for two, one of the very width of
a mail for all."""

_OTHER = late(r"=(?![0-9A-F]{2}|\r?\Z)")
"""An equals sign as no encoder leaves it."""
_SIGN = late(r"=(?:3D|1B|0D|[89A-F][0-9A-F]|(?:20|09)(?==?\r?\Z))")
"""Signs that every encoder writes out."""
_SURELY_WRITTEN = late(r"""=3D(?=[a-z0-9"'\[({/]|[A-Z][a-z]|-\d)|(?<=[.,;:!?])=20\r?\Z""")
"""No value goes on so behind ``3D``, and none stands behind the end of a sentence."""
_LINE_END = late(r"(?:=0D)?=0A")
_SIGNS = late(r"(?:=[0-9A-F]{2})+")
_NO_TEXT = late(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\ufffd]")
"""What signs make of a value that is none, such as a number behind its name."""


def quoted_printable(page: Page) -> Page | None:
    """Rows joined where a mail broke them, and its signs read; None where the page does not show beyond doubt that a
    mail carried it."""
    shown = 0
    for row in page:
        text = row.text.removesuffix("\r")
        if len(text) > WIDEST or ("=" in text and _OTHER.search(text) is not None):
            return None
        if text.endswith("=") and len(text) >= FULL:
            shown += MANY if len(text) == WIDEST else 2
        shown += MANY if _SURELY_WRITTEN.search(text) is not None else len(_SIGN.findall(text))
    return _decoded(page) if shown >= MANY else None


def few_quoted_printable(page: Page) -> Page | None:
    """The same for one broken row or sign, or with other lines around: no more than a guess."""
    shown = any(_is_broken(row) or _SIGN.search(row.text) for row in page if _is_encoded(row))
    return _decoded(page) if shown else None


def _is_encoded(row: Span) -> bool:
    return "=" in row.text and _OTHER.search(row.text) is None


def _is_broken(row: Span) -> bool:
    return row.text.removesuffix("\r").endswith("=") and len(row.text) <= WIDEST + 1 and _is_encoded(row)


def _decoded(page: Page) -> Page | None:
    """None where a sign of the page is none of a text."""
    lines = [line for row in _joined(page) for line in _lines(row)]
    encoded = [line.text for line in lines if _is_encoded(line)]
    if any(_NO_TEXT.search(_of(signs[0])) for text in encoded for signs in _SIGNS.finditer(text)):
        return None
    return [replaced(line, _read) if _is_encoded(line) else line for line in lines]


def _joined(page: Page) -> Iterator[Span]:
    waiting: list[Span] = []
    for row in page:
        if _is_broken(row):
            waiting.append(row.keep(row.text.rindex("=")))
        else:
            yield join([*waiting, row]) if waiting else row
            waiting = []
    if waiting:
        yield join(waiting)


def _lines(row: Span) -> Iterator[Span]:
    """The lines of a row whose line ends were written out too."""
    if "=0A" not in row.text:
        yield row
        return
    places = sorted({0, *(found.end() for found in _LINE_END.finditer(row.text)), len(row.text)})
    for piece in cut(row, places):
        found = _LINE_END.search(piece.text)
        yield piece if found is None else piece.keep(found.start())


def _read(text: str) -> str:
    return _SIGNS.sub(lambda found: _of(found[0]), text)


def _of(signs: str) -> str:
    return bytes.fromhex(signs.replace("=", "")).decode("utf-8", "replace")
