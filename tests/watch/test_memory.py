"""While there is no database: the same incidents, by the same ids, told by the same rules as with one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diagnose.incidents.nouns import Batch, Sighting
from diagnose.incidents.store import Store
from diagnose.watch.keeper import Keeper
from diagnose.watch.limits import REPEAT_S, RETRY_S
from diagnose.watch.memory import MemoryStore
from tests.watch.kit import HandClock, ListSink
from tests.watch.test_limits import Down, sighting


def _written(store: MemoryStore, new: Sighting, source: str) -> str:
    (incident,) = store.write(Batch(None, (new,)), source=source, host="here", channels=["test"])
    return incident.id


def test_two_replicas_that_fail_alike_are_two_incidents_and_each_is_told() -> None:
    store = MemoryStore(lambda: 1.0)
    first, second = (_written(store, sighting(1), source) for source in ("/v/a.log", "/v/b.log"))
    assert first != second
    assert [(a.kind, a.incident) for a in store.due_alerts()] == [("opened", first), ("opened", second)]


def test_the_start_of_one_replica_leaves_the_failure_of_the_other_open() -> None:
    store = MemoryStore(lambda: 1.0)
    first, second = (_written(store, sighting(1), source) for source in ("/v/a.log", "/v/b.log"))
    assert _written(store, replace(sighting(1), kind="recovered"), "/v/b.log") == second
    assert [left.incident.id for left in store.left_open("/v/a.log", "here")] == [first]
    assert not store.left_open("/v/b.log", "here")


def test_an_open_failure_of_another_run_is_told_again_after_the_time_for_it() -> None:
    now = [1.0]
    store = MemoryStore(lambda: now[0])
    for run, after in (("1", 0.0), ("2", REPEAT_S - 1), ("3", 1.0), ("4", 1.0)):
        now[0] += after
        _written(store, replace(sighting(1), run=run), "/v/a.log")
    assert [a.kind for a in store.due_alerts()] == ["opened", "repeated"]


def test_what_was_told_while_the_database_was_away_has_the_same_id_in_it_afterwards(tmp_path: Path) -> None:
    clock = HandClock()
    stores: list[object] = [Down()]
    held = Keeper(lambda: stores[0], clock=clock, host="here", say=ListSink().notice)  # type: ignore[arg-type,return-value]
    (told,) = held.write(Batch(None, (sighting(1),)), "/v/a.log", ["test"])
    stores[0] = real = Store.open(tmp_path / "db", clock=clock.time)
    clock.advance(RETRY_S)
    held.recover()
    assert [left.incident.id for left in real.left_open("/v/a.log", "here")] == [told.id]
    held.close()


@pytest.mark.parametrize("muted", [False, True])
def test_what_follows_while_the_database_is_away_is_about_the_incident_in_it(tmp_path: Path, muted: bool) -> None:
    clock = HandClock()
    real = Store.open(tmp_path / "db", clock=clock.time)
    stores: list[object] = [real]
    held = Keeper(lambda: stores[0], clock=clock, host="here", say=ListSink().notice)  # type: ignore[arg-type,return-value]
    (told,) = held.write(Batch(None, (sighting(1),)), "/v/a.log", [])
    if muted:
        held._memory.know([replace(told, muted_until="9999-01-01T00:00:00.000Z")])
    held._store, stores[0] = Down(), Down()
    (over,) = held.write(Batch(None, (replace(sighting(1), kind="recovered"),)), "/v/a.log", ["test"])
    assert (over.id, over.state) == (told.id, "recovered")
    assert [a.kind for a in held.due_alerts()] == ([] if muted else ["recovered"])
