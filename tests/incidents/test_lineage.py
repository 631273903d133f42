"""Whose start says anything about whose failure: replicas side by side, dated logs, restarted containers."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnose.incidents import history
from diagnose.incidents.history import Filter
from diagnose.incidents.lineage import ONE_SHOT, goes_on, series
from diagnose.incidents.nouns import Batch, Checkpoint, Incident
from diagnose.incidents.store import Store
from diagnose.redact import here
from diagnose.redact.sources import source_name
from tests.incidents.kit import Clock, everything, opened, run_context, sighting, write

ENTRY, TARGET = "kv-cache.insufficient-memory", "Qwen3-8B@REBEL"
REPLICA_A, REPLICA_B = "/var/log/vllm/replica-0.log", "/var/log/vllm/replica-1.log"
SHORTER: dict[str, Any] = {"max_seq_len": 180_224}


def fail(store: Store, clock: Clock, source: str, *, followed: bool, run: str = "run1", **config: Any) -> Incident:
    clock.now += 60
    point = Checkpoint(source, "1:2:abc", 10, 1) if followed else None
    key = run if followed else f"{ONE_SHOT}{run}"
    (found,) = write(store, Batch(point, (sighting(run=key, context=run_context(**config)),)), source=source)
    return found


def start(store: Store, clock: Clock, source: str, run: str = "run2", **config: Any) -> None:
    clock.now += 60
    write(store, Batch(None, (), (run, run_context(**config))), source=source)


def state(store: Store, incident: Incident) -> tuple[str, str | None]:
    found = history.find(store.connection, incident.id)
    return found.state, found.resolved_by


def test_the_start_of_the_replica_beside_it_neither_ends_a_failure_nor_is_evidence(store: Store, clock: Clock) -> None:
    incident = fail(store, clock, REPLICA_A, followed=True)
    start(store, clock, REPLICA_B, **SHORTER)
    assert state(store, incident) == ("open", None)
    assert store.evidence(ENTRY, TARGET) == {}


def test_what_the_replica_beside_it_tried_in_vain_was_not_tried_here(store: Store, clock: Clock) -> None:
    fail(store, clock, REPLICA_A, followed=True)
    fail(store, clock, REPLICA_B, followed=True, **SHORTER)
    assert store.evidence(ENTRY, TARGET) == {}


def test_a_start_of_the_other_replica_does_not_use_up_the_one_of_the_server_itself(store: Store, clock: Clock) -> None:
    incident = fail(store, clock, REPLICA_A, followed=True)
    start(store, clock, REPLICA_B, "other")
    start(store, clock, REPLICA_A, "own", **SHORTER)
    assert state(store, incident) == ("recovered", "shorter-context")
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (1, 1)}


def test_a_failure_told_from_a_followed_pipe_is_not_ended_by_another_log(store: Store, clock: Clock) -> None:
    clock.now += 60
    (incident,) = write(store, Batch(None, (sighting(run="pipe+1"),)), source="-")
    start(store, clock, REPLICA_B, **SHORTER)
    assert state(store, incident) == ("open", None)


def test_logs_that_were_read_once_are_attempts_at_one_thing(store: Store, clock: Clock) -> None:
    incident = fail(store, clock, "/home/kim/run1.log", followed=False)
    start(store, clock, "/home/kim/run2.log", **SHORTER)
    assert state(store, incident) == ("recovered", "shorter-context")
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (1, 1)}


def test_a_log_that_was_read_once_and_is_followed_since_is_its_own_servers(store: Store, clock: Clock) -> None:
    incident = fail(store, clock, REPLICA_A, followed=False)
    write(store, Batch(Checkpoint(REPLICA_A, "1:2:abc", 10, 1)), source=REPLICA_A)
    start(store, clock, REPLICA_B, **SHORTER)
    assert state(store, incident) == ("open", None)


SERIES = [
    ("/var/log/vllm/server-2026-11-28.log", "/var/log/vllm/server-2026-11-29.log"),
    ("/var/log/vllm/20261128/server.log", "/var/log/vllm/20261201/server.log"),
    ("/var/log/vllm/server.2026_12_31.log", "/var/log/vllm/server.2027_01_01.log"),
    ("/var/log/pods/ai_vllm-0_6f2e/vllm/0.log", "/var/log/pods/ai_vllm-0_6f2e/vllm/1.log"),
]
STRANGERS = [
    (REPLICA_A, REPLICA_B),
    ("/var/log/vllm/a-2026-11-28.log", "/var/log/vllm/b-2026-11-29.log"),
    ("/var/log/vllm/server-20261128-140000.log", "/var/log/vllm/server-20261128-140005.log"),
    ("/var/log/vllm/server-8000.log", "/var/log/vllm/server-8001.log"),
    ("/var/log/vllm/0.log", "/var/log/vllm/1.log"),
    ("/var/log/pods/ai_vllm-0_6f2e/vllm/0.log", "/var/log/pods/ai_vllm-1_77ab/vllm/1.log"),
    ("/var/log/pods/ai_vllm-0_6f2e/vllm/0.log", "/var/log/pods/ai_vllm-0_6f2e/proxy/1.log"),
]


@pytest.mark.parametrize(("before", "after"), SERIES)
def test_a_server_that_goes_on_in_its_next_log_ends_what_failed_in_the_one_before(
    store: Store, clock: Clock, before: str, after: str
) -> None:
    incident = fail(store, clock, before, followed=True)
    start(store, clock, after, **SHORTER)
    assert state(store, incident) == ("recovered", "shorter-context")


@pytest.mark.parametrize(("before", "after"), SERIES)
def test_the_log_of_an_earlier_day_ends_nothing_of_a_later_one(
    store: Store, clock: Clock, before: str, after: str
) -> None:
    incident = fail(store, clock, after, followed=True)
    start(store, clock, before, **SHORTER)
    assert state(store, incident) == ("open", None)


@pytest.mark.parametrize(("one", "other"), STRANGERS)
def test_logs_that_differ_in_more_than_the_day_are_of_two_servers(one: str, other: str) -> None:
    assert not goes_on(one, other)
    assert not goes_on(other, one)


@pytest.mark.parametrize(("before", "after"), SERIES)
def test_names_that_are_stored_without_secrets_keep_their_series(before: str, after: str) -> None:
    assert series(source_name(before, here()))[0] == series(source_name(after, here()))[0]


names = st.text(st.sampled_from("ab0129-_./"), max_size=14)


@given(names, st.dates(), st.dates(), names, st.sampled_from(["%Y-%m-%d", "%Y%m%d", "%Y.%m.%d"]))
def test_any_two_days_in_one_name_are_one_series_in_their_order(
    head: str, one: Any, other: Any, tail: str, form: str
) -> None:
    one, other = sorted(day.replace(year=2000 + day.year % 100, day=min(day.day, 28)) for day in (one, other))
    before, after = (f"/log/{head}x{day.strftime(form)}x{tail}" for day in (one, other))
    assert goes_on(before, after)
    assert goes_on(after, before) is (before == after)


# ------------------------------------------------------------------------ any two replicas, side by side

events = st.tuples(
    st.sampled_from([REPLICA_A, REPLICA_B]),
    st.sampled_from(["fail", "start"]),
    st.sampled_from([{}, SHORTER, {"batch_size": 4}]),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an empty store: making one is the slowest part."""
    path = tmp_path_factory.mktemp("empty")
    opened(path).close()
    return path


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(plan=st.lists(events, max_size=7))
def test_what_is_kept_of_any_followed_replica_is_what_would_be_kept_of_it_alone(
    empty: Path, plan: list[tuple[str, str, Mapping[str, Any]]]
) -> None:
    both = kept(empty, plan, (REPLICA_A, REPLICA_B))
    assert both == [*kept(empty, plan, (REPLICA_A,)), *kept(empty, plan, (REPLICA_B,))]


def kept(empty: Path, plan: list[tuple[str, str, Mapping[str, Any]]], of: tuple[str, ...]) -> list[Any]:
    """Incidents and evidence by log, after the events of the logs ``of``; each at its own time."""
    with tempfile.TemporaryDirectory() as directory:
        clock = Clock()
        store = opened(Path(shutil.copytree(empty, Path(directory) / "store")), clock)
        for number, (source, what, config) in enumerate(plan):
            clock.now += 60
            if source in of and what == "fail":
                fail(store, clock, source, followed=True, run=f"run{number}", **config)
            elif source in of:
                start(store, clock, source, f"run{number}", **config)
            else:
                clock.now += 60
        found = history.listed(store.connection, Filter())
        trials = everything(store)["evidence"]
        store.close()
    made = []
    for source in of:
        mine = [one for one in found if one.source == source]
        ids = {one.id for one in mine}
        told = [(one.id, one.count, one.state, one.resolved_by) for one in mine]
        made.append((source, told, sorted(trial[:4] for trial in trials if trial[0] in ids)))
    return made
