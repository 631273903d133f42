"""``kill -9`` at any statement: incidents and alerts exactly once, checkpoints together with what they stand for."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from diagnose.incidents.nouns import Batch
from diagnose.incidents.schema import VERSION
from diagnose.incidents.store import Store
from tests.incidents.crashing import NO_FORK, killed_at
from tests.incidents.kit import START, batch, everything, finding, opened, run_context, sighting, write

pytestmark = NO_FORK

CHANNELS = ("slack", "webhook")
CHANGED = run_context(max_seq_len=131_072)
FIRST = batch(sighting(), offset=10)
SECOND = batch(
    sighting(run="run2"),
    sighting(found=finding(entry="host.oom", text="Killed"), run="run2"),
    sighting("amended", "run2", 1),
    sighting("recovered", "run2"),
    offset=90,
    started=("run3", CHANGED),
)


def put(made: Batch, store: Store) -> object:
    return write(store, made, CHANNELS)


def all_steps(tmp_path: Path, made: Batch) -> int:
    """How many statements a batch takes; every one of them was the last of a child once."""
    start = tmp_path / "start"
    store = opened(start)
    put(FIRST, store)
    store.close()
    for step in range(1, 500):
        path = tmp_path / str(step)
        shutil.copytree(start, path)
        if not killed_at(path, step, lambda store: put(made, store)):
            return step
    raise AssertionError("the batch never ends")


def test_a_batch_killed_at_any_statement_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    steps = all_steps(tmp_path, SECOND)
    assert steps > 20
    before = opened(tmp_path / "before")
    put(FIRST, before)
    after = opened(tmp_path / "after")
    put(FIRST, after)
    put(SECOND, after)
    states = [everything(before), everything(after)]
    before.close()
    after.close()
    assert states[0] != states[1]
    for step in range(1, steps + 1):
        store = opened(tmp_path / str(step))
        assert everything(store) in states, step
        # What the watcher does after a crash: it reads again from the checkpoint and writes the same.
        put(SECOND, store)
        assert everything(store) == states[1], step
        store.close()


@pytest.mark.parametrize("kind", ["alert_done", "alert_failed"])
def test_an_alert_settled_in_a_killed_process_is_settled_or_due_again(tmp_path: Path, kind: str) -> None:
    for step in range(1, 10):
        path = tmp_path / str(step)
        path.mkdir()
        store = opened(path)
        write(store, batch(sighting()), ("slack",))
        (alert,) = store.due_alerts(START)
        store.close()

        def settle(child: Store, key: str = alert.key) -> None:
            if kind == "alert_done":
                child.alert_done(key)
            else:
                child.alert_failed(key, START + 30)

        killed = killed_at(path, step, settle)
        left = opened(path).due_alerts(START)
        assert left in ((), (alert,))
        if not killed:
            assert left == ()
            return
    raise AssertionError("settling an alert never ends")


def test_a_new_file_killed_while_it_is_made_is_made_by_the_next_one(tmp_path: Path) -> None:
    """The statements of the migration itself, by a connection that dies before each of them."""
    for step in range(1, 200):
        path = tmp_path / str(step)
        child = os.fork()
        if not child:
            _open_and_die(path, step)
        _, status = os.waitpid(child, 0)
        store = opened(path)
        put(FIRST, store)
        assert len(everything(store)["incidents"]) == 1
        with store.connection.reading() as conn:
            assert conn.execute("PRAGMA user_version").fetchone() == (VERSION,)
        store.close()
        if os.waitstatus_to_exitcode(status) == 0:
            assert step > 20
            return
    raise AssertionError("the migration never ends")


def _open_and_die(path: Path, step: int) -> None:
    real = sqlite3.connect
    count = 0

    def trace(_: str) -> None:
        nonlocal count
        count += 1
        if count == step:
            os._exit(9)

    def connect(*args: object, **options: object) -> sqlite3.Connection:
        conn = real(*args, **options)  # type: ignore[call-overload]
        conn.set_trace_callback(trace)
        return conn  # type: ignore[no-any-return]

    sqlite3.connect = connect  # type: ignore[assignment]
    try:
        opened(path)
        os._exit(0)
    finally:
        os._exit(1)
