"""Panes of a terminal side by side are two programs, each whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.repair.panes import LEAST_ROWS, panes
from tests.repair.kit import of, rows
from tests.test_servers import failure, lengths, start, up


def beside(left: list[str], right: list[str], width: int) -> str:
    """What tmux shows of two programs, each broken at ``width`` columns."""
    cut = [[line[at : at + width] for line in side for at in range(0, len(line), width)] for side in (left, right)]
    most = max(map(len, cut))
    both = ([*side, *[""] * (most - len(side))] for side in cut)
    return "".join(f"{one:{width}}│{other}\n" for one, other in zip(*both, strict=True))


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_failure_is_computed_with_the_numbers_of_its_own_pane(width: int) -> None:
    chat, code = start(10, 262_144, 16_384) + failure(10), start(10, 131_072, 8_192) + up(10)
    for sides in ((chat, code), (code, chat)):
        found = diagnose_bytes(beside(*sides, width).encode())
        assert lengths(found) == [(262_144, 11 * 16_384)]


def test_two_failures_side_by_side_are_two() -> None:
    chat, code = start(10, 262_144, 16_384) + failure(10), start(10, 131_072, 8_192) + failure(10, 9)
    found = diagnose_bytes(beside(chat, code, 100).encode())
    assert sorted(lengths(found)) == [(131_072, 8 * 8_192), (262_144, 11 * 16_384)]


LINES = [f"(APIServer pid=10) INFO 11-29 08:01:0{n} [core.py:1] step {n * n * 77}" for n in range(LEAST_ROWS)]


@given(st.permutations(LINES), st.permutations(LINES), st.integers(70, 140))
@settings(max_examples=25)
def test_any_two_panes_come_apart_whole(left: list[str], right: list[str], width: int) -> None:
    found = rows(panes(of(beside(left, right, width))))
    assert found == "".join(
        f"[pod/{name}] {line}\n" for name, side in (("left", left), ("right", right)) for line in side
    )


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"gpu  │ {line}\n" for line in LINES),  # the name of a program
        "".join(f"│ {n} │ {line} │\n" for n, line in enumerate(LINES)),  # a table
        "".join(f"{'x' * n} │ {line}\n" for n, line in enumerate(LINES, 3)),  # no column
        "".join(f"folder {n}  │ file {n * 7}\n" for n in range(9)),  # nobody's log
        "".join(f"{line}\n" for line in LINES),
    ],
)
def test_other_bars_are_no_panes(text: str) -> None:
    assert panes(of(text)) is None


def test_fewer_rows_prove_nothing() -> None:
    short = LINES[: LEAST_ROWS - 1]
    assert panes(of(beside(short, short, 80))) is None
    assert panes(of(beside(LINES, LINES, 80))) is not None
