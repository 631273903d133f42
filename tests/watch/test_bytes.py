"""B. Bytes and lines: however they come, a line is a line."""

from __future__ import annotations

from pathlib import Path

from tests.watch.kit import CALM, OPENED, UNHEARD, Make, append, blocks, numbered, numbers, ready, start, told

BELOW = OPENED["blocks"]


def test_17_a_line_in_two_writes_five_seconds_apart_is_one(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    whole = blocks()
    append(log, start() + whole[:40])
    assert told(r.go(5.0)) == []
    append(log, whole[40:] + CALM)
    assert told(r.go()) == [("opened", BELOW, 2)]
    assert r.lines(log)[1] + "\n" == whole


def test_18_a_last_line_without_its_end_is_told_once(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + blocks().rstrip("\n"))
    assert told(r.go()) == []
    assert told(r.settle()) == [("opened", BELOW, 2)]
    append(log, "\n" + CALM)
    assert r.go() + r.settle() == []


def test_19_line_ends_of_all_kinds(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start().rstrip("\n") + "\r")
    r.go()
    append(log, "\n" + "".join(f"\rLoading: {i:3d}%|█████  | {i}/100" for i in range(100)))
    r.go()
    append(log, "\r\n" + blocks().rstrip("\n") + "\r")
    r.go()
    append(log, "\n" + CALM)
    assert told(r.go()) == [("opened", BELOW, 3)]


def test_20_a_syllable_in_two_reads_is_whole(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    raw = (start() + "RuntimeError: 메모리가 부족합니다: 컴파일 실패\n" + CALM).encode()
    cut = raw.index("부".encode()) + 1
    append(log, raw[:cut])
    r.go()
    append(log, raw[cut:])
    events = r.go() + r.settle()
    assert [e.unknown.text for e in events if e.unknown] == ["RuntimeError: 메모리가 부족합니다: 컴파일 실패"]


def test_21_other_encodings_are_read_or_replaced(rig: Make, tmp_path: Path) -> None:
    broken, wide, korean = (tmp_path / n for n in ("broken.log", "wide.log", "korean.log"))
    for log in (broken, wide, korean):
        log.touch()
    r = rig(broken, wide, korean)
    text = start() + "RuntimeError: 장치 오류가 발생했습니다\n" + blocks()
    append(broken, b"\xfa\xff bytes\n" + start().encode() + b"\x80\x81\n" + blocks().encode())
    append(wide, ("\ufeff" + text).encode("utf-16-le"))
    append(korean, text.encode("cp949"))
    r.go()
    events = [*r.sink.events, *r.settle()]
    by_source = {e.source: e for e in events if e.finding}
    assert {e.finding.entry for e in by_source.values() if e.finding} == {BELOW}
    assert len(by_source) == 3


def test_22_nul_bytes_and_colours_cut_between_reads(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start().encode() + b"\0\0\0some\0thing\n\x1b[3")
    r.go()
    append(log, ("1mERROR\x1b[0m 11-29 11:57:53 [core.py:1366] " + blocks()).encode())
    append(log, CALM)
    events = r.go() + r.settle()
    assert told(events) == [("opened", BELOW, 3)]
    assert all("\x1b" not in (e.finding.text if e.finding else "") for e in events)


def test_23_a_line_of_ten_megabytes_is_read_in_bounds(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + "x" * 10_000_000 + "\n" + "ERROR " + "y(" * 50_000 + "\n" + blocks() + CALM)
    r.settle(1.0)
    assert (OPENED["blocks"], 4) in [(entry, line) for _, entry, line in told(r.sink.events)]


def test_24_a_burst_is_read_completely(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, numbered(1, 100_000) + blocks() + CALM)
    events = r.go()
    assert numbers(r, log) == list(range(1, 100_001))
    assert told(events) == [("opened", BELOW, 100_001)]
    assert r.sink.states[0].lag_bytes == 0


def test_25_empty_and_blank_files_and_files_that_appear_later(rig: Make, tmp_path: Path) -> None:
    empty, blank, later = (tmp_path / n for n in ("empty.log", "blank.log", "later.log"))
    empty.touch()
    append(blank, "\n\n\n  \n")
    r = rig(empty, blank, later)
    assert r.settle(2) == []
    append(later, start() + blocks() + CALM)
    events = r.go(1.2)
    assert told(events) == [("opened", BELOW, 2)]
    assert not events[0].replayed


def test_26_one_line_over_and_over_is_one_incident(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start())
    for _ in range(10):
        append(log, blocks() * 5_000)
        r.go()
    r.settle()
    assert [k for k, _, _ in told(r.sink.events)] == ["opened"]
    assert len(r.inbox.once) == 1


def test_26b_unknown_errors_are_told_once_a_text(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + UNHEARD * 50)
    r.go()
    r.settle()
    append(log, ready() + UNHEARD)
    r.go()
    r.settle()
    assert [(e.kind, e.incident) for e in r.sink.events] == [("unknown", "")]
    assert r.inbox.arrived == []
