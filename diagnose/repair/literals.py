r"""Texts written out as literals: ``"…\n…"`` of JSON, ``'…\n…'`` and ``b'…\n…'`` of Python, one inside another.

A literal is read by its own rules, never evaluated.
"""

from __future__ import annotations

import re

from diagnose.late import late
from diagnose.records.envelope import open_envelope, parsed
from diagnose.repair.flow import BEGINS, ECHO, MAX_PARTS
from diagnose.repair.page import MAX_ROWS, Page
from diagnose.repair.signs import LOOKED_AT, is_of_a_log

MAX_INSIDE = 4
"""Literals one inside another."""
MOST = 0.8
"""Share of the rows that must be literals before the page is a list of them."""
_LITERAL = r"""b?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_ROW = late(rf"(?P<before>[^\"'\\]{{0,80}}[\s:=(\[])??(?P<literal>{_LITERAL})[)\]]?[,;]?\s*")
_KEYED = late(r"""\s*(?P<key>[\w .-]{1,40}[:=]\s*)(?=b?["'])""")
_BEGINS = ('"', "'", "[{", "{", "b'", 'b"')
_LEAST_ENDS = 2
"""Line ends written out in a text that is no literal from its beginning."""
_END = late(r"\r\n|\r|\n")
_WRITTEN = r"\n"
_ESCAPES = late(
    r"""(?P<bytes>(?:\\x[0-9a-fA-F]{2})+)|\\u(?P<code>[0-9a-fA-F]{4})|\\U(?P<long>00[01][0-9a-fA-F]{5})|\\(?P<one>[nrtbf"'\\/])"""
)
_ONE = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_TEXT_KEYS = ("message", "log", "msg", "output", "text", "stdout", "stderr")


def written_out(page: Page) -> Page | None:
    """A whole text as a literal, a literal behind its name, or a JSON list of messages. Only where the page begins
    so: a prompt the server echoes is a literal as well, but stands behind the head of a record."""
    filled = [row for row in page if row.text.strip()]
    if not filled or any(ECHO.search(row.text) for row in filled) or not _begins(filled[0].text):
        return None
    return _opened(filled)


def _opened(filled: Page) -> Page | None:
    if len(filled) > MAX_ROWS or any(row.text.count("\\") > 2 * MAX_PARTS for row in filled):
        return None
    out = [row.with_text(line) for row in filled for line in _lines(row.text)]
    return out if [row.text for row in out] != [row.text for row in filled] else None


def literal_rows(page: Page) -> Page | None:
    """Lines that are literals, as a program prints what it reads from another: one line or several from each."""
    filled = [row for row in page if row.text.strip()]
    if len(filled) < 2 or not all(_ends_as_one(row.text) for row in filled[:2]):
        return None
    found = [_ROW.fullmatch(row.text) for row in page]
    told = [one for one in found if one is not None and (not one["before"] or _WRITTEN in one["literal"][-5:])]
    if len(told) < MOST * len(filled) or len({one["before"] for one in told}) > 1:
        return None
    out: Page = []
    inside: list[str] = []
    for row, one in zip(page, found, strict=True):
        lines = _lines(one["literal"]) if one is not None else [row.text]
        out += [row.with_text(line) for line in lines] if one is not None else [row]
        inside += lines if one is not None else []
    return out if len(told) == len(filled) or any(map(is_of_a_log, inside[:LOOKED_AT])) else None


def whole_literals(page: Page) -> Page | None:
    """A page that is nothing but a literal, or an object that carries a text and is no record of a collector. A prompt
    that is quoted in it is a literal still when the page's own is undone."""
    filled = [row for row in page if row.text.strip()]
    return _opened(filled) if filled and all(_is_whole(row.text) for row in filled[: MAX_ROWS + 1]) else None


def _is_whole(text: str) -> bool:
    if not text.lstrip().startswith(_BEGINS):
        return False
    found = _ROW.fullmatch(text)
    if found is not None:
        return not found["before"]
    return open_envelope(text) is None and _json_text(text) is not None


def _ends_as_one(text: str) -> bool:
    return text.rstrip().rstrip(",;)]").endswith(("'", '"'))


def _begins(text: str) -> bool:
    text = text.lstrip()
    if text.startswith(_BEGINS):
        return True
    if text.count(_WRITTEN) < _LEAST_ENDS:
        return False
    return _KEYED.match(text) is not None or BEGINS.match(text) is not None or is_of_a_log(text)


def _lines(text: str) -> list[str]:
    """The lines of a text that is written out, however often."""
    for _ in range(MAX_INSIDE):
        said = _json_text(text)
        if said is None:
            said = _unescaped(*_unquoted(text))
        lines = _END.split(said.rstrip("\r\n"))
        if len(lines) > 1 or not lines[0].lstrip().startswith(_BEGINS):
            return lines
        if lines == [text]:
            break
        text = lines[0]
    return [text]


def _unquoted(text: str) -> tuple[str, bool]:
    """The text between the quotes, and whether its escapes are bytes; a literal that was cut has no last quote."""
    keyed = _KEYED.match(text)
    text = text[keyed.end() :].strip() if keyed is not None else text.strip()
    bytes_ = text.startswith(("b'", 'b"'))
    text = text[1:] if bytes_ else text
    return (text[1:].removesuffix(text[0]) if text[:1] in ("'", '"') else text), bytes_


def _unescaped(text: str, bytes_: bool) -> str:
    def one(found: re.Match[str]) -> str:
        if found["bytes"]:
            raw = bytes.fromhex(found["bytes"].replace("\\x", ""))
            return raw.decode("utf-8" if bytes_ else "latin-1", "replace")
        code = found["code"] or found["long"]
        if code:
            return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else found[0]
        return _ONE.get(found["one"], found["one"])

    return _ESCAPES.sub(one, text)


def _json_text(text: str) -> str | None:
    found = parsed(text)
    rows = found if isinstance(found, list) else [found]
    said = [row if isinstance(row, str) else _message(row) for row in rows]
    texts = [one for one in said if one is not None]
    if not texts:
        return None
    return "".join(one if one.endswith("\n") else f"{one}\n" for one in texts)


def _message(row: object) -> str | None:
    if not isinstance(row, dict):
        return None
    texts = [row[key] for key in _TEXT_KEYS if isinstance(row.get(key), str)]
    return max(texts, key=lambda text: text.count("\n"), default=None)  # "command failed" beside what it printed
