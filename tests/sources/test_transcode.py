"""Streams in UTF-16 and with byte order marks."""

from __future__ import annotations

import codecs
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.sources import Transcoder

LOG = "INFO 11-29 12:00:00 [core.py:1] 시작합니다\r\nValueError: 메모리 부족 4096\r\n" * 60


def run(feeds: list[bytes]) -> bytes:
    transcoder = Transcoder()
    return b"".join([transcoder.feed(feed) for feed in feeds] + [transcoder.finish()])


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", [True, False])
@pytest.mark.parametrize("text", [LOG, LOG[:30], "x\n"])
def test_utf16_becomes_utf8_with_and_without_a_mark(code: str, mark: bool, text: str) -> None:
    data = (("\ufeff" if mark else "") + text).encode(code)
    assert run([data]) == text.encode()
    assert run([data[index : index + 1] for index in range(len(data))]) == text.encode()


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=100).map(lambda text: text.encode("utf-16", "ignore")),
        st.text(st.characters(max_codepoint=0x7F), max_size=100).map(lambda text: text.encode("utf-16-le")),
        st.binary(max_size=40).map(lambda raw: b"\0" * 4090 + raw),
    ),
    st.lists(st.integers(0, 5000), max_size=8),
)
def test_any_cut_gives_the_same(data: bytes, places: list[int]) -> None:
    assert run(cut(data, places)) == run([data])


@given(st.binary(max_size=300))
def test_any_bytes_without_nul_pass_untouched(data: bytes) -> None:
    data = data.replace(b"\0", b"")
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = b"x" + data
    assert run([data]) == data


@pytest.mark.parametrize("junk", [b"\xff\xfe\n", b"\xff\xfe\xfa junk\n", b"\xfe\xff\n", b"\xfe\xff\x80?\r\n"])
@pytest.mark.parametrize("text", [LOG, LOG[:40], "ValueError: x\n", "값이 잘못되었습니다 그리고 끝\n"])
def test_a_first_line_that_begins_like_a_mark_makes_no_utf16_of_a_log(junk: bytes, text: str) -> None:
    data = junk + text.encode()
    assert run([data]) == data
    assert run([data[index : index + 1] for index in range(len(data))]) == data


@given(st.text(st.sampled_from("가힣모델 값\n12abé漢—"), max_size=200), st.sampled_from(["le", "be"]))
def test_a_mark_before_any_text_of_a_log_is_believed(text: str, order: str) -> None:
    assert run([("\ufeff 1" + text).encode(f"utf-16-{order}")]) == f" 1{text}".encode()
    assert run([("\ufeff" + text).encode(f"utf-32-{order}")]) == text.encode()


def test_a_utf8_mark_is_taken_off() -> None:
    assert run([b"\xef", b"\xbb\xbf", b"x\n"]) == b"x\n"
    assert run([b"\xef\xbb"]) == b"\xef\xbb"


def test_a_log_that_begins_with_a_hole_of_nul_bytes_is_no_utf16() -> None:
    data = b"\0" * 10_001 + LOG.encode()
    assert run([data]) == data


def test_a_plain_log_is_not_held_back() -> None:
    assert Transcoder().feed(b"INFO 11-29 12:00:00 [core.py:1] a line of more than sixty-four bytes\n") != b""


def test_half_a_unit_at_the_end_is_replaced() -> None:
    assert run(["\ufeffab".encode("utf-16-le") + b"c"]) == "ab\ufffd".encode()


def test_large_blocks_pass_without_a_copy() -> None:
    transcoder = Transcoder()
    transcoder.feed(LOG.encode())
    block = LOG.encode()
    assert transcoder.feed(block) is block


def mixed(wide: str, tail: str, order: str = "le") -> bytes:
    return ("\ufeff" + wide).encode(f"utf-16-{order}") + tail.encode()


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("wide", [LOG, LOG[:30] + "\n", "PS> .\\start.ps1\r\n", "no line end", "끝 값\n"])
@pytest.mark.parametrize("tail", [LOG, "ValueError: 메모리 부족\n", "x" * 40 + " y" * 40, "a short end\r\n"])
def test_what_another_program_appended_in_single_bytes_is_read_as_such(order: str, wide: str, tail: str) -> None:
    data = mixed(wide, tail, order)
    assert run([data]) == (wide + tail).encode()
    assert run([data[index : index + 1] for index in range(len(data))]) == (wide + tail).encode()


@given(
    st.lists(
        st.sampled_from(
            ["INFO 1 ready\n", "값이 없음\n", "日本語中文文本" * 9 + "\n", "漢字" * 40 + "\n", "漢字" * 30]
        ),
        max_size=6,
    ),
    st.lists(st.sampled_from(["ValueError: bad 1\n", "오류 값 3\n", "\x1b[31mred\x1b[0m text\r\n"]), max_size=9),
    st.lists(st.integers(0, 3000), max_size=8),
    st.sampled_from(["le", "be"]),
)
def test_any_cut_of_any_mixture_gives_the_same(wide: list[str], tail: list[str], places: list[int], order: str) -> None:
    data = mixed("start 1\n" + "".join(wide), "".join(tail), order)
    assert run(cut(data, places)) == run([data])
    if (not wide or wide[-1].endswith("\n")) and len("".join(tail).encode()) >= 64:
        assert run([data]) == ("start 1\n" + "".join(wide) + "".join(tail)).encode()


@given(st.lists(st.sampled_from(["日本語中文文本" * 20, "漢字" * 90, "모델값없음가" * 20, "x 1\n", "\n"]), max_size=12))
def test_no_text_in_utf16_is_taken_for_single_bytes(parts: list[str]) -> None:
    text = "1 " + "".join(parts)
    for order in ("le", "be"):
        assert run([("\ufeff" + text).encode(f"utf-16-{order}")]) == text.encode()


def test_a_place_behind_what_was_appended_is_its_place_in_the_file() -> None:
    wide, tail = "INFO 값 1\r\n" * 5, "ValueError: bad value of a setting, and what follows\n" * 3
    data = mixed(wide, tail)
    transcoder = Transcoder()
    text = transcoder.feed(data) + transcoder.finish()
    for number, start in ((4, 3), (7, 6)):
        offset = sum(len(line) for line in text.splitlines(keepends=True)[:start])
        expected = 2 + 2 * len("INFO 값 1\r\n") * min(start, 5) + len(tail) // 3 * max(start - 5, 0)
        assert transcoder.moves and transcoder.offset(number, offset) == expected
