"""A server that crashes and is restarted all night writes the same texts: read once, and told as if read again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose import meaning
from diagnose.analyzer import Analyzer, engine_for
from diagnose.context import facts, lifecycle
from diagnose.knowledge import load
from diagnose.matching import Matcher, is_error
from diagnose.meaning import LONGEST_TEXT, MAX_CHARS, MAX_TEXTS, Meaning, Meanings
from diagnose.model import Diagnosis, Match, Piece, Record, RecordKind
from diagnose.records import fingerprint_text
from tests.records.feeding import records_of
from tests.records.test_lane import the_long_way

KNOWLEDGE = load({})
ENGINE = engine_for(KNOWLEDGE)
MATCHER = Matcher(KNOWLEDGE, ENGINE)
FIXTURES = {
    path.name: path.read_text("utf-8") for path in sorted((Path(__file__).parents[1] / "fixtures").glob("*.log"))
}
RECORDS = [record for text in FIXTURES.values() for record in records_of(text)]


def straight(record: Record) -> Meaning:
    """What a record tells, worked out for it alone."""
    matches, error = MATCHER.match(record), is_error(record)
    template = fingerprint_text(record.text) if error and not matches else ""
    return Meaning(lifecycle(record), facts(record, KNOWLEDGE.parameters), matches, error, template)


def elsewhere(record: Record, line: int, pid: int | None, stamp: int) -> Record:
    """The same text on other lines, of another process, at another time."""
    pieces = tuple(Piece(p.start, p.line + line, p.offset + 91 * line) for p in record.pieces)
    time = record.time and re.sub(r"\d\d:\d\d:\d\d", f"{stamp // 60:02d}:{stamp % 60:02d}:07", record.time)
    return replace(record, pieces=pieces, pid=pid, time=time)


class Counting:
    """A matcher that counts the records it is asked about."""

    def __init__(self) -> None:
        self.asked = 0

    def match(self, record: Record) -> tuple[Match, ...]:
        self.asked += 1
        return MATCHER.match(record)


# --------------------------------------------------------------------------------------- one record


@given(
    st.lists(
        st.tuples(st.sampled_from(RECORDS), st.integers(0, 9), st.sampled_from([None, 7, 4242]), st.integers(0, 1439)),
        max_size=12,
    )
)
@settings(max_examples=150)
def test_any_records_tell_what_each_tells_by_itself(said: list[tuple[Record, int, int | None, int]]) -> None:
    meanings = Meanings(KNOWLEDGE, MATCHER)
    for place in [*said, *said]:
        record = elsewhere(*place)
        assert meanings(record) == straight(record)


@pytest.mark.parametrize(
    "changed",
    [
        {"level": "INFO"},
        {"writer": "ignored"},
        {"process": "APIServer"},
        {"source": "optimum_worker.py:241"},
        {"kind": RecordKind.RAW},
        {"time": "2026-11-29 08:07:35,001"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_the_same_text_said_otherwise_tells_something_else(changed: dict[str, object]) -> None:
    meanings = Meanings(KNOWLEDGE, MATCHER)
    for record in RECORDS:
        meanings(record)
    for record in RECORDS:
        other = replace(record, **changed)  # type: ignore[arg-type]
        assert meanings(other) == straight(other)


def test_a_text_is_read_twice_however_often_it_comes() -> None:
    matcher = Counting()
    meanings = Meanings(KNOWLEDGE, matcher)
    record = next(r for r in RECORDS if r.kind is RecordKind.EXCEPTION)
    found = [meanings(elsewhere(record, number, number, number)) for number in range(100)]
    assert matcher.asked == 2
    assert len({match.line for one in found for match in one.matches}) == 100


# ------------------------------------------------------------------------------------------- bounds


def said(text: str) -> Record:
    return Record(RecordKind.RAW, text, (Piece(0, 1, 0),))


def test_what_was_not_asked_for_lately_is_forgotten() -> None:
    matcher = Counting()
    meanings = Meanings(KNOWLEDGE, matcher)
    for number in range(4 * MAX_TEXTS):
        meanings(said(f"text {number}"))
        meanings(said("the same"))
        assert len(meanings) <= 2 * MAX_TEXTS
    assert matcher.asked == 4 * MAX_TEXTS + 2


def test_long_texts_are_fewer() -> None:
    meanings = Meanings(KNOWLEDGE, Counting())
    for number in range(MAX_TEXTS):
        meanings(said(f"{number} ".ljust(LONGEST_TEXT, "x")))
    assert len(meanings) * LONGEST_TEXT <= 2 * MAX_CHARS


def test_a_text_that_is_too_long_is_read_every_time() -> None:
    matcher = Counting()
    meanings = Meanings(KNOWLEDGE, matcher)
    for _ in range(3):
        meanings(said("x" * (LONGEST_TEXT + 1)))
    assert (matcher.asked, len(meanings)) == (3, 0)


# ------------------------------------------------------------------------------------ a whole crash loop


@contextmanager
def the_straight_way() -> Iterator[None]:
    """Every line and every record is read as if it were the first."""
    with the_long_way(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(meaning, "LONGEST_TEXT", -1)
        yield


def started_again(log: str, number: int, count: int) -> str:
    """``log`` as a later start writes it: other processes and times, and what is measured differs."""
    log = re.sub(r"pid=(\d+)", lambda found: f"pid={int(found[1]) + 7 * number}", log)
    log = re.sub(
        r" (\d\d):(\d\d):(\d\d)", lambda found: f" {(int(found[1]) + number) % 24:02d}:{found[2]}:{found[3]}", log
    )
    log = re.sub(r"mod_name=\w+", f"mod_name={number:06x}", log)
    return log.replace("only 12 blocks", f"only {count} blocks")


def diagnosed(log: str, all_runs: bool, piece: int) -> Diagnosis:
    analyzer = Analyzer(knowledge=KNOWLEDGE, engine=ENGINE, matcher=MATCHER, all_runs=all_runs)
    data = log.encode()
    for start in range(0, len(data), piece):
        analyzer.feed(data[start : start + piece])
    return analyzer.finish()


@given(
    st.sampled_from(
        ["kv-insufficient-vllm.log", "interleaved-workers.log", "recovered-restart.log", "vllm-killed.log"]
    ),
    st.lists(st.integers(4, 16), min_size=1, max_size=4),
    st.sampled_from(["", "healthy-serve.log", "korean-script.log"]),
    st.booleans(),
    st.sampled_from([4_096, 100_000]),
)
@settings(max_examples=12)
def test_any_crash_loop_is_diagnosed_as_if_every_run_were_the_first(
    name: str, counts: list[int], behind: str, all_runs: bool, piece: int
) -> None:
    log = "".join(started_again(FIXTURES[name], number, count) for number, count in enumerate(counts))
    log += FIXTURES.get(behind, "")
    found = diagnosed(log, all_runs, piece)
    with the_straight_way():
        assert found == diagnosed(log, all_runs, piece)


def test_what_a_run_says_as_the_one_before_is_not_worked_out_again() -> None:
    def asked(runs: int) -> int:
        matcher = Counting()
        analyzer = Analyzer(knowledge=KNOWLEDGE, engine=ENGINE, repair=False)
        analyzer._meaning = Meanings(KNOWLEDGE, matcher)
        log = FIXTURES["kv-insufficient-vllm.log"]
        analyzer.feed("".join(started_again(log, number, 12) for number in range(runs)).encode())
        analyzer.finish()
        return matcher.asked

    once = asked(1)
    assert asked(11) - once <= 10 * once // 4  # the names of modules differ
