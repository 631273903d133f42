r"""Signs that were escaped for Markdown: ``max\_seq\_len``, ``\[core.py:12\]``, ``\*``, and line ends as ``\``.

CommonMark takes a backslash before any ASCII punctuation for an escape. What one converter escapes another leaves, but
each is at one with itself: from the first escape of a row on, a sign is escaped wherever it stands. That is what tells
an escape from a backslash of the log, which stands before a few signs and before letters.
"""

from __future__ import annotations

from diagnose.late import late
from diagnose.repair.page import Page, replaced

MOST = 0.8
"""Share of a sign's places at which it must be escaped: what stands in code between words of a chat is not."""
MANY = 2
"""Signs that must be escaped when none of them stands in a word: regular expressions escape one."""
_SIGNS = r"`*_{}\[\]()#+\-.!<>|~=$&"
"""What means something in one of the dialects. A quote means nothing in any: its backslash is a string's."""
_SIGN = late(rf"\\([{_SIGNS}])")
_ESCAPED = late(rf"\\([\\{_SIGNS}])")
_PAIRS = {"]": "[", ")": "(", "}": "{", ">": "<"}
_IN_NAME = late(r"\w\\_(?:\w|\\_)|(?:^|[\s'\"`(=])\\_\w")
_IN_WORD = late(r"\w\\[.-]\w|\w\\[.!]\s*$")
"""In a word and at the end of a sentence."""
_PAIR = late(
    r"\\\[[^\\]+\\\]|\\\([^\\]+\\\)|\\<[^\\]+\\>|\\<(?:class|function|module) |<(?:class|function|module) [^\\<>]+\\>"
    r"|(?:\\\.){3}"
)
r"""Words between two of a kind (``\[Errno 2\]``, ``\(char 0\)``, ``\<class 'str'>``), and ``\.\.\.``."""
_BEFORE_LETTERS = late(r"(?<!\\)(?:\\\\)*\\[A-Za-z0-9]")
"""A path of Windows, a class of a regular expression, a line end that was written out."""


def backslashes(page: Page) -> Page | None:
    """The signs without their backslashes, where a row shows beyond doubt that they were escaped."""
    rows = [row.text for row in page if "\\" in row.text]
    return _unescaped(page, rows) if any(map(_is_escaped, rows)) else None


def few_backslashes(page: Page) -> Page | None:
    """The same without a proof: no more than a guess."""
    rows = [row.text for row in page if "\\" in row.text]
    return _unescaped(page, rows) if any(map(_SIGN.search, rows)) else None


def _is_escaped(text: str) -> bool:
    first = _SIGN.search(text)
    if first is None:
        return False
    tail = text[first.start() :]
    found = {one[1] for one in _SIGN.finditer(tail)}
    found = {sign for sign in found if tail.count(f"\\{sign}") >= MOST * tail.count(sign)}
    if "_" in found and _IN_NAME.search(text):
        return True
    if _BEFORE_LETTERS.search(text):
        return False
    if len({_PAIRS.get(sign, sign) for sign in found}) >= MANY:
        return True
    return bool(found) and (_IN_WORD.search(text) is not None or _PAIR.search(text) is not None)


def _unescaped(page: Page, rows: list[str]) -> Page:
    # Where a backslash stands before letters, the log's own were left alone.
    undo = _SIGN if any(map(_BEFORE_LETTERS.search, rows)) else _ESCAPED

    def change(text: str) -> str:
        return undo.sub(lambda found: found[1], text)

    return [replaced(row, change) if "\\" in row.text else row for row in page]


def breaks(page: Page) -> Page | None:
    r"""Line ends kept as ``\`` at the end of every row but the last of a block."""
    filled = [row for row in page if row.text.strip()]
    ended = sum(row.text.endswith("\\") for row in filled)
    if len(filled) < MANY or ended < MOST * (len(filled) - 1):
        return None
    return [row.keep(len(row.text) - 1) if row.text.endswith("\\") else row for row in page]
