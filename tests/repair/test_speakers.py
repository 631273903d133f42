"""Names of several programs before the lines of a text."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.metamorphic.named import NAMED
from diagnose.repair import SMALL_BYTES, shows_shape
from diagnose.repair.page import page_of
from diagnose.repair.speakers import MOST_NAMES, NEARLY_ALL, program_of, speakers

HEAD = "(EngineCore pid=7) INFO 11-29 08:07:35 [core.py:1] "


def told(*rows: str) -> list[str] | None:
    page = speakers(page_of("".join(f"{row}\n" for row in rows).encode()))
    return None if page is None else [row.text for row in page]


def lines(form: Callable[[str], str], *names: str, times: int = 4) -> list[str]:
    return [f"{form(name)}{HEAD}step {number}" for number in range(times) for name in names]


@pytest.mark.parametrize(
    "form",
    ["[{}] ", "{} | ", "0|{} | ", "{}: ", "{}.log:", "{}.log:12:", "12:00:01 {}.1 | ", "web-{}-0 server "],
)
def test_names_are_told_where_there_are_two_and_one_alone_is_none(form: str) -> None:
    two = told(*lines(form.format, "gpu", "npu"))
    assert two is not None
    assert len({row.partition(HEAD)[0] for row in two}) == 2
    assert all(row.startswith("[pod/") for row in two)
    assert told(*lines(form.format, "gpu", times=8)) is None


@pytest.mark.parametrize(
    "rows",
    [
        ["INFO: text", "WARNING: text"] * 5,
        ["[INFO] (EngineCore pid=7) text", "[ERROR] (EngineCore pid=7) text"] * 5,
        ["[vllm-rbln] INFO 11-29 08:07:35 [core.py:1] text", "[rank0] INFO 11-29 08:07:35 [core.py:1] text"] * 5,
        ["[rank0] INFO 11-29 08:07:35 [core.py:1] text", "[rank1] INFO 11-29 08:07:35 [core.py:1] text"] * 5,
        ["2026-11-29 08:07:35,123 INFO [rebel-compiler] a", "2026-11-29 08:07:35,123 WARNING [optimum.rbln] b"] * 5,
        ["model-0 engine started well", "model-1 engine started well"] * 5,
        ["(EngineCore pid=7) text", "(APIServer pid=8) text"] * 5,
        ["first: a word", "second: another one"] * 5,
    ],
)
def test_levels_loggers_ranks_processes_and_sentences_are_no_names(rows: list[str]) -> None:
    assert told(*rows) is None


def test_names_that_stand_before_too_few_of_the_lines_are_none() -> None:
    named = lines("[{}] ".format, "gpu", "npu", times=50)
    free = round(len(named) * (1 - NEARLY_ALL))
    assert told(*named, *["no name"] * (free - 1)) is not None
    assert told(*named, *["no name"] * (free + 2)) is None


def test_more_names_than_programs_run_side_by_side_are_none() -> None:
    names = [f"n{number}" for number in range(MOST_NAMES + 1)]
    assert told(*lines("[{}] ".format, *names[:-1])) is not None
    assert told(*lines("[{}] ".format, *names)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("server.log", "server.log.1"),
        ("server.out", "server.err"),
        ("logs/stdout.log", "logs/stderr.log"),
        ("server-stdout.log", "server-stderr.log"),
        ("server-2026-11-28.log", "server-2026-11-29.log"),
    ],
)
def test_the_files_of_one_program_are_one(one: str, other: str) -> None:
    assert program_of(one) == program_of(other)
    rows = told(*lines("{}:".format, one, other))
    assert rows is not None
    assert all(row.startswith(HEAD) for row in rows)


@pytest.mark.parametrize(("one", "other"), [("chat.log", "code.log"), ("a/server.log", "b/server.log"), ("n1", "n2")])
def test_the_files_of_two_programs_are_two(one: str, other: str) -> None:
    assert program_of(one) != program_of(other)


def test_a_large_log_of_several_programs_shows_it() -> None:
    rows = lines("[{}] ".format, "gpu", "npu", times=SMALL_BYTES // 60)
    data = "".join(f"{row}\n" for row in rows).encode()
    assert len(data) > SMALL_BYTES
    assert shows_shape(data, troubled=False)


@given(st.sampled_from(NAMED), st.lists(st.sampled_from([HEAD, "  File", "", "a: b", "--", "\x1b[1mx"]), max_size=20))
@settings(max_examples=60)
def test_any_named_text_keeps_its_rows_and_their_places(form: Callable[..., str], rows: list[str]) -> None:
    one = form("".join(f"{row}\n" for row in rows), random.Random(1))
    page = page_of((one + one.replace("chat", "code").replace("gpu", "npu").replace("a.log", "b.log")).encode())
    found = speakers(page)
    assert found is None or [row.marks for row in found] == [row.marks for row in page]
