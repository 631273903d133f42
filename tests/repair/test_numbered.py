"""The line numbers of a viewer come off before anything is judged; other numbers at the beginning of lines stay."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metamorphic.judging import essence
from bench.metamorphic.numbering import NUMBERED, Change
from diagnose import diagnose_bytes
from diagnose.repair import SMALL_BYTES, shows_shape
from diagnose.repair.numbered import LEAST_ROWS, few_numbered, numbered
from tests.repair.kit import of, rows

FIXTURES = Path(__file__).parents[2] / "fixtures"
FEW = ("recovered-restart", "vllm-block-size-required", "korean-script")
FORMS = (
    *("{}: ", "{}:", "{:04d}: ", "{}\t", "{:6d}\t", "{:6d}  ", "{:4d} │ ", "{:4d}   │ ", "{} | ", "{}|", "L{}: "),
    *("L{} ", "line {}: ", "#{} ", "[{}] ", "({}) ", "{}) ", "{}. ", "{}- ", "{:>6}→"),
)
LINES = st.text(st.sampled_from("ab 12:.|│>(-"), max_size=12)


@cache
def told(text: str) -> tuple[Any, list[str | None]]:
    found = diagnose_bytes(text.encode())
    return essence(found), [one.process for one in found.findings]


@pytest.mark.parametrize("change", NUMBERED, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", FEW)
def test_a_log_with_line_numbers_gives_the_diagnosis_of_the_log(name: str, change: Change) -> None:
    text = (FIXTURES / f"{name}.log").read_text("utf-8")
    assert told(change(text, Random(name))) == told(text)


@given(st.lists(LINES, min_size=LEAST_ROWS), st.sampled_from(FORMS), st.integers(0, 5000))
def test_any_lines_with_numbers_in_any_form_are_the_lines(lines: list[str], form: str, first: int) -> None:
    lines = ["INFO", "(a)", *lines]  # what all lines begin with may be the viewer's
    page = of("".join(f"{form.format(number)}{line}\n" for number, line in enumerate(lines, first)))
    bare = numbered(page)
    assert bare is not None
    assert [row.text if row.text.strip() else "" for row in bare] == [line if line.strip() else "" for line in lines]


def test_the_box_around_the_lines_goes_with_the_numbers() -> None:
    rule = "─" * 20
    page = of(
        f"$ bat a.log\n───────┬{rule}\n       │ File: a.log\n───────┼{rule}\n"
        f"   1   │ Trace\n   2   │   File x\n       │ goes on\n   3   │\n   4   │ Error: y\n───────┴{rule}\n"
    )
    assert rows(numbered(page)) == "$ bat a.log\nTrace\n  File x\ngoes on\n\nError: y\n"


def test_a_box_tells_that_the_number_of_one_line_is_a_viewers() -> None:
    rule = "─" * 20
    page = of(f"───────┬{rule}\n       │ File: a.log\n───────┼{rule}\n   1   │ Error: y\n───────┴{rule}\n")
    assert rows(numbered(page)) == "Error: y\n"


def test_numbers_of_two_parts_of_a_file_come_off() -> None:
    parts = [*range(1, 12), *range(480, 492)]
    assert rows(numbered(of("".join(f"{n} | a\n" for n in parts)))) == "a\n" * len(parts)


@pytest.mark.parametrize(
    "lines",
    [
        [f"[{812 + n:6d}.{n:06d}] npu0: reset" for n in range(9)],  # a kernel's clock
        [f"{n}.{n:06d} step" for n in range(9)],  # seconds
        [f"{n}/9 shards" for n in range(9)],
        [f"{n}% done" for n in range(9)],
        [f"{n}GiB used" for n in range(9)],
        [f"08:07:{n:02d} INFO ready" for n in range(9)],
        [f"{n * 16} | blocks" for n in range(9)],  # a table
        [f"[{n}) x" for n in range(9)],
        [f"L{n} x" if n % 2 else f"{n} x" for n in range(9)],
        ["INFO a", "1: x", "2: y", "3: z", "INFO b", "INFO c"],  # a list in a log
        ["1: x", "INFO a", "2: y", "3: z", "4: x", "5: y", "6: z"],
    ],
    ids=lambda lines: lines[1],
)
def test_other_numbers_stay(lines: list[str]) -> None:
    assert numbered(of("\n".join(lines) + "\n")) is None


def test_before_one_line_a_number_is_a_guess() -> None:
    page = of("L12: ValueError: x\n")
    assert numbered(page) is None
    assert rows(few_numbered(page)) == "ValueError: x\n"


def test_a_large_text_shows_its_numbers() -> None:
    count = SMALL_BYTES // 40
    log = [f"INFO 11-29 08:07:01 [loader.py:{n % 7}] shard {'x' * (n % 40 + 20)} read" for n in range(count)]
    assert shows_shape("".join(f"{n:6d} │ {line}\n" for n, line in enumerate(log, 1)).encode(), troubled=False)
    assert not shows_shape("".join(f"{line}\n" for line in log).encode(), troubled=False)


@pytest.mark.parametrize("form", ["{:6d}  {}", "{}: {}", "{:04d}: {}"])
def test_no_blank_of_the_viewer_is_left_before_two_lines(form: str) -> None:
    text = "ValidationError: 1 validation error for VllmConfig\n  Assertion failed,  [type=assertion_error]\n"
    log = "".join(f"{form.format(number, line)}\n" for number, line in enumerate(text.splitlines(), 1))
    assert [f.entry for f in diagnose_bytes(log.encode()).findings] == ["config.assertion-without-text"]
