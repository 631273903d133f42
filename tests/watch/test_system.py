"""E. The operating system: lost events, no events, permissions, pipes, descriptors, fairness."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path
from typing import Any

import pytest

from diagnose.model import InputError
from diagnose.watch.discovery import Discovery
from diagnose.watch.tail.system import Handle, OsFiles
from diagnose.watch.wake import EventWaker
from tests.watch.kit import CALM, OPENED, Make, Rig, append, blocks, numbered, numbers, start, told

BELOW = OPENED["blocks"]


class DeafObserver:
    """Watchdog's interface, with a share of the events lost."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.handlers: list[Any] = []

    def start(self) -> None:
        """Nothing runs."""

    def schedule(self, handler: Any, path: str, recursive: bool) -> object:
        self.handlers.append(handler)
        return object()

    def unschedule(self, watch: object) -> None:
        """Nothing was watched."""

    def stop(self) -> None:
        """Nothing runs."""

    def join(self, timeout: float) -> None:
        """Nothing runs."""

    def happened(self) -> None:
        class Event:
            event_type = "modified"

        if random.Random(len(self.handlers)).random() >= self.share:
            self.handlers[0].on_any_event(Event())


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_44_lost_events_cost_time_only(tmp_path: Path, share: float) -> None:
    log = tmp_path / "a.log"
    log.touch()
    rig = Rig([log])
    observer = DeafObserver(share)
    rig.waker = rig.daemon._waker = EventWaker(observer)
    pause = rig.daemon.step()
    for i in range(20):
        append(log, numbered(i, i))
        observer.happened()
        rig.waker.wait(0)  # woken or not
        rig.clock.advance(pause)
        rig.daemon.step()
        assert numbers(rig, log) == list(range(i + 1))
        assert pause <= 1.0
    rig.close()


def test_45_without_events_it_polls_and_says_so(tmp_path: Path) -> None:
    class Full(DeafObserver):
        def schedule(self, handler: Any, path: str, recursive: bool) -> object:
            raise OSError(errno.ENOSPC, "inotify watch limit reached")

    log = tmp_path / "a.log"
    log.touch()
    rig = Rig([log])
    rig.waker = rig.daemon._waker = EventWaker(Full(0))
    for _ in range(5):
        assert rig.daemon.step() <= 0.1
        rig.clock.advance(1)
    assert rig.codes() == ["polling"]
    append(log, numbered(0, 3))
    rig.step(0.1)
    assert numbers(rig, log) == list(range(4))
    rig.close()


class Moody(OsFiles):
    """Refuses to open or to read when told to."""

    refusing = False
    failing = False

    def open(self, path: str) -> Handle:
        if self.refusing:
            raise PermissionError(errno.EACCES, "Permission denied")
        handle: Any = super().open(path)
        read = handle.read

        def moody_read(offset: int, size: int) -> bytes:
            if self.failing:
                raise OSError(errno.ESTALE, "Stale file handle")
            return bytes(read(offset, size))

        handle.read = moody_read
        return handle  # type: ignore[no-any-return]


def test_46_a_network_file_system_that_fails_for_a_while(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    files = Moody()
    r = rig(log, files=files)
    append(log, numbered(0, 4))
    r.go()
    files.failing = True
    append(log, numbered(5, 9))
    r.settle(10)
    assert r.codes() == ["unreadable"]
    files.failing = False
    r.settle(1)
    assert numbers(r, log) == list(range(10))
    assert r.codes() == ["unreadable", "readable"]


def test_47_a_file_that_may_not_be_read_is_said_once_and_read_when_it_may(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    append(log, start() + numbered(0, 4))
    files = Moody()
    files.refusing = True
    r = rig(log, files=files)
    r.settle(20)
    assert r.codes() == ["unreadable"]
    files.refusing = False
    append(log, blocks() + CALM)
    r.settle(2)
    assert numbers(r, log) == list(range(5))
    assert r.codes()[:3] == ["unreadable", "appeared", "readable"]
    assert told(r.sink.events) == [("opened", BELOW, 7)]


def test_48_a_pipe_is_read_to_its_end(rig: Make) -> None:
    reader, writer = os.pipe()
    r = rig("-", stdin=reader)
    os.write(writer, (start() + blocks()).encode())
    r.waker.wait(1.0)
    r.step()
    assert told(r.sink.events) == []
    assert not r.daemon.done()
    os.write(writer, CALM.encode())
    r.step(0.1)
    assert told(r.sink.events) == [("opened", BELOW, 2)]
    os.close(writer)
    r.step(0.1)
    assert r.daemon.done()
    assert r.daemon.outcome() == "diagnosed"
    os.close(reader)


def test_48b_a_fifo_outlives_its_writers(rig: Make, tmp_path: Path) -> None:
    fifo = tmp_path / "log.fifo"
    os.mkfifo(fifo)
    r = rig(fifo)
    for turn in range(3):
        with fifo.open("wb", buffering=0) as out:
            out.write(numbered(turn * 2, turn * 2 + 1).encode())
        r.step(0.1)
    assert numbers(r, fifo) == list(range(6))
    assert not r.daemon.done()


def test_49_a_pipe_that_ends_without_a_line_end_is_told(rig: Make) -> None:
    reader, writer = os.pipe()
    r = rig("-", stdin=reader)
    os.write(writer, (start() + blocks()).rstrip("\n").encode())
    os.close(writer)
    r.step(0.1)
    assert told(r.sink.events) == [("opened", BELOW, 2)]
    assert r.daemon.done()
    os.close(reader)


def test_49b_a_compressed_file_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"use rbln-diagnose .*a\.log\.gz"):
        Discovery([str(tmp_path / "a.log.gz")], OsFiles())


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")
def test_50_rotations_leak_no_descriptor(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    for turn in range(5):
        append(log, numbered(turn, turn))
        r.step(6)
        log.rename(tmp_path / "a.log.1")
        log.touch()
    before = _descriptors()
    for turn in range(5, 200):
        append(log, numbered(turn, turn))
        r.step(6)
        log.rename(tmp_path / "a.log.1")
        log.touch()
    r.settle()
    assert numbers(r, log) == list(range(200))
    assert _descriptors() <= before


def test_51_a_busy_file_does_not_starve_the_others(rig: Make, tmp_path: Path) -> None:
    logs = [tmp_path / f"{i:03}.log" for i in range(60)]
    for log in logs:
        log.touch()
    r = rig(*logs)
    append(logs[0], (CALM * 1000) * 500)  # more than one turn holds
    for log in logs[1:]:
        append(log, start() + blocks() + CALM)
    r.step(0.1)
    assert {e.source for e in r.sink.events} == {str(log) for log in logs[1:]}
    assert r.daemon.sources[str(logs[0])].tail.lag_bytes > 0


def test_52_nothing_is_reviewed_and_nothing_is_written_while_nothing_happens(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + blocks() + CALM)
    r.go()
    r.settle(15)
    (source,) = r.daemon.sources.values()
    writes: list[object] = []
    real = r.store.write
    r.store.write = lambda *a, **k: writes.append(a) or real(*a, **k)  # type: ignore[method-assign,func-returns-value]
    before = source.session.diagnosis
    r.settle(120)
    assert source.session.diagnosis is before
    assert writes == []


def test_what_is_written_while_the_daemon_gets_ready_is_new_and_not_there_before(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    append(log, start() + CALM)
    r = rig(log)

    def prepare() -> None:
        append(log, blocks() + CALM)
        r.settle()
        r.daemon.stop()

    r.daemon.run(prepare)
    assert [(event.kind, event.replayed) for event in r.sink.events] == [("opened", False)]


def test_every_path_that_means_no_file_yet_is_named(tmp_path: Path) -> None:
    there, empty = tmp_path / "a.log", tmp_path / "empty"
    append(there, CALM)
    empty.mkdir()
    missing = [str(empty), str(tmp_path / "b*.log"), str(tmp_path / "none" / "c.log")]
    paths = [str(there), *missing, str(tmp_path / "a*.log"), str(tmp_path), "-"]
    assert Discovery(paths, OsFiles()).awaited() == missing
