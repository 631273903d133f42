"""Engines: the same answers from each."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import InputError
from diagnose.scan import STRUCTURAL, make_engine
from diagnose.scan.engine import Engine, variants
from diagnose.scan.small import SEARCHED_BYTES, SmallEngine

WORDS = ("ab", "abc", "bca", "c\n", "\na", "가나", "나", "a.b", "(", "ab", "\nca\n", "*", "xx\r\n")
_text = st.lists(st.sampled_from([*"abc가나.(*x \r", "\n", "abc", "ca\n"]), max_size=60).map("".join)


def lines_of(data: bytes, ends: list[int]) -> set[int]:
    return {data.count(b"\n", 0, end - 1) for end in ends}


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), _text, st.sampled_from(["utf-8", "cp949"]))
def test_the_engines_agree_on_any_text_and_part_of_it(words: list[str], text: str, code: str) -> None:
    data = text.encode(code)
    fast, plain, small = make_engine(words, "hyperscan"), make_engine(words, "standard"), make_engine(words)
    assert (fast.name, plain.name) == ("hyperscan", "standard")
    assert fast.which(data) == plain.which(data) == small.which(data)
    assert lines_of(data, fast.find(data)) == lines_of(data, plain.find(data)) == lines_of(data, small.find(data))
    start, end = len(data) // 4, len(data) // 2
    for engine in (fast, small):
        assert lines_of(data, engine.find(data, start, end)) == lines_of(data, plain.find(data, start, end))


def test_a_small_search_needs_no_engine_and_a_larger_one_builds_it_once() -> None:
    built: list[Mapping[bytes, tuple[int, ...]]] = []

    def build(table: Mapping[bytes, tuple[int, ...]]) -> Engine:
        built.append(table)
        return make_engine(["BOOM", "나"], "standard")

    engine = SmallEngine(["BOOM", "나"], build)
    assert engine.find(b"a BOOM BOOM") == [6, 11] and engine.which(b"BOOM") == {0} and not built
    assert engine.find(b" " * SEARCHED_BYTES + b"BOOM") == [SEARCHED_BYTES + 4]
    assert engine.which(b"calm") == set()
    assert built == [{b"BOOM": (0,)} | dict.fromkeys(variants("나"), (1,))]


@given(st.lists(st.sampled_from(WORDS), max_size=8), _text)
def test_which_holds_every_literal_of_any_text_and_no_other(words: list[str], text: str) -> None:
    expected = {index for index, word in enumerate(words) if word in text}
    for prefer in (None, "hyperscan", "standard"):
        assert make_engine(words, prefer).which(text.encode()) == expected


@given(st.lists(st.sampled_from(WORDS), max_size=8), _text)
def test_find_reaches_every_line_that_holds_a_literal(words: list[str], text: str) -> None:
    data = text.encode()
    expected = set()
    for word in words:
        form, start = word.encode(), 0
        while (start := data.find(form, start)) >= 0:
            expected.add(data.count(b"\n", 0, start + len(form) - 1))
            start += 1
    for prefer in (None, "hyperscan", "standard"):
        ends = make_engine(words, prefer).find(data)
        assert ends == sorted(ends)
        assert lines_of(data, ends) == expected


def test_a_slice_of_a_block_can_be_searched_in_place() -> None:
    block = b"BOOM calm\nBOOMBOOM"
    for prefer in (None, "hyperscan", "standard"):
        engine = make_engine(["BOOM", "a longer literal"], prefer)
        assert engine.find(block, 1)[0] == 14
        assert engine.find(block, 1, 13) == []
        assert engine.find(block, 0, 13) == [4]


def test_korean_is_found_in_utf8_cp949_and_decomposed() -> None:
    import unicodedata

    for prefer in (None, "hyperscan", "standard"):
        engine = make_engine(["메모리 부족"], prefer)
        text = "디바이스 메모리 부족 오류"
        for raw in (text.encode(), text.encode("cp949"), unicodedata.normalize("NFD", text).encode()):
            assert engine.which(raw) == {0}
            assert engine.find(raw)


@pytest.mark.parametrize("literal", ["", "\n", "a\nb", "\n\n"])
def test_a_literal_that_spans_lines_is_refused(literal: str) -> None:
    with pytest.raises(ValueError, match="within one line"):
        variants(literal)


def test_without_literals_nothing_is_found() -> None:
    engine = make_engine([])
    assert engine.find(b"anything") == [] and engine.which(b"anything") == set()


def test_hyperscan_is_taken_where_it_is_and_its_absence_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_engine(STRUCTURAL).name == "hyperscan"
    assert make_engine(STRUCTURAL, "").name == "hyperscan"
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    assert make_engine(STRUCTURAL).name == "standard"
    with pytest.raises(InputError) as raised:
        make_engine(STRUCTURAL, "hyperscan")
    assert "pip install hyperscan" in raised.value.message.en


def test_compiled_literals_are_kept_and_read_again(tmp_path: Path) -> None:
    first = make_engine(["BOOM", "BAM"], "hyperscan", tmp_path)
    (kept,) = tmp_path.iterdir()
    again = make_engine(["BOOM", "BAM"], "hyperscan", tmp_path)
    assert first.find(b"a BOOM") == again.find(b"a BOOM") == [6] and again.which(b"BAM") == {1}
    assert list(tmp_path.iterdir()) == [kept]
    make_engine(["BOOM", "other"], "hyperscan", tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("harm", [b"", b"x", b"0" * 64 + b"\nhalf"])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, harm: bytes) -> None:
    make_engine(["BOOM"], "hyperscan", tmp_path)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(harm)
    assert make_engine(["BOOM"], "hyperscan", tmp_path).find(b"BOOM") == [4]
    assert kept.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    assert make_engine(["BOOM"], "hyperscan", tmp_path / "file").find(b"BOOM") == [4]


def test_an_unknown_engine_is_the_persons_mistake() -> None:
    with pytest.raises(InputError) as raised:
        make_engine(STRUCTURAL, "grep")
    assert "RBLN_DIAGNOSE_ENGINE" in raised.value.message.ko and "\n" not in raised.value.message.en


def test_every_structural_literal_is_a_literal_and_none_is_there_twice() -> None:
    assert all(variants(literal) for literal in STRUCTURAL)
    assert len(set(STRUCTURAL)) == len(STRUCTURAL)
