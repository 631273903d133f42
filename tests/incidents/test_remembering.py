"""One-shot runs leave an incident behind: a root cause once, however often its log is diagnosed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from diagnose.incidents import before
from diagnose.incidents.errors import StoreError
from diagnose.incidents.fingerprint import fingerprint, happening, of_unknown
from diagnose.incidents.remembering import MAX_UNKNOWN, remember
from diagnose.incidents.store import Store
from diagnose.model import Diagnosis, Finding, InputInfo, RunContext, Unknown
from tests.incidents.kit import (
    CONTEXT,
    START,
    Clock,
    batch,
    everything,
    finding,
    opened,
    run_context,
    sighting,
    write,
)

UNKNOWN = Unknown(4, 99, "RuntimeError: flux 7 inverted", "RuntimeError: flux <n> inverted")


def diagnosis(
    *findings: Finding,
    name: str = "-",
    outcome: str = "diagnosed",
    unknown: tuple[Unknown, ...] = (),
    run: RunContext = CONTEXT,
    notes: tuple[Finding, ...] = (),
) -> Diagnosis:
    return Diagnosis(InputInfo(name, 10, 2), outcome, run, findings, notes, unknown)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "incidents.sqlite3"


def keep(path: Path, made: Diagnosis, now: float = START) -> None:
    remember(made, path, clock=Clock(now))


def stored(path: Path) -> list[tuple[str, int]]:
    store = opened(path.parent)
    with store.connection.reading() as conn:
        return conn.execute("SELECT entry, count FROM incidents ORDER BY rowid").fetchall()


def log(tmp_path: Path, name: str, written: float = START - 3_600) -> str:
    file = tmp_path / name
    file.write_text("log")
    os.utime(file, (written, written))
    return str(file)


def test_a_root_cause_is_remembered_with_its_log_and_time(path: Path, tmp_path: Path) -> None:
    name = log(tmp_path, "server.log")
    keep(path, diagnosis(finding(), name=name))
    assert stored(path) == [("kv-cache.insufficient-memory", 1)]
    (row,) = everything(opened(path.parent))["incidents"]
    assert (row[4], row[6]) == (name, "2023-11-14T21:13:20.000Z")


@pytest.mark.parametrize(
    "made",
    [
        diagnosis(outcome="healthy"),
        diagnosis(outcome="healthy", notes=(finding(),)),
        diagnosis(finding(domain="foreign"), outcome="unknown", unknown=(UNKNOWN,)),
        diagnosis(finding(role="consequence"), outcome="unknown"),
        diagnosis(finding(recovered=True)),
    ],
    ids=["healthy", "a note", "another vendor", "a consequence", "one that is over"],
)
def test_what_is_no_incident_leaves_nothing_not_even_a_file(path: Path, made: Diagnosis) -> None:
    keep(path, made)
    assert not path.exists()


def test_the_same_log_diagnosed_again_is_the_same_failure(path: Path, tmp_path: Path) -> None:
    name, copy = log(tmp_path, "server.log"), log(tmp_path, "copy.log")
    for where in (name, name, copy, "-"):
        keep(path, diagnosis(finding(), name=where))
    assert stored(path) == [("kv-cache.insufficient-memory", 1)]


def test_a_later_run_in_the_same_log_is_counted(path: Path, tmp_path: Path) -> None:
    name = log(tmp_path, "server.log")
    keep(path, diagnosis(finding(time="11-29 11:57:53"), name=name))
    keep(path, diagnosis(finding(time="11-29 12:57:53"), name=name))
    assert stored(path) == [("kv-cache.insufficient-memory", 2)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"time": "t1", "line": 1}, {"time": "t1", "line": 2}, True),
        ({"time": "t1"}, {"time": "t2"}, False),
        ({"line": 1}, {"line": 2}, False),
        ({"process": "EngineCore pid=1"}, {"process": "EngineCore pid=2"}, False),
    ],
    ids=["a rotated file", "another time", "another place without a time", "another process"],
)
def test_which_failure_it_was_is_told_by_the_log(one: dict, other: dict, same: bool) -> None:  # type: ignore[type-arg]
    assert (happening(finding(**one), CONTEXT) == happening(finding(**other), CONTEXT)) is same


def test_another_configuration_is_another_run() -> None:
    assert happening(finding(), CONTEXT) != happening(finding(), run_context(batch_size=4))


def test_an_unknown_error_is_remembered_by_its_template(path: Path) -> None:
    keep(path, diagnosis(outcome="unknown", unknown=(UNKNOWN,)))
    later = replace(UNKNOWN, text="RuntimeError: flux 9 inverted", line=7)
    keep(path, diagnosis(outcome="unknown", unknown=(later,)))
    assert stored(path) == [("unknown", 2)]
    assert of_unknown(later, CONTEXT) == of_unknown(UNKNOWN, CONTEXT)


def test_only_the_unknown_errors_nearest_to_the_cause_are_remembered(path: Path) -> None:
    many = tuple(replace(UNKNOWN, text=f"Error{'abcdefghij'[n]}: failed", line=n + 1) for n in range(10))
    keep(path, diagnosis(outcome="unknown", unknown=many))
    assert stored(path) == [("unknown", 1)] * MAX_UNKNOWN


def test_unknown_errors_beside_a_root_cause_are_not_remembered(path: Path) -> None:
    keep(path, diagnosis(finding(), unknown=(UNKNOWN,)))
    assert stored(path) == [("kv-cache.insufficient-memory", 1)]


def test_unknown_errors_beside_mere_consequences_are_remembered(path: Path) -> None:
    keep(path, diagnosis(finding(role="consequence"), outcome="unknown", unknown=(UNKNOWN,)))
    assert stored(path) == [("unknown", 1)]


def served(**config: int) -> RunContext:
    return replace(run_context(**config), phases=frozenset({"serve"}))


def evidence(path: Path) -> dict[str, tuple[int, int]]:
    return Store.open(path).evidence("kv-cache.insufficient-memory", "Qwen3-8B@REBEL")


def test_a_later_log_in_which_the_server_came_up_is_evidence(path: Path, tmp_path: Path) -> None:
    keep(path, diagnosis(finding(), name=log(tmp_path, "a.log", START - 100)))
    healthy = diagnosis(name=log(tmp_path, "b.log", START - 50), outcome="healthy", run=served(batch_size=4))
    keep(path, healthy)
    keep(path, healthy)
    assert evidence(path) == {"smaller-batch": (1, 1)}


def test_an_older_log_a_pipe_and_a_log_that_shows_no_server_prove_nothing(path: Path, tmp_path: Path) -> None:
    keep(path, diagnosis(finding(), name=log(tmp_path, "a.log", START - 100)))
    older, later = log(tmp_path, "b.log", START - 200), log(tmp_path, "c.log", START - 50)
    keep(path, diagnosis(name=older, outcome="healthy", run=served(batch_size=4)))
    keep(path, diagnosis(name="-", outcome="healthy", run=served(batch_size=4)))
    keep(path, diagnosis(name=later, outcome="healthy", run=run_context(batch_size=4)))
    assert evidence(path) == {}


def test_a_log_from_the_future_is_not_believed(path: Path, tmp_path: Path) -> None:
    keep(path, diagnosis(finding(), name=log(tmp_path, "a.log", START + 1e6)))
    (row,) = everything(opened(path.parent))["incidents"]
    assert row[6] == "2023-11-14T22:13:20.000Z"


def test_a_store_that_cannot_be_used_is_an_error_with_one_line(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1_000)
    with pytest.raises(StoreError):
        keep(path, diagnosis(finding()))


def test_what_is_remembered_has_the_fingerprint_the_watcher_uses(path: Path) -> None:
    keep(path, diagnosis(finding()))
    with Store.open(path).connection.reading() as conn:
        assert before.seen(conn, fingerprint(finding(), CONTEXT), None) is not None


def test_what_the_watcher_has_recorded_is_not_recorded_again(path: Path) -> None:
    found = finding(time="11-29 11:57:53")
    watched = replace(found, line=3, offset=40)  # a follower counts from where it began
    write(opened(path.parent), batch(sighting(found=watched)))
    keep(path, diagnosis(found))
    assert stored(path) == [("kv-cache.insufficient-memory", 1)]
