"""One line of bytes to text, without ever failing."""

from __future__ import annotations

_SYLLABLES = ("가", "힣")
_LEADING_JAMO = b"\xe1\x84"
"""How U+1100–U+113F begin in UTF-8. A decomposed syllable always begins with one of U+1100–U+1112."""


def _hangul(text: str) -> int:
    first, last = _SYLLABLES
    return sum(first <= character <= last for character in text)


def _decode_other(raw: bytes) -> str:
    """Bytes that are not valid UTF-8: CP949 where that gives Hangul, else UTF-8 with replacements.

    A UTF-8 line with a few broken bytes in it (two processes wrote at once) is often valid CP949 too, as
    nonsense. It stays UTF-8 while more Hangul came out of it than replacement characters.
    """
    replaced = raw.decode("utf-8", "replace")
    if _hangul(replaced) > replaced.count("\ufffd"):
        return replaced
    try:
        korean = raw.decode("cp949")
    except UnicodeDecodeError:
        return replaced
    return korean if _hangul(korean) else replaced


def decode_line(raw: bytes) -> str:
    """Text of one line: UTF-8, else CP949, else UTF-8 with U+FFFD; NUL bytes removed; Hangul composed.

    A file that came from macOS may hold conjoining Jamo; then the line is brought to NFC, so that it compares
    with the knowledge base, which is NFC.
    """
    if raw.isascii():
        text = raw.decode("ascii")
        return text.replace("\0", "") if "\0" in text else text
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = _decode_other(raw.replace(b"\0", b""))
    if "\0" in text:
        text = text.replace("\0", "")
    if _LEADING_JAMO in raw:
        import unicodedata

        text = unicodedata.normalize("NFC", text)
    return text
