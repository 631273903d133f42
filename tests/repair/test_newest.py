"""A text with its newest line first is read from the oldest on; a text in order, or in none, stays as it is."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metamorphic import collectors
from bench.metamorphic.escapes import NEWEST_FIRST
from diagnose import diagnose_bytes
from diagnose.repair.newest import newest_first
from diagnose.repair.page import Page, page_of

FIXTURES = Path(__file__).parents[2] / "fixtures"


def texts(page: Page | None) -> list[str] | None:
    return None if page is None else [row.text for row in page]


def turned(*lines: str) -> list[str] | None:
    return texts(newest_first(page_of("".join(f"{line}\n" for line in lines).encode())))


def at(second: int) -> str:
    return f"2026-11-29T08:{second // 60:02d}:{second % 60:02d}.000Z"


@given(st.lists(st.integers(0, 3599), min_size=3, max_size=40))
def test_any_log_in_order_stays_and_any_that_runs_backwards_is_turned(seconds: list[int]) -> None:
    rows = [f"{at(second)} line {n}" for n, second in enumerate(sorted(seconds))]
    assert turned(*rows) is None
    if len(set(seconds)) > 2:
        assert turned(*reversed(rows)) == rows


@given(st.permutations(range(12)))
def test_any_log_in_no_order_stays(order: list[int]) -> None:
    rows = [f"{at(n)} line" for n in [0, *(n + 1 for n in order), 13]]
    assert turned(*rows) is None


@pytest.mark.parametrize(
    "rows",
    [
        ["INFO 12-31 23:59:58 [a.py:1] a", "INFO 12-31 23:59:59 [a.py:1] b", "INFO 01-01 00:00:00 [a.py:1] c"],
        ["INFO 12-31 23:59:59 [a.py:1] a", "INFO 12-31 23:59:59 [a.py:1] b", "INFO 01-01 00:00:00 [a.py:1] c"],
        [f"{at(5)} worker 1", f"{at(4)} worker 0"],
        ["no time", "at all", "in any line"],
    ],
    ids=["rise and new year", "new year", "two processes", "no times"],
)
def test_a_single_fall_is_no_order(rows: list[str]) -> None:
    assert turned(*rows) is None


def test_the_lines_of_one_entry_stay_in_order() -> None:
    entry = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "ValueError: x"]
    rows = [f"{at(9)} last", f"{at(8)} {entry[0]}", *entry[1:], f"{at(7)} first", f"{at(6)} start"]
    assert turned(*rows) == [f"{at(6)} start", f"{at(7)} first", f"{at(8)} {entry[0]}", *entry[1:], f"{at(9)} last"]


def test_rows_of_one_moment_stay_in_the_order_a_traceback_among_them_has() -> None:
    entry = [f"{at(8)} Traceback (most recent call last):", f'{at(8)}   File "a.py", line 1, in f', f"{at(8)} E: x"]
    ends, begins = f"{at(9)} last", [f"{at(6)} start", f"{at(7)} first"]
    assert turned(ends, *entry, *reversed(begins)) == [*begins, *entry, ends]
    assert turned(ends, *reversed(entry), *reversed(begins)) == [*begins, *entry, ends]


@pytest.mark.parametrize("change", NEWEST_FIRST, ids=lambda change: change.__name__)
def test_causes_and_echoes_stand_on_the_lines_of_the_file(change: collectors.Change) -> None:
    plain = (FIXTURES / "kv-insufficient-vllm.log").read_text()
    data = change(plain, Random(1))
    found, said = diagnose_bytes(data.encode()), diagnose_bytes(plain.encode())
    assert [f.entry for f in found.findings] == [f.entry for f in said.findings]
    assert [f.numbers for f in found.findings] == [f.numbers for f in said.findings]
    lines = data.splitlines()
    for one in found.findings:
        assert "Insufficient memory for the required KV cache" in lines[one.line - 1]
        assert all(echo.line < one.line for echo in one.consequences if echo.entry == "engine.init-failed")
