"""D33, D40, F56: ended at any step, with any store: every line at least once, every incident and alert exactly once."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from diagnose.incidents import schema
from diagnose.incidents.nouns import Alert, Batch, Incident
from diagnose.incidents.store import Store as SqliteStore
from diagnose.model import InputError, Text
from diagnose.watch.keeper import MAX_REASONS
from diagnose.watch.memory import MemoryStore
from diagnose.watch.ports import Store
from diagnose.watch.tail.system import Handle, OsFiles
from tests.watch.kit import CALM, MULTIPLE, OPENED, Make, Rig, append, blocks, numbered, numbers, ready, start, told

BELOW, NOT_MULTIPLE = OPENED["blocks"], OPENED["multiple"]


class Killed(BaseException):
    """The process is gone: nothing may catch this."""


class Fuse:
    """Counts everything that leaves or enters the process, and ends it before or after the n-th time."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.after = False
        self.count = 0

    def through(self, work: Callable[[], Any]) -> Any:
        self.count += 1
        if self.left is None:
            return work()
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Killed
        done = work()
        if self.left == 0:
            raise Killed
        return done


class FusedStore:
    """The store behind a fuse."""

    def __init__(self, store: Store, fuse: Fuse) -> None:
        self._store = store
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        work = getattr(self._store, name)
        return lambda *a, **k: self._fuse.through(lambda: work(*a, **k)) if name != "close" else None


class FusedFiles(OsFiles):
    """Reading behind a fuse."""

    def __init__(self, fuse: Fuse) -> None:
        self._fuse = fuse

    def open(self, path: str) -> Handle:
        handle: Any = self._fuse.through(lambda: super(FusedFiles, self).open(path))
        read = handle.read
        handle.read = lambda offset, size: self._fuse.through(lambda: read(offset, size))
        return handle  # type: ignore[no-any-return]


def _story(log: Path, move: Callable[[], None]) -> None:
    """A server that fails, is restarted, fails otherwise, over a rotation, and comes up."""
    append(log, start(1) + numbered(0, 4))
    move()
    append(log, blocks() + CALM + numbered(5, 9))
    move()
    log.rename(log.with_suffix(".log.1"))
    append(log.with_suffix(".log.1"), numbered(10, 12))
    append(log, start(2) + numbered(13, 15) + MULTIPLE + CALM)
    move()
    append(log, start(3) + ready(3) + numbered(16, 19) + CALM)
    move()


def _run(tmp_path: Path, store: Store, left: int | None, *, after: bool, events: bool) -> tuple[Rig, Fuse, set[int]]:
    log = tmp_path / "a.log"
    log.touch()
    fuse = Fuse()
    rig = Rig(
        [log],
        events=events,
        store=store,
        files=FusedFiles(fuse),
        wrap=lambda s: FusedStore(s, fuse),  # type: ignore[arg-type,return-value]
    )
    send = rig.inbox.works
    rig.inbox.works = lambda alert: fuse.through(lambda: send(alert))
    read: set[int] = set()
    rig.daemon.step()
    fuse.count, fuse.left, fuse.after = 0, left, after

    def move() -> None:
        try:
            rig.go(1.0)
        except Killed:
            fuse.left = None
            read.update(numbers(rig, log))
            rig.restart(kill=True)

    _story(log, move)
    fuse.left = None
    rig.settle(12)
    read.update(numbers(rig, log))
    return rig, fuse, read


def _alerts(rig: Rig) -> list[tuple[str, str]]:
    """What a receiver has that knows keys."""
    return sorted((a.kind, a.payload["finding"]["entry"]) for a in rig.inbox.once.values())


WANTED = sorted([("opened", BELOW), ("opened", NOT_MULTIPLE), ("recovered", BELOW), ("recovered", NOT_MULTIPLE)])


def _steps(tmp_path: Path, events: bool) -> int:
    """How many steps the story takes when nothing happens."""
    place = tmp_path / "whole"
    place.mkdir()
    rig, fuse, read = _run(place, MemoryStore(lambda: 1.0), None, after=False, events=events)
    assert read == set(range(20))
    assert _alerts(rig) == WANTED
    return fuse.count


@pytest.mark.parametrize("after", [False, True])
def test_33_ended_at_any_step_every_line_is_read_and_every_alert_arrives_once(
    tmp_path: Path, after: bool, events: bool
) -> None:
    steps = _steps(tmp_path, events)
    assert steps > 30
    # Ended before every other step and after the ones between; RBLN_DIAGNOSE_FULL: before and after every step.
    for left in range(1 + after, steps, 1 if os.environ.get("RBLN_DIAGNOSE_FULL") else 2):
        place = tmp_path / f"{after}-{left}"
        place.mkdir()
        store = MemoryStore(lambda: 1.0)
        rig, _, read = _run(place, store, left, after=after, events=events)
        assert read == set(range(20)), left
        assert _alerts(rig) == WANTED, left
        assert sorted((i.entry, i.count) for i in store._incidents.values()) == [(NOT_MULTIPLE, 1), (BELOW, 1)], left
        rig.close()


def test_33b_the_same_with_the_store_on_disk(tmp_path: Path, events: bool) -> None:
    for left in range(3, 60, 8):
        place = tmp_path / str(left)
        place.mkdir()
        store = SqliteStore.open(place / "db.sqlite3", clock=lambda: 1_800_000_000.0)
        rig, _, read = _run(place, store, left, after=bool(left % 16 == 3), events=events)
        assert read == set(range(20)), left
        assert _alerts(rig) == WANTED, left
        rig.close()


def test_56_an_alert_sent_twice_over_a_crash_has_one_key(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    store = MemoryStore(lambda: 1.0)
    r = rig(log, store=store)
    append(log, start() + blocks() + CALM)
    r.inbox.results = list  # type: ignore[method-assign]  (it arrived, and nobody lived to note it)
    r.go()
    assert len(r.inbox.arrived) == 1
    del r.inbox.results
    r.inbox._results.clear()
    r.restart(kill=True)
    r.settle(3)
    assert len(r.inbox.arrived) == 2
    assert len(r.inbox.once) == 1


# --------------------------------------------------------------------------- a store that does not work


class Sick(MemoryStore):
    """Fails with ``error`` while it has one."""

    error: Exception | None = None

    def write(self, batch: Batch, *, source: str, host: str, channels: Sequence[str] = ()) -> tuple[Incident, ...]:
        self._ache()
        return super().write(batch, source=source, host=host, channels=channels)

    def due_alerts(self, now: float | None = None) -> Sequence[Alert]:
        self._ache()
        return super().due_alerts(now)

    def _ache(self) -> None:
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("database is locked"),
        sqlite3.OperationalError("database or disk is full"),
        sqlite3.OperationalError("attempt to write a readonly database"),
        sqlite3.DatabaseError("database disk image is malformed"),
        InputError(Text("written by a newer release", "더 새로운 버전")),
        OSError(28, "No space left on device"),
    ],
    ids=str,
)
def test_40_a_store_that_fails_is_said_once_and_following_goes_on(rig: Make, tmp_path: Path, error: Exception) -> None:
    log = tmp_path / "a.log"
    log.touch()
    store = Sick(lambda: 1.0)
    r = rig(log, store=store)
    store.error = error
    append(log, start() + blocks() + CALM)
    assert told(r.go()) == [("opened", BELOW, 2)]
    append(log, numbered(0, 9))
    r.settle(30)
    assert numbers(r, log) == list(range(10))
    assert r.codes().count("store-failed") == 1
    assert len(r.inbox.once) == 1  # it is told without the store
    store.error = None
    r.settle(10)
    assert r.codes()[-1] == "store-back"
    assert [(i.entry, i.count) for i in store._incidents.values()] == [(BELOW, 1)]
    assert len(r.inbox.arrived) == 1  # and not again with it
    r.restart(kill=True)
    assert len(r.sink.events) == 1


def test_40a_each_reason_why_it_fails_is_said_once_until_it_works_again(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    store = Sick(lambda: 1.0)
    r = rig(log, store=store)
    reasons = ("database is locked", "database or disk is full", "attempt to write a readonly database")
    for _ in range(2):
        for reason in (*reasons, *reasons):
            store.error = sqlite3.OperationalError(reason)
            append(log, CALM)
            r.settle(12)
        store.error = None
        r.settle(12)
    said = [n.fields["why"] if n.code == "store-failed" else n.code for n in r.sink.notices]
    assert said == [*reasons, "store-back"] * 2
    for number in range(50):
        store.error = sqlite3.OperationalError(f"another reason, number {number}")
        append(log, CALM)
        r.settle(6)
    assert r.codes().count("store-failed") - 2 * len(reasons) == MAX_REASONS


def test_40b_a_store_that_is_deleted_while_running_is_made_anew(rig: Make, tmp_path: Path) -> None:
    log, place = tmp_path / "a.log", tmp_path / "db" / "x.sqlite3"
    log.touch()
    place.parent.mkdir()
    r = rig(log, wrap=lambda _: SqliteStore.open(place, clock=lambda: 1_800_000_000.0))
    append(log, start(1) + blocks() + CALM)
    r.go()
    for file in place.parent.iterdir():
        file.unlink()
    append(log, start(2) + MULTIPLE + CALM)
    r.go()
    r.settle(20)
    assert [e for _, e, _ in told(r.sink.events)] == [BELOW, NOT_MULTIPLE]
    assert len(r.inbox.once) == 2


@pytest.mark.skipif(not os.environ.get("HOME"), reason="needs a home")
def test_40c_a_directory_that_cannot_be_written_costs_the_memory_only(rig: Make, tmp_path: Path) -> None:
    log, file = tmp_path / "a.log", tmp_path / "file"
    log.touch()
    file.touch()
    r = rig(log, wrap=lambda _: SqliteStore.open(file / "x.sqlite3", clock=lambda: 1.0))
    append(log, start() + blocks() + CALM)
    assert told(r.go()) == [("opened", BELOW, 2)]
    r.settle(20)
    assert r.codes().count("store-failed") == 1
    assert len(r.inbox.once) == 1


def test_37b_a_store_of_a_newer_release_is_said_once(rig: Make, tmp_path: Path) -> None:
    log, place = tmp_path / "a.log", tmp_path / "x.sqlite3"
    log.touch()
    SqliteStore.open(place).close()
    with sqlite3.connect(place) as conn:
        conn.execute("PRAGMA user_version = 9999")
    conn.close()
    r = rig(log, wrap=lambda _: SqliteStore.open(place, clock=lambda: 1.0))
    append(log, start() + blocks() + CALM)
    assert told(r.go()) == [("opened", BELOW, 2)]
    r.settle(20)
    assert r.codes().count("store-failed") == 1


def test_43_a_store_of_an_older_schema_is_brought_up_and_nothing_is_told_again(
    rig: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, place = tmp_path / "a.log", tmp_path / "x.sqlite3"
    log.touch()
    r = rig(log, wrap=lambda _: SqliteStore.open(place, clock=lambda: 1_800_000_000.0))
    append(log, start(1) + blocks() + CALM)
    (before,) = r.go()
    newer = (*schema.MIGRATIONS, ("ALTER TABLE incidents ADD COLUMN owner TEXT NOT NULL DEFAULT ''",))
    monkeypatch.setattr(schema, "MIGRATIONS", newer)
    monkeypatch.setattr(schema, "VERSION", len(newer))
    append(log, CALM)
    assert r.restart() == []  # the place is known still
    append(log, start(2) + ready(2) + CALM)
    (over,) = r.go() + r.settle()
    assert (over.kind, over.incident) == ("recovered", before.incident)
    with sqlite3.connect(place) as conn:
        assert conn.execute("PRAGMA user_version").fetchone() == (len(newer),)
        assert conn.execute("SELECT entry, state, owner FROM incidents").fetchall() == [(BELOW, "recovered", "")]
    conn.close()
    assert _alerts(r) == [("opened", BELOW), ("recovered", BELOW)]
    assert "store-failed" not in r.codes()
