"""What is bounded stays so, and a storm costs its share."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

from bench.watching import Sizes, write_rotating
from diagnose.watch.ledger import Ledger
from diagnose.watch.limits import MAX_OLD, MAX_SEGMENTS, REVIEW_CREDIT_S, REVIEW_MAX_S
from diagnose.watch.session import Session
from diagnose.watch.tail.nouns import Origin, Piece
from diagnose.watch.tail.system import OsFiles
from tests.watch.kit import CALM, Rig, TapAnalyzer, append, blocks, numbered, numbers, start


def test_writers_that_rotate_fast_lose_nothing(tmp_path: Path) -> None:
    sizes = Sizes(lines_each=4_000, rotate_bytes=8 * 1024)
    logs = [tmp_path / f"{n}.log" for n in range(5)]
    for log in logs:
        log.touch()
    rig = Rig(logs)
    rig.daemon.step()
    threads = [threading.Thread(target=write_rotating, args=(log, sizes)) for log in logs]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        rig.step(0.05)
    for thread in threads:
        thread.join()
    for _ in range(100):
        rig.step(0.3)
    for log in logs:
        assert [int(line.split()[0][2:]) for line in rig.lines(log)] == list(range(4_000))
    rig.close()


def test_rotations_in_quick_succession_keep_few_files_open(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    rig = Rig([log])
    rig.daemon.step()
    for turn in range(60):
        append(log, numbered(turn, turn))
        rig.step(0.01)
        log.rename(tmp_path / f"a.log.{turn}")
        log.touch()
        rig.step(0.01)
        rig.step(0.01)
        (source,) = rig.daemon.sources.values()
        assert source.tail.open_files <= MAX_OLD + 4
    assert numbers(rig, log) == list(range(60))
    rig.close()


def test_reviews_are_made_at_once_until_they_take_too_much() -> None:
    session = Session(TapAnalyzer("-", {}), fingerprint=lambda f, c: "", quote=lambda p, f: "")
    now = 1000.0
    made = 0
    for _ in range(1_000):  # ten seconds of an error storm, a review of 50 ms wherever one is allowed
        if now >= session._allowance.next_review:
            session.spent(now, 0.05)
            made += 1
        now += 0.01
    assert made * 0.05 <= REVIEW_CREDIT_S + 10 * 0.25 + 0.1
    assert made >= 40
    session.spent(now, 60.0)
    assert session._allowance.next_review - now <= REVIEW_MAX_S


def test_a_review_costs_what_it_computed_not_how_long_the_machine_let_it_wait(tmp_path: Path) -> None:
    """On a busy machine the next failure is told as soon as on an idle one."""
    log = tmp_path / "a.log"
    log.touch()
    rig = Rig([log])
    rig.daemon.step()
    (source,) = rig.daemon.sources.values()
    clock, real = rig.clock, source.session.review
    spent = 0.01

    def slow(*args: Any, **options: Any) -> Any:
        clock.advance(60.0)
        clock.used += spent
        return real(*args, **options)

    source.session.review = slow  # type: ignore[method-assign]
    append(log, start() + blocks() + CALM)
    rig.step(0.1)
    assert len(rig.sink.events) == 1
    assert source.session._allowance.next_review <= clock.now
    spent = 60.0
    append(log, start() + blocks(11) + CALM)
    rig.step(0.1)
    assert source.session._allowance.next_review - clock.now == REVIEW_MAX_S
    rig.close()


def test_a_ledger_of_endless_rotations_stays_small() -> None:
    ledger = Ledger()
    for turn in range(3 * MAX_SEGMENTS):
        ledger.take(Piece(b"a\nb\n", Origin("a.log", str(turn))))
    assert len(ledger._segments) <= MAX_SEGMENTS
    assert len(ledger._lines) <= MAX_SEGMENTS
    place = ledger.at_line(ledger.line - 1)
    assert place is not None
    assert (place.origin.generation, place.line) == (str(3 * MAX_SEGMENTS - 1), 2)


class CountingFiles(OsFiles):
    """Counts what is asked of the operating system, by the name of the call."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if callable(found) and not name.startswith("_"):
            self.asked[name] += 1
        return found


def test_looking_is_cheap_where_nothing_was_written(tmp_path: Path) -> None:
    logs = [tmp_path / f"{i}.log" for i in range(50)]
    for log in logs:
        append(log, numbered(0, 9))
    files = CountingFiles()
    rig = Rig(logs, files=files)
    rig.daemon.step()
    rig.settle(12)
    files.asked.clear()
    for _ in range(20):
        rig.step(1)
    assert files.asked.keys() <= {"stat", "real", "is_link", "glob", "names"}, "a quiet log is not opened again"
    assert sum(files.asked.values()) <= 20 * len(logs) * 10, "a few names and the rotated ones beside each"
    rig.close()
