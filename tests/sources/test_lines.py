"""One line of bytes to text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.sources import decode_line

_hangul = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=30)


@given(st.text())
def test_any_utf8_text_comes_back_without_nul_and_composed(text: str) -> None:
    got = decode_line(text.replace("\ufffd", "").encode("utf-8", "ignore"))
    wanted = text.replace("\ufffd", "").encode("utf-8", "ignore").decode().replace("\0", "")
    assert unicodedata.normalize("NFC", got) == unicodedata.normalize("NFC", wanted)
    assert got == wanted or any("\u1100" <= character <= "\u113f" for character in wanted)


@given(st.binary())
def test_any_bytes_give_text_without_nul(raw: bytes) -> None:
    assert "\0" not in decode_line(raw)


@given(_hangul)
def test_any_decomposed_hangul_is_composed(text: str) -> None:
    assert decode_line(("x " + unicodedata.normalize("NFD", text)).encode()) == "x " + text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("디바이스 메모리가 부족합니다".encode("cp949"), "디바이스 메모리가 부족합니다"),
        ("ERROR 똠방각하 펲시콜라".encode("cp949"), "ERROR 똠방각하 펲시콜라"),
        (b"caf\xe9 5\xb0", "caf\ufffd 5\ufffd"),
        ("메모리 부족".encode() + b"\xff tail", "메모리 부족\ufffd tail"),
        ("메모리 부족".encode()[:-1], "메모리 부\ufffd"),
        (b"a\0b\0", "ab"),
        ("가\0나".encode(), "가나"),
        ("가\0나".encode("cp949"), "가나"),
        (b"", ""),
        (b"tail\r", "tail\r"),
    ],
)
def test_a_line_is_read_in_its_own_encoding(raw: bytes, text: str) -> None:
    assert decode_line(raw) == text
