"""Bytes a log can be stored as, and damage that hides nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from random import Random

Encoding = Callable[[str, Random], "bytes | None"]


def utf16_le(text: str, r: Random) -> bytes | None:
    return ("\ufeff" + text).encode("utf-16-le")


def utf16_be(text: str, r: Random) -> bytes | None:
    return ("\ufeff" + text).encode("utf-16-be")


def utf16_le_unmarked(text: str, r: Random) -> bytes | None:
    return text.encode("utf-16-le")


def utf16_be_unmarked(text: str, r: Random) -> bytes | None:
    return text.encode("utf-16-be")


def utf32_le(text: str, r: Random) -> bytes | None:
    return ("\ufeff" + text).encode("utf-32-le")


def utf32_be(text: str, r: Random) -> bytes | None:
    return ("\ufeff" + text).encode("utf-32-be")


def utf8_marked(text: str, r: Random) -> bytes | None:
    return ("\ufeff" + text).encode()


def cp949(text: str, r: Random) -> bytes | None:
    try:
        return text.encode("cp949")
    except UnicodeEncodeError:
        return None


def decomposed(text: str, r: Random) -> bytes | None:
    """Hangul as macOS stores it in file names."""
    return unicodedata.normalize("NFD", text).encode()


def invalid_bytes(text: str, r: Random) -> bytes | None:
    """Broken characters on lines of their own, before and behind."""
    junk = [b"\xfa\x80\xff\n", b"\xc3\n", b"\xed\xa0\x80 \xf0\x9f\n"]
    return r.choice(junk) + text.encode() + r.choice(junk)


def nul_hole(text: str, r: Random) -> bytes | None:
    """A file that was cut under its writer."""
    return bytes(r.randint(1, 9000)) + text.encode()


def nul_ends(text: str, r: Random) -> bytes | None:
    """Lines that end as ``find -print0`` ends its names; fewer of them could be damage."""
    return text.replace("\n", "\0").encode() if text.strip("\n").count("\n") > 2 else None


def progress_bars(text: str, r: Random) -> bytes | None:
    bar = "".join(
        f"\rLoading shards:  {n}%|{'█' * (n // 10)} | {n}/100 [00:0{n % 9}<00:01, 9.13it/s]" for n in range(0, 101, 20)
    )
    return f"{bar}\n{text.rstrip()}\n{bar}\n".encode()


def bare_returns(text: str, r: Random) -> bytes | None:
    return text.rstrip("\n").replace("\n", "\r").encode() + b"\r"


def long_line(text: str, r: Random) -> bytes | None:
    """A line of a size that nobody can have typed, between two others."""
    return b"INFO 11-29 08:07:35 [core.py:1] " + b"0123456789abcdef " * 20_000 + b"\n" + text.encode()


ENCODINGS: dict[str, Encoding] = {
    one.__name__: one
    for one in (
        *(utf16_le, utf16_be, utf16_le_unmarked, utf16_be_unmarked, utf32_le, utf32_be, utf8_marked, cp949),
        *(decomposed, invalid_bytes, nul_hole, nul_ends, progress_bars, bare_returns, long_line),
    )
}
