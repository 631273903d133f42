"""D. What was there before the first start: its last run is listed, whatever the runs before it were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.watch.kit import (
    CALM,
    MULTIPLE,
    OPENED,
    UNHEARD,
    Make,
    Rig,
    append,
    blocks,
    one_shot,
    ready,
    standing,
    start,
    told,
    wrong_now,
)

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.log"))
NOT_MULTIPLE = OPENED["multiple"]


@pytest.mark.parametrize("failure", [blocks(), UNHEARD], ids=["known", "unknown"])
def test_38a_a_crash_loop_that_was_there_before_is_listed_by_its_last_run(
    rig: Make, tmp_path: Path, failure: str
) -> None:
    log = tmp_path / "a.log"
    append(log, "".join(start(pid) + failure + CALM for pid in range(1, 6)))
    r = rig(log)
    r.settle()
    (listed,) = r.sink.events
    assert listed.replayed
    said = listed.finding or listed.unknown
    assert said is not None
    assert said.line == 14
    append(log, start(6) + failure + CALM)  # within the hour it is only counted
    r.go()
    r.settle()
    append(log, start(7) + ready(7) + CALM)
    r.go()
    r.settle()
    assert [e.kind for e in r.sink.events[1:]] == ["recovered"]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_38d_of_a_log_that_was_there_before_the_same_is_listed_as_one_shot_says(tmp_path: Path, path: Path) -> None:
    r = Rig([path])
    r.daemon.step()
    r.settle()
    assert standing(r.sink.events) == wrong_now(one_shot(path.read_bytes()))
    assert all(e.replayed for e in r.sink.events)
    assert r.inbox.arrived == []
    r.close()


@pytest.mark.parametrize("failure", [blocks(), UNHEARD], ids=["known", "unknown"])
def test_38e_a_failed_run_is_listed_while_the_next_one_starts(rig: Make, tmp_path: Path, failure: str) -> None:
    log = tmp_path / "a.log"
    append(log, start(1) + MULTIPLE + start(2) + failure + CALM + start(3) + CALM)
    r = rig(log)
    r.settle()
    assert standing(r.sink.events) == wrong_now(one_shot(log.read_bytes()))
    assert len(r.sink.events) == 1
    append(log, ready(3))
    r.go()
    r.settle()
    assert [e.kind for e in r.sink.events[1:]] == ["recovered"]


def test_38c_nothing_is_said_to_be_over_of_which_nobody_was_told(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    append(log, start(1) + blocks() + CALM + start(2) + UNHEARD + CALM + start(3) + MULTIPLE + CALM)
    r = rig(log)
    r.settle()
    assert told(r.sink.events) == [("opened", NOT_MULTIPLE, 8)]
    append(log, start(4) + ready(4) + CALM)
    r.go()
    r.settle()
    assert told(r.sink.events)[1:] == [("recovered", NOT_MULTIPLE, 8)]
