"""What the daemon keeps, opens and hands on within limits; beyond them it says so, and the rest goes on."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from diagnose.incidents.nouns import Alert, Batch, Sighting
from diagnose.model import RunContext, Unknown
from diagnose.redact import Surroundings
from diagnose.watch import alerts, daemon, hiding, keeper, limits, memory, saying
from diagnose.watch.alerts import LONGEST_RETRY_S, Dispatcher
from diagnose.watch.doubts import Doubts, Scene
from diagnose.watch.hiding import HidingSink
from diagnose.watch.keeper import Keeper
from diagnose.watch.memory import MemoryStore
from diagnose.watch.session import KEEP_RUNS
from diagnose.watch.tail import names, packed
from diagnose.watch.tail.identity import identify
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.tail.system import OsFiles
from diagnose.watch.words import WORDS
from tests.incidents.kit import finding
from tests.watch.kit import CALM, HandClock, ListSink, Rig, append, blocks, start, told

LANGS = ("en", "ko")


def sighting(number: int) -> Sighting:
    found = finding(f"ValueError: {number}")
    return Sighting("opened", f"1:{number}", "gen+1", 0, found, RunContext(), "the line")


# ------------------------------------------------------------------------------------- alerts


class Runner:
    """Takes every alert and never has a result."""

    def __init__(self) -> None:
        self.taken: list[Alert] = []

    def submit(self, alert: Alert) -> bool:
        self.taken.append(alert)
        return True

    def results(self) -> list[tuple[Alert, bool]]:
        return []

    def close(self) -> None:
        self.taken = []


def dispatcher(channels: tuple[str, ...], waiting: int) -> tuple[Dispatcher, Runner, HandClock]:
    clock, sink, runner = HandClock(), ListSink(), Runner()
    held = Keeper(None, clock=clock, host="here", say=sink.notice)
    for turn, channel in enumerate(channels):
        for number in range(waiting):
            held.write(Batch(None, (sighting(turn * waiting + number),)), "a.log", [channel])
    return Dispatcher(held, channels, runner, clock=clock, say=sink.notice, jitter=lambda: 1.0), runner, clock


def test_a_channel_that_hangs_holds_so_many_alerts_and_no_other_channel() -> None:
    made, runner, clock = dispatcher(("hangs", "works"), limits.MAX_ALERTS_WAITING + 9)
    for _ in range(3):
        made.step()
        clock.advance(alerts.ASK_S)
    taken = [alert.channel for alert in runner.taken]
    assert taken.count("hangs") == taken.count("works") == limits.MAX_ALERTS_WAITING


def test_attempts_are_never_further_apart_than_the_longest_wait() -> None:
    made, _, _ = dispatcher((), 0)
    assert made.delay(0) < LONGEST_RETRY_S
    assert {made.delay(attempts) for attempts in (20, 60, 10**9)} == {LONGEST_RETRY_S}


# -------------------------------------------------------------------------------------- store


class Down:
    """A store that cannot be written."""

    def __getattr__(self, name: str) -> Any:
        raise OSError("down")


def test_what_waits_for_the_store_is_bounded_and_that_the_oldest_goes_is_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert limits.MAX_BACKLOG >= 1_000
    for module in (keeper, memory):
        monkeypatch.setattr(module, "MAX_BACKLOG", 30)
    monkeypatch.setattr(memory, "MAX_TOLD", 20)
    clock, sink, real = HandClock(), ListSink(), MemoryStore(lambda: 0.0)
    stores: list[Any] = [Down()]
    held = Keeper(lambda: stores[0], clock=clock, host="here", say=sink.notice)
    for number in range(30):
        held.write(Batch(None, (sighting(number),)), "a.log", ["slack"])
    assert "backlog-full" not in {notice.code for notice in sink.notices}
    for number in range(3):
        held.write(Batch(None, (sighting(-1 - number),)), "a.log", ["slack"])
    codes = [notice.code for notice in sink.notices]
    assert (codes.count("backlog-full"), codes.count("alerts-dropped")) == (1, 1)
    assert len(held.due_alerts()) == 30
    stores[0] = real
    clock.advance(limits.RETRY_S)
    held.recover()
    assert not held.down
    assert len(real._incidents) == 20


@pytest.mark.parametrize("code", ["backlog-full", "alerts-dropped", "too-many"])
def test_what_overflows_is_told_in_both_languages(code: str) -> None:
    for lang in LANGS:
        assert "1000" in saying.notice_line(Notice(code, "", {"limit": limits.MAX_BACKLOG}), lang)  # type: ignore[arg-type]
        assert f"notice_{code}" in WORDS[lang]  # type: ignore[index]


def test_incidents_in_memory_are_so_many_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.MAX_TOLD >= 1_000
    monkeypatch.setattr(memory, "MAX_TOLD", 30)
    store = MemoryStore(lambda: 0.0)
    for number in range(35):
        store.write(Batch(None, (sighting(number),)), source="a.log", host="here")
    left = store.left_open("a.log", "here")
    assert len(left) == 30
    assert left[-1].incident.finding["text"] == "ValueError: 34"


# -------------------------------------------------------------------------------------- files


def test_files_beyond_the_limit_are_not_followed_and_it_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert limits.MAX_SOURCES >= 1_000
    monkeypatch.setattr(daemon, "MAX_SOURCES", 2)
    logs = [tmp_path / f"{n}.log" for n in range(4)]
    for log in logs:
        log.touch()
    rig = Rig(logs)
    rig.daemon.step()
    rig.settle(3)
    assert len(rig.daemon.sources) == 2
    assert rig.codes().count("too-many") == 1
    followed = Path(next(iter(rig.daemon.sources)))
    append(followed, start() + blocks() + CALM)
    assert [kind for kind, _, _ in told(rig.go(1))] == ["opened"]
    rig.close()


def test_rotated_files_are_looked_at_from_the_latest_on(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    for number in range(1, limits.MAX_SIBLINGS + 21):
        (tmp_path / f"a.log.{number}").write_text(f"{number}\n", "utf-8")
    found = names.siblings(OsFiles(), str(log))
    numbers = sorted(int(one.path.rpartition(".")[2]) for one in found)
    for one in found:
        one.handle.close()
    assert numbers == list(range(1, limits.MAX_SIBLINGS + 1))


def pack(path: Path, text: str, at: int) -> None:
    path.write_bytes(gzip.compress(text.encode(), 1))
    os.utime(path, (at, at))


def test_compressed_files_are_looked_at_from_the_latest_on(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    for number in range(limits.MAX_PACKED + 3):
        pack(tmp_path / f"a.log.{number}.gz", f"{number} " + "x" * 200 + "\n", 1_000_000 - number)
    kept = [Path(place).name for place, _ in packed._places(OsFiles(), str(log))]
    assert kept == [f"a.log.{number}.gz" for number in range(limits.MAX_PACKED - 1, -1, -1)]


@pytest.mark.parametrize("fits", [True, False])
def test_a_compressed_file_is_written_out_up_to_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fits: bool
) -> None:
    text = "n=1\n" * 200
    assert limits.MAX_UNPACKED_BYTES >= 2**31
    monkeypatch.setattr(packed, "MAX_UNPACKED_BYTES", len(text) - (not fits))
    plain = tmp_path / "plain"
    plain.write_text(text, "utf-8")
    handle = OsFiles().open(str(plain))
    identity = identify(handle)
    handle.close()
    pack(tmp_path / "a.log.1.gz", text, 1_000_000)
    found = packed.packed_since(OsFiles(), str(tmp_path / "a.log"), identity, 0)
    assert len(found) == fits
    for one in found:
        one.handle.close()


# ------------------------------------------------------------------------------------ session


def test_unknown_errors_of_one_run_are_told_so_many() -> None:
    doubts = Doubts()
    found = tuple(Unknown(n, 0, f"kind {n}", f"kind {n}", 1) for n in range(limits.MAX_UNKNOWN + 9))
    scene = Scene("gen+1", (), found, None, whole=True, shown=False)
    assert len(doubts.compare([scene], (0, 1), calm=True, now=0.0)) == limits.MAX_UNKNOWN
    assert doubts.compare([scene], (0, 1), calm=True, now=9.0) == []


def test_what_is_not_over_of_earlier_runs_is_kept_so_much() -> None:
    doubts = Doubts()
    for number in range(limits.MAX_TOLD + 9):
        unknown = Unknown(number, 0, f"kind {number}", f"kind {number}", 1)
        scene = Scene(f"gen+{number}", (), (unknown,), None, whole=True, shown=True)
        assert len(doubts.compare([scene], (0, 1), calm=True, now=0.0)) == 1
        doubts.forget([scene.run])
    assert len(doubts.recover(["gen+x"])) == limits.MAX_TOLD


def test_runs_that_were_told_are_kept_so_many(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    rig = Rig([log])
    rig.daemon.step()
    for pid in range(KEEP_RUNS + 4):
        append(log, start(pid) + blocks() + CALM)
        rig.go(1)
        rig.settle(4)
    (source,) = rig.daemon.sources.values()
    analyzer = source.session._analyzer
    assert len(analyzer.look(analyzer.opened()).runs) == KEEP_RUNS
    assert len(source.session._books) <= limits.MAX_TOLD
    rig.close()


# ------------------------------------------------------------------------------------- saying


def test_a_line_about_ourselves_is_so_long() -> None:
    line = saying.notice_line(Notice("unreadable", "/x" * 400, {"why": "no"}), "en")
    assert len(line) <= saying.LONGEST


def test_names_of_paths_are_remembered_up_to_a_number_and_hidden_beyond_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hiding.MAX_NAMES >= limits.MAX_SOURCES
    monkeypatch.setattr(hiding, "MAX_NAMES", 4)
    sink = ListSink()
    hidden = HidingSink(sink, Surroundings(home="/home/kim"))
    for _ in range(2):
        for number in range(9):
            hidden.notice(Notice("gone", f"/home/kim/{number}.log", {}))
    assert not any("kim" in notice.path for notice in sink.notices)
    assert [n.path for n in sink.notices[:9]] == [n.path for n in sink.notices[9:]]
    assert hidden._name.cache_info().currsize == 4
