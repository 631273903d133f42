"""D. Restart: what was told is not told again, what was not is."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diagnose.incidents.nouns import Checkpoint
from diagnose.model import Consequence, InputError, Text
from diagnose.watch.memory import MemoryStore
from diagnose.watch.nouns import Event
from tests.watch.kit import CALM, MULTIPLE, OPENED, Make, Rig, append, blocks, numbered, numbers, ready, start, told

BELOW, NOT_MULTIPLE = OPENED["blocks"], OPENED["multiple"]


@pytest.mark.parametrize("kill", [False, True])
def test_32_a_stop_and_a_start_tell_nothing_twice_and_lose_nothing(rig: Make, tmp_path: Path, kill: bool) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + blocks() + CALM)
    assert told(r.go()) == [("opened", BELOW, 2)]
    assert r.restart(kill=kill) == []
    append(log, start(2) + MULTIPLE + CALM)
    assert told(r.go()) == [("opened", NOT_MULTIPLE, 5)]
    assert len(r.inbox.once) == 2


@pytest.mark.parametrize("kill", [False, True])
def test_32b_what_was_written_while_down_is_told(rig: Make, tmp_path: Path, kill: bool) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + CALM * 3)
    r.go()
    r.settle(12)
    append(log, blocks() + CALM)
    events = r.restart(kill=kill)
    assert told(events) == [("opened", BELOW, 5)]
    assert not events[0].replayed
    assert len(r.inbox.once) == 1


def test_34_an_event_cut_by_a_kill_is_read_from_its_first_line(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + CALM)
    r.go()
    r.settle(12)
    append(log, 'Traceback (most recent call last):\n  File "/srv/app/x.py", line 3, in <module>\n')
    r.go()
    assert r.restart(kill=True) == []
    append(log, "    main()\n" + blocks() + CALM)
    events = r.go() + r.settle()
    assert told(events) == [("opened", BELOW, 6)]


def test_34b_half_a_line_before_a_restart_is_completed_once(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + blocks()[:50])
    r.go()
    r.restart()
    append(log, blocks()[50:] + CALM)
    assert told(r.go() + r.settle()) == [("opened", BELOW, 2)]


def test_35_a_rotation_while_down_is_read_through(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + numbered(0, 9))
    r.go()
    r.settle(12)
    r.daemon.close()
    append(log, numbered(10, 19) + blocks())
    log.rename(tmp_path / "a.log.2")
    append(tmp_path / "a.log.1", numbered(20, 29))
    append(log, numbered(30, 39))
    events = r.restart(kill=True) + r.settle()
    assert numbers(r, log) == list(range(40))
    assert told(events) == [("opened", BELOW, 22)]


def _down_and_packed(r: Rig, log: Path) -> None:
    """It fails while nobody follows, is rotated twice, and the older file is compressed."""
    r.daemon.close()
    append(log, numbered(10, 19) + blocks() + CALM)
    old = log.with_name("a.log.2.gz")
    old.write_bytes(gzip.compress(log.read_bytes()))
    os.utime(old, ns=(log.stat().st_mtime_ns,) * 2)
    log.unlink()
    append(log.with_name("a.log.1"), numbered(20, 29))
    append(log, numbered(30, 39))


def test_35b_a_rotation_that_was_compressed_while_down_is_read_through(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + numbered(0, 9))
    r.go()
    r.settle(12)
    _down_and_packed(r, log)
    events = r.restart(kill=True) + r.settle()
    assert numbers(r, log) == list(range(40))
    assert told(events) == [("opened", BELOW, 22)]
    assert "lost" not in r.codes()
    assert r.daemon.sources[str(log)].tail.open_files <= 2
    append(log, numbered(40, 41))
    r.go()
    assert r.restart() == []
    assert numbers(r, log)[-2:] == [40, 41]


@pytest.mark.parametrize(
    "content",
    [b"not gzip at all", gzip.compress(b"another log\n" * 90), b""],
    ids=["no gzip", "another log", "empty"],  # what is packed holds the time it was packed at
)
def test_35c_a_compressed_file_that_is_another_one_is_not_read_and_that_is_said(
    rig: Make, tmp_path: Path, content: bytes
) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + numbered(0, 9))
    r.go()
    r.settle(12)
    r.daemon.close()
    (tmp_path / "a.log.1.gz").write_bytes(content)
    log.unlink()
    append(log, numbered(30, 39))
    r.restart(kill=True)
    assert numbers(r, log) == list(range(30, 40))
    assert "lost" in r.codes()


def test_36_copytruncate_while_down_leaves_the_new_content_only(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + numbered(0, 99))
    r.go()
    r.settle(12)
    r.daemon.close()
    (tmp_path / "a.log.1").write_bytes(log.read_bytes())
    os.truncate(log, 0)
    append(log, start(2) + numbered(100, 104) + blocks() + CALM)
    events = r.restart(kill=True)
    assert numbers(r, log) == list(range(100, 105))
    assert told(events) == [("opened", BELOW, 7)]
    assert "lost" in r.codes()


class Broken(MemoryStore):
    """Its checkpoints are damaged in one way or another."""

    kind = ""
    damage: Mapping[str, Any] = {
        "garbage": {"identity": "¿¿¿"},
        "empty": {"identity": ""},
        "no text": {"identity": None},
        "bytes": {"identity": b"1:2:3"},
        "negative": {"offset": -5},
        "text for a number": {"offset": "12"},
        "no line": {"line": None},
    }

    def checkpoint(self, source: str) -> Checkpoint | None:
        found = super().checkpoint(source)
        if self.kind == "raises":
            raise InputError(Text("damaged", "손상"))
        return found and replace(found, **self.damage.get(self.kind, {}))


@pytest.mark.parametrize("kind", [*Broken.damage, "raises"])
def test_37_a_damaged_checkpoint_is_said_and_nothing_old_is_alerted(rig: Make, tmp_path: Path, kind: str) -> None:
    log = tmp_path / "a.log"
    log.touch()
    store = Broken(lambda: 1.0)
    r = rig(log, store=store)
    append(log, start() + blocks() + CALM)
    r.go()
    store.kind = kind
    events = r.restart(kill=True)
    assert [e.replayed for e in events] == [True]
    assert "checkpoint-unreadable" in r.codes()
    assert len(r.inbox.once) == 1


@pytest.mark.parametrize(
    ("mode", "listed"),
    [
        ("start", [("opened", BELOW, 2), ("recovered", BELOW, 2), ("opened", NOT_MULTIPLE, 5)]),
        ("last-run", [("opened", NOT_MULTIPLE, 5)]),
        ("checkpoint", [("opened", NOT_MULTIPLE, 5)]),
        ("end", []),
    ],
)
def test_38_what_was_there_at_the_first_start_is_listed_and_never_alerted(
    rig: Make, tmp_path: Path, mode: str, listed: list[tuple[str, str, int]]
) -> None:
    log = tmp_path / "a.log"
    append(log, start(1) + blocks() + start(2) + ready(2) + MULTIPLE + CALM)
    r = rig(log, mode=mode)
    r.settle()
    assert told(r.sink.events) == listed
    assert all(e.replayed for e in r.sink.events)
    assert r.inbox.arrived == []
    append(log, start(3) + blocks(3) + CALM)
    events = r.go()
    assert [(e.finding.line, e.replayed) for e in events if e.finding] == [(8, False)]
    assert len(r.inbox.once) == 1


def test_38c_what_was_passed_over_at_the_end_of_a_log_is_told_when_it_happens_again(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    append(log, start(1) + blocks() + CALM)
    r = rig(log, mode="end")
    r.settle(12)
    append(log, numbered(0, 9) + CALM)
    assert r.go() + r.settle(12) == []
    assert r.inbox.arrived == []
    append(log, blocks() + CALM)
    assert [(kind, entry) for kind, entry, _ in told(r.go() + r.settle(12))] == [("opened", BELOW)]
    assert len(r.inbox.once) == 1


def test_38b_whether_it_is_alerted_does_not_depend_on_how_often_it_is_restarted(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    append(log, start(1) + blocks() + CALM)
    r = rig(log)
    for _ in range(3):
        r.restart(kill=True)
    assert r.inbox.arrived == []
    assert len(r.sink.events) == 1


def test_39_a_clock_that_jumps_changes_nothing_but_times(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + blocks() + CALM)
    r.go()
    for jump in (-86_400.0, 3 * 86_400.0, -3_600.0):
        r.clock.wall += jump
        append(log, CALM)
        r.go()
    r.settle()
    assert told(r.sink.events) == [("opened", BELOW, 2)]


def test_42_a_new_knowledge_base_is_used_and_a_broken_one_is_not(rig: Make, tmp_path: Path) -> None:
    from diagnose.watch.wiring import reload
    from tests.watch.kit import tools

    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + blocks() + CALM)
    r.go()

    class Broke:
        entries = 0

        def use(self, knowledge: object) -> None:
            raise InputError(Text("entry x: no title", "항목 x: 제목 없음"))

    before = r.daemon.sources[str(log)].session
    r.reload = lambda: reload(Broke(), r.sink)  # type: ignore[arg-type]
    r.daemon.ask_reload()
    r.step()
    assert r.daemon.sources[str(log)].session is before
    assert r.codes()[-1] == "reload-failed"
    r.reload = lambda: bool(tools())
    r.daemon.ask_reload()
    r.step(1)
    r.settle()
    assert r.daemon.sources[str(log)].session is not before
    append(log, start(2) + MULTIPLE + CALM)
    r.go()
    assert told(r.sink.events) == [("opened", BELOW, 2), ("opened", NOT_MULTIPLE, 5)]


def _cut(log: Path) -> None:
    os.truncate(log, 0)


def _failed_and_cut(rig: Make, tmp_path: Path) -> tuple[Rig, Path, Event]:
    """A failure that was told, whose log was cut away under the watch."""
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start(1) + blocks() + CALM)
    (opened,) = r.go()
    _cut(log)
    return r, log, opened


@pytest.mark.parametrize("kill", [False, True])
def test_36b_an_incident_from_before_a_copytruncate_and_a_restart_is_over_when_the_server_comes_up(
    rig: Make, tmp_path: Path, kill: bool
) -> None:
    r, log, opened = _failed_and_cut(rig, tmp_path)
    r.restart(kill=kill)
    append(log, CALM)
    assert r.go() + r.settle() == []
    append(log, start(2) + ready(2) + CALM)
    (over,) = r.go() + r.settle()
    assert (over.kind, over.incident) == ("recovered", opened.incident)
    assert over.finding is not None
    assert over.finding.line == 2  # as it stood when it was told
    assert [a.kind for a in r.inbox.once.values()] == ["opened", "recovered"]


def test_36b_an_error_at_the_beginning_of_a_cut_file_is_over_though_the_next_start_was_seen_with_it(
    rig: Make, tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    append(log, start())
    r = rig(log)
    r.go()
    log.write_bytes(b"")
    r.go()
    append(log, blocks() + CALM)
    assert told(r.go() + r.settle()) == [("opened", BELOW, 1)]
    append(log, start(2) + ready(2) + CALM + start(3))
    assert told(r.go() + r.settle()) == [("recovered", BELOW, 1)]


def test_36c_what_the_same_run_says_again_after_a_copytruncate_and_a_restart_is_no_news(
    rig: Make, tmp_path: Path
) -> None:
    r, log, _ = _failed_and_cut(rig, tmp_path)
    r.restart(kill=True)
    append(log, blocks() + CALM)
    assert r.go() + r.settle() == []


def test_36d_what_turns_out_to_be_an_echo_after_a_copytruncate_and_a_restart_is_put_right(
    rig: Make, tmp_path: Path
) -> None:
    r, log, opened = _failed_and_cut(rig, tmp_path)
    r.restart(kill=True)
    append(log, CALM)
    r.go()
    (source,) = r.daemon.sources.values()
    (book,) = source.session._books.values()
    (told_before,) = book.told
    assert told_before.is_left
    assert opened.finding is not None
    cause = replace(
        opened.finding, entry="x.cause", line=9, consequences=(Consequence(BELOW, 10, opened.finding.title),)
    )
    steps = book.compare([(cause, "1:x")], calm=True, at=r.clock.now)
    assert [(s.kind, s.finding.entry, s.finding.role) for s in steps] == [
        ("opened", "x.cause", "root"),
        ("amended", BELOW, "consequence"),
    ]
