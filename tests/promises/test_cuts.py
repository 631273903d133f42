"""The diagnosis depends on the bytes alone: cut anywhere, into single bytes, or read by the other engine."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import load
from diagnose.model import Diagnosis

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.log"))


@lru_cache(maxsize=1)
def tools() -> Any:
    knowledge = load()
    return knowledge, engine_for(knowledge, "hyperscan"), engine_for(knowledge, "standard")


def diagnosed(pieces: list[bytes], engine: int = 1) -> Diagnosis:
    analyzer = Analyzer(name="log", knowledge=tools()[0], engine=tools()[engine])
    for piece in pieces:
        analyzer.feed(piece)
    return analyzer.finish()


@cache
def whole(path: Path) -> Diagnosis:
    return diagnosed([path.read_bytes()])


def test_there_are_fixtures_and_each_one_is_told_apart() -> None:
    assert len(FIXTURES) >= 20
    assert {whole(path).outcome for path in FIXTURES} == {"diagnosed", "unknown", "healthy"}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.name)
def test_single_bytes_give_the_same_diagnosis(path: Path) -> None:
    data = path.read_bytes()
    assert diagnosed([data[i : i + 1] for i in range(len(data))]) == whole(path)


@settings(max_examples=150)
@given(st.data())
def test_any_cut_gives_the_same_diagnosis(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(FIXTURES))
    raw = path.read_bytes()
    places = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=12)))
    pieces = [raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True)]
    assert diagnosed(pieces) == whole(path)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.name)
def test_both_engines_give_the_same_diagnosis(path: Path) -> None:
    assert diagnosed([path.read_bytes()], engine=2) == whole(path)


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=200), max_size=8))
def test_no_bytes_make_it_fail(pieces: list[bytes]) -> None:
    assert diagnosed(pieces).outcome in ("healthy", "unknown", "diagnosed")


@settings(max_examples=40)
@given(st.data())
def test_holes_and_invalid_bytes_in_a_log_do_not_hide_its_root(data: st.DataObject) -> None:
    path = next(p for p in FIXTURES if p.name == "kv-insufficient-vllm.log")
    lines = path.read_bytes().splitlines(keepends=True)
    place = data.draw(st.integers(0, 40))
    junk = data.draw(st.sampled_from([b"\x00\x00\x00\n", b"\xfa\xfb\xc0\n", b"progress 1%\rprogress 2%\r\n"]))
    found = diagnosed([b"".join([*lines[:place], junk, *lines[place:]])])
    assert found.findings[0].entry == whole(path).findings[0].entry
    assert found.findings[0].line == whole(path).findings[0].line + 1
