"""C. Events of many lines, from many processes."""

from __future__ import annotations

from pathlib import Path

from tests.promises.logs import serve_log
from tests.watch.kit import ACCESS, CALM, MULTIPLE, OPENED, Make, append, blocks, ready, start, told

BELOW, NOT_MULTIPLE = OPENED["blocks"], OPENED["multiple"]


def _worker(name: str, lines: str) -> list[str]:
    return [f"({name}) {line}" for line in lines.splitlines()]


TRACE = 'Traceback (most recent call last):\n  File "/srv/app/{f}.py", line 3, in step\n    run()\n'


def test_27_interleaved_tracebacks_of_two_processes_are_two(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    one = _worker("Worker_TP0 pid=11", TRACE.format(f="a") + blocks())
    two = _worker("Worker_TP1 pid=12", TRACE.format(f="b") + MULTIPLE)
    append(log, start())
    for pair in zip(one, two, strict=True):
        for line in pair:
            append(log, line + "\n")
            r.go()
    events = [*r.sink.events, *r.settle()]
    assert sorted(entry for kind, entry, _ in told(events) if kind == "opened") == sorted({BELOW, NOT_MULTIPLE})


def test_28_carets_notes_and_chained_causes_are_one_event(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    text = (
        start()
        + TRACE.format(f="a").replace("    run()\n", "    run()\n    ^^^^^\n")
        + blocks()
        + "\nThe above exception was the direct cause of the following exception:\n\n"
        + TRACE.format(f="b").replace("    run()\n", "    run()\n    ~~~^^\n")
        + "RuntimeError: could not start\n"
    )
    for line in text.splitlines(keepends=True):
        append(log, line)
        r.go()
    r.settle()
    assert [e for e in told(r.sink.events) if e[0] == "opened"] == [("opened", BELOW, 6)]


def test_29_an_event_that_is_never_closed_is_told_after_a_while(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + TRACE.format(f="a") + blocks())
    assert told(r.go()) == []
    assert told(r.settle(1.0)) == [("opened", BELOW, 5)]


def test_30_an_event_of_thousands_of_lines_keeps_its_first_and_last(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    frames = "".join(f'  File "/srv/app/x.py", line {i}, in step\n    run()\n' for i in range(5_000))
    append(log, start() + "Traceback (most recent call last):\n" + frames + blocks() + CALM)
    events = r.go() + r.settle()
    assert told(events) == [("opened", BELOW, 10_003)]


def test_31_one_failure_printed_by_every_process_is_one_root(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    text = serve_log(MULTIPLE.rstrip("\n"), args="{'model': 'X'}")
    for line in text.splitlines(keepends=True):
        append(log, line)
        r.go(0.05)
    r.settle()
    assert [k for k, _, _ in told(r.sink.events)] == ["opened"]
    (source,) = r.daemon.sources.values()
    assert source.session.diagnosis is not None
    assert source.session.diagnosis.findings[0].consequences


def test_a_root_that_turns_out_to_be_an_echo_is_put_right_not_repeated(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    before = start() + TRACE.format(f="a") + blocks()
    append(log, before)
    r.go()
    first = r.settle()
    assert told(first) == [("opened", BELOW, 5)]
    # The same failure was only printed first by a process that had been handed it.
    append(log, ready())
    second = r.go() + r.settle()
    assert [(e.kind, e.incident) for e in second] == [("recovered", first[0].incident)]


def test_other_processes_that_go_on_writing_hold_up_nothing(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + TRACE.format(f="a") + blocks())
    r.go()
    for _ in range(20):
        append(log, ACCESS)
        r.go()
    assert told(r.sink.events) == [("opened", BELOW, 5)]


def test_an_incident_is_over_when_a_later_start_comes_up(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start(1) + blocks() + CALM)
    opened = r.go()
    append(log, start(2) + CALM)
    assert told(r.go()) == []
    append(log, ready(2))
    recovered = r.go() + r.settle()
    assert told(opened + recovered) == [("opened", BELOW, 2), ("recovered", BELOW, 2)]
    assert opened[0].incident == recovered[0].incident


def test_a_year_of_restarts_stays_small(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    for pid in range(60):
        append(log, start(pid) + (blocks() if pid % 2 else MULTIPLE) + CALM)
        r.go()
    (source,) = r.daemon.sources.values()
    assert len(source.session._analyzer.runs()) <= 4
    assert len(list(source.session._analyzer._collected.events)) < 20
    assert len(source.session._books) <= 70
    # Two failures, each told once: 58 more came within the hour.
    assert [k for k, _, _ in told(r.sink.events)] == ["opened", "opened"]


SCRIPT = "RBLN SDK compiler version: 0.12.0\n"
"""What a script begins with; nothing says that one ended well."""


def test_a_script_that_says_nothing_after_a_failed_one_is_not_taken_for_a_recovery(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "compile.log"
    log.touch()
    r = rig(log)
    append(log, SCRIPT + TRACE.format(f="a") + blocks())
    r.go()
    r.settle()
    append(log, SCRIPT + "Compiling the model\n")
    r.go()
    r.settle(60)
    assert told(r.sink.events) == [("opened", BELOW, 5)]
    assert r.daemon.sources[str(log)].session.state != "ready"


def test_a_script_that_fails_otherwise_after_a_failed_one_is_told_beside_it(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "compile.log"
    log.touch()
    r = rig(log)
    append(log, SCRIPT + TRACE.format(f="a") + blocks())
    r.go()
    r.settle()
    append(log, SCRIPT + TRACE.format(f="a") + MULTIPLE)
    r.go()
    r.settle(60)
    assert [(kind, entry) for kind, entry, _ in told(r.sink.events)] == [("opened", BELOW), ("opened", NOT_MULTIPLE)]


def test_the_rule_for_repeats_is_the_one_the_readmes_state(rig: Make, tmp_path: Path) -> None:
    for name, said in (("README.md", "again an hour after the last"), ("README.ko.md", "1시간이 지난 뒤에야")):
        assert said in (Path(__file__).parents[2] / name).read_text("utf-8")
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    for pid, wait in ((1, 60), (2, 3_400), (3, 300), (4, 60)):
        append(log, start(pid) + blocks() + CALM)
        r.go()
        r.clock.advance(wait)
    assert [kind for kind, _, _ in told(r.sink.events)] == ["opened", "repeated"]  # at 0 s and at 3,760 s
    append(log, start(5) + ready(5) + CALM + start(6) + blocks() + CALM)
    r.go()
    r.settle()
    assert [kind for kind, _, _ in told(r.sink.events)][2:] == ["recovered", "opened"]


def test_every_failure_and_every_recovery_of_many_restarts_is_told(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    for turn in range(40):
        append(log, start(turn) + ready(turn) + (CALM if turn % 3 else ""))
        r.go()
        append(log, start(100 + turn) + blocks() + (CALM if turn % 2 else ""))
        r.go()
        r.settle(0.5)
    assert [kind for kind, _, _ in told(r.sink.events)] == ["opened", *["recovered", "opened"] * 39]
