from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diagnose.context import GOES_ON
from diagnose.reasoning import split
from diagnose.reasoning.runs import last_failed, shaping
from tests.reasoning.made import Mark


def test_an_input_without_a_start_is_one_run() -> None:
    (run,) = split([], 40)
    assert (run.first, run.last, run.ready) == (1, 40, None)


def test_the_second_banner_of_a_kind_begins_a_second_run() -> None:
    runs = split([(3, Mark("start")), (50, Mark("start"))], 90)
    assert [(r.first, r.last) for r in runs] == [(1, 49), (50, 90)]


def test_the_several_signs_of_one_start_are_one_run() -> None:
    runs = split([(3, Mark("start", "plugins")), (5, Mark("start", "banner")), (6, Mark("start", "args"))], 9)
    assert len(runs) == 1


def test_a_start_of_another_process_is_another_run() -> None:
    runs = split([(3, Mark("start", "banner", 7)), (5, Mark("start", "args", 8))], 9)
    assert [r.first for r in runs] == [1, 5]


def test_a_run_knows_when_it_was_up_and_when_it_was_asked_to_stop() -> None:
    marks = [(1, Mark("start")), (5, Mark("ready")), (9, Mark("stopping")), (11, Mark("stopped"))]
    (run,) = split(marks, 12)
    assert (run.ready, run.stopping, run.stopped) == (5, 9, 11)


def test_a_failure_is_recovered_only_by_a_later_start_that_came_up() -> None:
    marks = [(1, Mark("start")), (10, Mark("start")), (15, Mark("ready")), (20, Mark("start"))]
    runs = split(marks, 30)
    assert last_failed(runs, [5, None, None]) is None
    assert last_failed(runs, [5, None, 25]) == 2
    assert last_failed(runs[::2], [5, None]) == 0


def test_a_server_that_ran_already_when_another_failed_is_no_recovery_of_it() -> None:
    marks = [(1, Mark("start", "args", 7)), (10, Mark("start", "args", 8)), (15, Mark("ready", "server", 8))]
    runs = split(marks, 30)
    assert last_failed(runs, [12, None]) == 0
    assert last_failed(runs, [9, None]) is None


def test_a_server_that_comes_up_after_another_one_was_started_does_not_heal_the_other() -> None:
    starts = [(1, Mark("start", "args", 100)), (3, Mark("start", "args", 200))]
    first, second = split([*starts, (9, Mark("ready", "uvicorn", 100))], 12)
    assert (first.ready, second.ready) == (9, None)
    both = [*starts, (9, Mark("ready", "uvicorn", 100)), (11, Mark("ready", "uvicorn", 200))]
    assert [run.ready for run in split(both, 12)] == [9, 11]
    assert split(shaping(both), 12) == split(both, 12)
    assert split([*starts, (9, Mark("ready", "uvicorn", 205))], 12)[1].ready == 9


def test_what_every_child_process_prints_begins_no_run_before_a_stop() -> None:
    child = Mark("start", "platform@9", 99)
    failed = Mark("failed-header", "engine", 98)
    assert len(split([(1, Mark("start", "banner", 7)), (8, failed), (9, child)], 20)) == 1
    stopped = Mark("stopped", "uvicorn")
    assert len(split([(1, Mark("start", "banner", 7)), (8, stopped), (9, child)], 20)) == 2


@given(
    st.lists(
        st.tuples(
            st.integers(1, 200),
            st.sampled_from(["start", "ready", "stopping", "stopped"]),
            st.sampled_from(["banner", "args"]),
        )
    )
)
def test_every_line_belongs_to_exactly_one_run(raw: list[tuple[int, str, str]]) -> None:
    runs = split([(line, Mark(kind, key)) for line, kind, key in raw], 200)
    for line in range(1, 201):
        assert sum(run.holds(line) for run in runs) == 1


def test_an_input_that_goes_on_with_a_run_ends_it_at_the_first_start() -> None:
    before = [(0, mark) for mark in GOES_ON]
    cut = split([*before, (5, Mark("start", "args")), (9, Mark("ready"))], 10)
    assert [(r.first, r.last, r.ready) for r in cut] == [(1, 4, None), (5, 10, 9)]
    at_once = split([*before, (1, Mark("start", "args")), (9, Mark("ready"))], 10)
    assert [(r.first, r.last, r.ready) for r in at_once] == [(1, 10, 9)]
