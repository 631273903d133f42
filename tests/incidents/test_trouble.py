"""A store that cannot be used says so in one line of both languages, and works again when the trouble is over."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from diagnose.incidents.errors import StoreError, translated
from diagnose.incidents.schema import APPLICATION_ID, VERSION
from diagnose.incidents.store import Store
from tests.incidents.kit import SOURCE, batch, everything, finding, opened, sighting, write


def said(error: pytest.ExceptionInfo[StoreError]) -> str:
    message = error.value.message
    for text in (message.en, message.ko):
        assert text
        assert "\n" not in text
    return message.en


def file_of(path: Path) -> Path:
    return path / "incidents.sqlite3"


def test_a_locked_file_is_waited_for_then_said_and_written_later(tmp_path: Path) -> None:
    store = opened(tmp_path, busy_s=0.01)
    other = sqlite3.connect(file_of(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as raised:
        write(store, batch(sighting()))
    assert "in use by another program" in said(raised)
    assert raised.value.passing
    assert store.checkpoint(SOURCE) is None  # readers are not blocked
    other.execute("ROLLBACK")
    (found,) = write(store, batch(sighting()))
    assert found.count == 1


def test_a_full_disk_is_said_nothing_is_half_written_and_it_goes_on_when_there_is_room(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting(), offset=10))
    before = everything(store)
    with store.connection.reading() as conn:
        pages = conn.execute("PRAGMA page_count").fetchone()[0]
        conn.execute(f"PRAGMA max_page_count = {pages}")
    large = sighting(run="run2", found=finding(entry="host.oom", text="x" * 200_000))
    with pytest.raises(StoreError) as raised:
        write(store, batch(large, offset=20))
    assert "no space is left" in said(raised)
    assert everything(store) == before
    write(store, batch(large, offset=20))  # opened anew: the limit of the connection is gone
    assert len(everything(store)["incidents"]) == 2


@pytest.mark.parametrize("content", [b"not a database at all " * 100, b"SQLite format 3\x00" + b"\xff" * 5_000])
def test_a_damaged_file_is_said_and_never_overwritten(tmp_path: Path, content: bytes) -> None:
    file_of(tmp_path).write_bytes(content)
    with pytest.raises(StoreError) as raised:
        opened(tmp_path)
    assert "is damaged" in said(raised)
    assert file_of(tmp_path).read_bytes() == content


def test_a_file_that_is_damaged_while_in_use_is_said_and_a_new_one_taken(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()))
    store.close()
    data = bytearray(file_of(tmp_path).read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    file_of(tmp_path).write_bytes(bytes(data))
    with pytest.raises(StoreError) as raised:
        write(store, batch(sighting()))
    assert "is damaged" in said(raised)
    for left in tmp_path.iterdir():
        left.unlink()
    assert len(write(store, batch(sighting()))) == 1


def test_an_empty_file_is_a_new_store(tmp_path: Path) -> None:
    file_of(tmp_path).touch()
    assert len(write(opened(tmp_path), batch(sighting()))) == 1


def test_a_newer_schema_is_said_and_left_alone(tmp_path: Path) -> None:
    opened(tmp_path).close()
    conn = sqlite3.connect(file_of(tmp_path))
    conn.execute(f"PRAGMA user_version = {VERSION + 1}")
    conn.commit()
    conn.close()
    with pytest.raises(StoreError) as raised:
        opened(tmp_path)
    assert "newer rbln-diagnose" in said(raised)


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE theirs (x)", "PRAGMA user_version = 3", "PRAGMA application_id = 7"]
)
def test_another_programs_database_is_left_alone(tmp_path: Path, statement: str) -> None:
    conn = sqlite3.connect(file_of(tmp_path))
    conn.execute("CREATE TABLE any (x)")
    conn.execute(statement)
    conn.commit()
    conn.close()
    before = file_of(tmp_path).read_bytes()
    with pytest.raises(StoreError) as raised:
        opened(tmp_path)
    assert "another program" in said(raised)
    assert file_of(tmp_path).read_bytes() == before


def test_a_directory_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError) as raised:
        opened(tmp_path)
    assert "cannot be written" in said(raised)


def test_a_directory_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError) as raised:
        opened(tmp_path / "file" / "below")
    assert "cannot be used" in said(raised)


def test_a_store_deleted_while_in_use_is_made_again(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting(), offset=10))
    for left in tmp_path.iterdir():
        left.unlink()
    assert store.checkpoint(SOURCE) is None
    write(store, batch(sighting(), offset=20))
    assert len(everything(opened(tmp_path))["incidents"]) == 1


def test_two_stores_on_one_file_record_and_tell_once(tmp_path: Path) -> None:
    one, other = opened(tmp_path), opened(tmp_path)
    for store in (one, other, one):
        write(store, batch(sighting(), offset=10), ("slack",))
    (alert,) = one.due_alerts()
    assert [row[8] for row in everything(other)["incidents"]] == [1]
    one.alert_done(alert.key)
    assert other.due_alerts() == ()


def test_threads_may_share_a_store(tmp_path: Path) -> None:
    store = opened(tmp_path)
    runs = [f"run{number}" for number in range(24)]

    def work(mine: list[str]) -> None:
        for run in mine:
            write(store, batch(sighting(run=run)), ("slack",))
            store.due_alerts()

    threads = [threading.Thread(target=work, args=(runs[number::3],)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row[8] for row in everything(store)["incidents"]] == [len(runs)]


def test_an_older_file_is_brought_to_the_newest_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(tmp_path).close()
    from diagnose.incidents import schema

    added = (*schema.MIGRATIONS, ("ALTER TABLE incidents ADD COLUMN colour TEXT", "CREATE TABLE later (x)"))
    monkeypatch.setattr(schema, "MIGRATIONS", added)
    monkeypatch.setattr(schema, "VERSION", VERSION + 1)
    store = opened(tmp_path)
    assert len(write(store, batch(sighting()))) == 1
    with store.connection.reading() as conn:
        assert conn.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)
        assert conn.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert conn.execute("SELECT count(colour) FROM incidents").fetchone() == (0,)


def test_an_error_nobody_foresaw_names_the_file_and_itself() -> None:
    error = translated(sqlite3.OperationalError("no such module: fts5"), "/data/x.db")
    assert "/data/x.db" in error.message.en
    assert "no such module: fts5" in error.message.ko


def test_store_can_be_opened_by_a_path_written_as_text(tmp_path: Path) -> None:
    assert Store.open(str(tmp_path / "new" / "deep" / "x.db")).checkpoint("a") is None
