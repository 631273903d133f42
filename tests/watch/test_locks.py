"""D. Two watches: one log is followed by one of them, whatever it is called; every process has a pipe of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diagnose.model import InputError
from diagnose.watch.locks import FileLocks
from tests.watch.kit import CALM, OPENED, Make, Rig, append, blocks, start, told

BELOW = OPENED["blocks"]


@pytest.mark.parametrize("name", ["a.log", "link.log", "sub/../a.log"])
def test_41_two_daemons_on_one_log_are_one(rig: Make, tmp_path: Path, name: str) -> None:
    log, other = tmp_path / "a.log", tmp_path / name
    append(log, start())
    (tmp_path / "sub").mkdir()
    if not other.exists():
        other.symlink_to(log)
    place = tmp_path / "db.lock"
    child = os.fork()
    if child == 0:  # a lock is of a process: the other daemon has to be another one
        FileLocks(place).take(str(log))
        os.kill(os.getpid(), 19)
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    with pytest.raises(InputError):
        Rig([other], locks=FileLocks(place)).daemon.step()
    os.kill(child, 9)
    os.waitpid(child, 0)
    # However it ended, its lock is free.
    r = rig(log, locks=FileLocks(place))
    assert list(r.daemon.sources) == [str(log)]


def test_41b_a_lock_is_given_back_wherever_the_link_leads_by_then(tmp_path: Path) -> None:
    link, place = tmp_path / "now.log", tmp_path / "db.lock"
    for name in ("1.log", "2.log"):
        (tmp_path / name).touch()
    link.symlink_to(tmp_path / "1.log")
    locks = FileLocks(place)
    assert locks.take(str(link))
    link.unlink()
    link.symlink_to(tmp_path / "2.log")
    locks.release(str(link))
    child = os.fork()
    if child == 0:
        os._exit(int(not FileLocks(place).take(str(tmp_path / "1.log"))))
    assert os.waitpid(child, 0)[1] == 0


def test_41c_two_pipes_are_two(rig: Make, tmp_path: Path) -> None:
    place = tmp_path / "db.lock"
    child = os.fork()
    if child == 0:
        FileLocks(place).take("-")
        os.kill(os.getpid(), 19)
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    read, write = os.pipe()
    r = rig("-", locks=FileLocks(place), stdin=read)
    os.write(write, (start() + blocks() + CALM).encode())
    assert told(r.go()) == [("opened", BELOW, 2)]
    os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(write)
