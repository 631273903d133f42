"""A. Rotation: read equals written, in order, whatever happens to the path."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from diagnose.watch.tail.system import OsFiles, Stat
from tests.watch.kit import CALM, OPENED, Make, append, blocks, numbered, numbers, start, told

BELOW = OPENED["blocks"]


def test_01_a_renamed_file_that_is_still_written_to_loses_no_line(rig: Make, tmp_path: Path) -> None:
    log, old = tmp_path / "a.log", tmp_path / "a.log.1"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 9))
    r.go()
    log.rename(old)
    append(log, numbered(100, 104))
    append(old, numbered(10, 14))
    r.go()
    for i in range(6):  # three seconds of writing to both
        append(old, numbered(15 + i, 15 + i))
        append(log, numbered(105 + i, 105 + i))
        r.go(0.5)
    r.settle()
    read = numbers(r, log)
    assert [n for n in read if n < 100] == list(range(21))
    assert [n for n in read if n >= 100] == list(range(100, 111))


def test_02_a_traceback_cut_by_a_rename_is_one_event(rig: Make, tmp_path: Path) -> None:
    log, old = tmp_path / "a.log", tmp_path / "a.log.1"
    log.touch()
    r = rig(log)
    append(log, start() + 'Traceback (most recent call last):\n  File "/srv/app/x.py", line 3, in <module>\n')
    r.go()
    log.rename(old)
    append(old, "    main()\n" + blocks())
    append(log, CALM)
    events = r.go() + r.settle()
    assert told(events) == [("opened", BELOW, 5)]
    assert "Traceback" in r.read(log)


def _count_up(directory: Path, kept: int) -> None:
    """``a.log`` becomes ``a.log.1``, that ``a.log.2``, up to ``kept`` old files; those that are there."""
    for number in range(kept, 0, -1):
        source = directory / (f"a.log.{number - 1}" if number > 1 else "a.log")
        if source.exists():
            source.rename(directory / f"a.log.{number}")


def test_03_five_renames_between_two_looks_lose_no_line(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 4))
    r.go()
    for turn in range(1, 6):
        _count_up(tmp_path, turn)
        append(log, numbered(turn * 5, turn * 5 + 4))
    r.go()
    r.settle()
    assert numbers(r, log) == list(range(30))


def test_03b_the_same_when_only_three_old_files_are_kept(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    append(log, numbered(0, 4))
    r = rig(log, mode="start")
    for turn in range(1, 6):
        _count_up(tmp_path, 3)
        append(log, numbered(turn * 5, turn * 5 + 4))
    r.go()
    r.settle()
    # The second one was deleted before anybody could see it; what was kept is all read.
    assert numbers(r, log) == [n for n in range(30) if not 5 <= n <= 9]


class Blinking(OsFiles):
    """A listing made while names are moved: one of them is missing."""

    def names(self, directory: str) -> list[str]:
        return [n for n in super().names(directory) if n != "a.log.2"]


def test_03c_a_name_that_is_being_moved_while_they_are_listed_is_not_missed(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log, files=Blinking())
    append(log, numbered(0, 4))
    r.go()
    for turn in range(1, 4):
        _count_up(tmp_path, turn)
        append(log, numbered(turn * 5, turn * 5 + 4))
    r.go()
    r.settle()
    assert numbers(r, log) == list(range(20))


def test_03d_numbers_that_count_up_are_followed_as_well(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    for turn in range(30):
        append(log, numbered(turn, turn))
        os.utime(log, ns=(turn, 1_000_000_000 * (turn + 1)))
        r.settle(6)
        log.rename(tmp_path / f"a.log.{turn}")
        log.touch()
    r.settle()
    assert numbers(r, log) == list(range(30))


def test_04_copytruncate_with_an_appending_writer(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 9))
    r.go()
    (tmp_path / "a.log.1").write_bytes(log.read_bytes())
    os.truncate(log, 0)
    append(log, numbered(10, 12))
    r.go()
    assert numbers(r, log) == list(range(13))
    assert "truncated" in r.codes()


def test_05_the_hole_of_a_stale_writer_is_skipped(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    with log.open("wb") as writer:  # not in append mode: it keeps its place
        writer.write(numbered(0, 999).encode())
        writer.flush()
        r.go()
        os.truncate(log, 0)
        writer.write(numbered(1000, 1004).encode())
        writer.flush()
        r.go()
    r.settle(1)
    assert numbers(r, log) == list(range(1005))
    assert "\0" not in r.read(log)
    assert "hole" in r.codes()


def test_05b_a_hole_of_gigabytes_costs_nothing(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    with log.open("r+b") as writer:
        writer.seek(3 << 30)
        writer.write(numbered(1, 3).encode())
    r.settle(1.0)
    assert numbers(r, log) == [1, 2, 3]


def test_06_a_file_rewritten_longer_than_before_is_new(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 9))
    r.go()
    with log.open("wb") as out:
        out.write(numbered(500, 599).encode())
    r.go()
    assert numbers(r, log) == [*range(10), *range(500, 600)]


def test_07_a_file_rewritten_to_the_same_size_is_new(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(100, 109))
    r.go()
    with log.open("r+b") as out:
        out.truncate(0)
        out.write(numbered(200, 209).encode())
    os.utime(log, ns=(1, 2))
    r.go()
    assert numbers(r, log) == [*range(100, 110), *range(200, 210)]


def test_07b_a_long_file_with_an_equal_beginning_is_told_from_the_old_one(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    banner = CALM * 40
    r = rig(log)
    append(log, banner + numbered(0, 9))
    r.go()
    with log.open("wb") as out:
        out.write((banner + numbered(700, 799)).encode())
    r.go()
    assert numbers(r, log) == [*range(10), *range(700, 800)]


def test_08_truncated_and_never_written_again_is_quiet(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 9))
    r.go()
    os.truncate(log, 0)
    r.go()
    before = len(r.sink.notices)
    r.settle(20)
    assert len(r.sink.notices) == before
    assert not any(s.tail.waiting for s in r.daemon.sources.values())
    assert r.daemon.step() >= 0.05


def test_09_a_deleted_and_re_created_path_is_read_from_its_first_byte(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 9))
    r.go()
    log.unlink()
    r.go()
    append(log, numbered(10, 19))
    r.go()
    assert numbers(r, log) == list(range(20))


class SameInode(OsFiles):
    """A file system that gives every file the same inode number."""

    def stat(self, path: str) -> Stat | None:
        found = super().stat(path)
        return None if found is None else _as_one(found)

    def open(self, path: str):  # type: ignore[no-untyped-def]
        handle = super().open(path)
        real = handle.stat
        handle.stat = lambda: _as_one(real())  # type: ignore[method-assign]
        return handle


def _as_one(found: Stat) -> Stat:
    return Stat(1, 7, found.size, found.mtime_ns, found.links, found.kind)


def test_10_an_inode_that_is_used_again_is_a_new_file(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    append(log, start(1) + numbered(0, 99))
    r = rig(log, files=SameInode(), mode="end")
    r.go()
    r.daemon.close()
    log.unlink()
    append(log, start(2) + numbered(500, 699) + blocks())
    events = r.restart(kill=True) + r.settle()
    assert told(events) == [("opened", BELOW, 202)]
    assert not events[0].replayed


def test_11_a_symlink_that_is_switched_is_followed_and_the_old_target_is_finished(rig: Make, tmp_path: Path) -> None:
    one, two, link = tmp_path / "run1.log", tmp_path / "run2.log", tmp_path / "current.log"
    one.touch()
    link.symlink_to(one.name)
    r = rig(link)
    append(one, numbered(0, 4))
    r.go()
    append(two, numbered(10, 14))
    append(one, numbered(5, 9))
    fresh = tmp_path / "fresh"
    fresh.symlink_to(two.name)
    fresh.replace(link)
    r.go()
    r.settle(1)
    assert numbers(r, link) == list(range(15))


def test_12_a_folder_that_is_renamed_and_made_anew(rig: Make, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = folder / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 4))
    r.go()
    folder.rename(tmp_path / "logs-old")
    append(tmp_path / "logs-old" / "a.log", numbered(5, 6))
    r.settle(1)
    folder.mkdir()
    append(log, numbered(10, 14))
    r.settle(3)
    assert numbers(r, log) == [*range(7), *range(10, 15)]


def test_13_a_file_that_is_replaced_atomically(rig: Make, tmp_path: Path) -> None:
    log, other = tmp_path / "a.log", tmp_path / "tmp"
    log.touch()
    r = rig(log)
    append(log, numbered(0, 4))
    r.go()
    append(other, numbered(50, 54))
    other.replace(log)
    r.go()
    assert numbers(r, log) == [*range(5), *range(50, 55)]


def test_14_a_rotated_file_that_is_compressed_later_is_not_read_twice(rig: Make, tmp_path: Path) -> None:
    log, old = tmp_path / "a.log", tmp_path / "a.log.1"
    log.touch()
    r = rig(tmp_path / "*")
    append(log, numbered(0, 9))
    r.go(1.5)
    log.rename(old)
    append(log, numbered(10, 14))
    r.go(1.5)
    (tmp_path / "a.log.2.gz").write_bytes(gzip.compress(old.read_bytes()))
    old.unlink()
    r.settle()
    assert numbers(r, log) == list(range(15))
    assert list(r.taps) == [str(log)]


def test_15_two_logs_that_begin_alike_are_two(rig: Make, tmp_path: Path) -> None:
    one, two = tmp_path / "a.log", tmp_path / "b.log"
    for log in (one, two):
        append(log, start() + CALM * 20)
    r = rig(one, two, mode="end")
    append(one, blocks(1))
    append(two, CALM + blocks(2))
    events = r.go() + r.settle()
    assert sorted((e.source, line) for e, (_, _, line) in zip(events, told(events), strict=True)) == [
        (str(one), 22),
        (str(two), 23),
    ]


def test_15b_rotated_logs_that_begin_alike_are_both_read(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    for turn in range(4):
        append(log, start() + CALM * 20 + numbered(turn * 10, turn * 10 + 9))
        r.go()
        log.rename(tmp_path / f"a.log.{turn}")
    r.settle(1)
    append(log, start() + CALM * 20 + numbered(40, 49))
    r.go()
    assert numbers(r, log) == list(range(50))


def test_16_a_pattern_takes_new_files_and_no_rotated_ones(rig: Make, tmp_path: Path) -> None:
    one, two = tmp_path / "a.log", tmp_path / "b.log"
    append(one, numbered(0, 1))
    r = rig(tmp_path / "*.log*")
    append(two, start() + blocks())
    events = r.settle(3)
    assert told(events) == [("opened", BELOW, 2)]
    one.rename(tmp_path / "a.log.1")
    r.settle(15)
    assert "gone" in r.codes()
    assert sorted(r.daemon.sources) == [str(two)]
    assert str(tmp_path / "a.log.1") not in r.taps


def test_16b_a_directory_is_all_its_logs(rig: Make, tmp_path: Path) -> None:
    for name in ("a.log", "b.out", "a.log.1", "a.log-20261129", "c.log.gz", ".hidden", "d.log~"):
        append(tmp_path / name, numbered(0, 1))
    (tmp_path / "sub").mkdir()
    r = rig(tmp_path)
    assert sorted(Path(p).name for p in r.daemon.sources) == ["a.log", "b.out"]
