"""H. What has no cause of ours is told too, when the log is calm, and put right when its cause turns up."""

from __future__ import annotations

import random
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.watch.limits import CALM_S, DOUBT_S, MAX_UNKNOWN, REPEAT_S
from diagnose.watch.nouns import Event
from diagnose.watch.saying import event_lines
from tests.watch.kit import (
    ACCESS,
    CALM,
    OPENED,
    UNHEARD,
    Make,
    Rig,
    append,
    blocks,
    one_shot,
    ready,
    standing,
    start,
    tools,
    wrong_now,
)

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.log"))
ECHO = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
CUDA = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 112.00 MiB. GPU 0 has a total of 1 GiB\n"


def _kinds(events: list[Event]) -> list[str]:
    return [e.kind for e in events]


def _new(rig: Make, tmp_path: Path) -> tuple[Rig, Path]:
    log = tmp_path / "a.log"
    log.touch()
    return rig(log), log


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_what_one_shot_tells_of_a_log_the_watch_has_told_when_it_is_calm(tmp_path: Path, path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    one = Rig([log])
    one.daemon.step()
    append(log, path.read_bytes())
    one.go()
    one.settle(CALM_S + 1)
    assert standing(one.sink.events) == wrong_now(one_shot(path.read_bytes(), all_runs=True))
    assert standing(one.sink.events) >= wrong_now(one_shot(path.read_bytes()))
    one.close()


@pytest.mark.parametrize("path", FIXTURES[::2], ids=lambda p: p.stem)
def test_a_line_every_three_seconds_is_put_right_until_it_says_what_one_shot_says(tmp_path: Path, path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    one = Rig([log])
    one.daemon.step()
    for line in path.read_bytes().splitlines(keepends=True):
        append(log, line)
        one.step(0.1)
        one.step(CALM_S + 1)
    one.settle(CALM_S + 1)
    assert standing(one.sink.events) == wrong_now(one_shot(path.read_bytes(), all_runs=True))
    one.close()


@cache
def _pieces() -> list[str]:
    """Failures of every kind: the examples of the knowledge base, and some that have no cause of ours."""
    examples = [x.text.rstrip("\n") + "\n" for entry in tools()[0].entries.values() for x in entry.examples]
    random.Random(7).shuffle(examples)
    return [
        UNHEARD,
        ECHO,
        CUDA,
        CALM,
        "",
        *(p.read_text("utf-8") for p in FIXTURES if p.stat().st_size < 2_000),
        *examples,
    ]


@given(st.data())
@settings(max_examples=25)
def test_any_failures_at_any_pace_through_any_restarts_leave_what_one_shot_says(data: st.DataObject) -> None:
    pieces = st.sampled_from(_pieces())
    runs = data.draw(st.lists(st.tuples(pieces, pieces, st.booleans()), min_size=1, max_size=3), label="runs")
    restarts = data.draw(st.sampled_from((("",), ("", "", "", "", "end", "kill"))), label="restarts")
    directory = Path(tempfile.mkdtemp(prefix="doubts"))
    log = directory / "a.log"
    log.touch()
    one = Rig([log])
    one.daemon.step()
    whole, up, wanted_of, restarted = "", 0, [], False
    for number, (first, second, comes_up) in enumerate(runs):
        text = start(number + 1) + first + second + (start(90 + number) + ready(90 + number) if comes_up else "") + CALM
        for line in text.splitlines(keepends=True):
            append(log, line)
            one.go(data.draw(st.sampled_from((0.1, 0.1, 0.6, 3.0)), label="pause"))
            restart = data.draw(st.sampled_from(restarts), label="restart")
            if restart:
                restarted = True
                one.restart(kill=restart == "kill")
        whole += text
        wanted_of.append(wrong_now(one_shot(whole.encode(), repair=False)))
        up = number if comes_up else up
    one.settle(DOUBT_S)
    told = standing(one.sink.events)
    one.close()
    shutil.rmtree(directory)
    assert told >= wrong_now(one_shot(whole.encode(), repair=False))
    if not restarted:  # a new watch is not told of runs before the last one what the one before it said of them
        assert told <= set().union(*wanted_of[up:])


def test_an_echo_alone_and_another_vendors_failure_are_told_and_never_alerted(rig: Make, tmp_path: Path) -> None:
    for name, line, role, domain in (("e", ECHO, "consequence", "vllm"), ("c", CUDA, "root", "foreign")):
        log = tmp_path / f"{name}.log"
        log.touch()
        r = rig(log)
        append(log, start() + line)
        r.go()
        assert r.sink.events == []
        (event,) = r.settle(CALM_S + 1)
        assert event.finding is not None
        assert (event.kind, event.incident, event.finding.line) == ("unknown", "", 2)
        assert (event.finding.role, event.finding.domain) == (role, domain)
        assert r.inbox.arrived == []
        for lang, said in (("en", ("NO CAUSE YET", "ANOTHER VENDOR")), ("ko", ("원인 미확인", "다른 벤더"))):
            assert said[domain == "foreign"] in event_lines(event, lang)[0]  # type: ignore[arg-type]


def test_a_cause_that_comes_before_it_is_calm_is_told_alone(rig: Make, tmp_path: Path) -> None:
    r, log = _new(rig, tmp_path)
    append(log, start() + UNHEARD + CALM)
    r.go(1.0)
    append(log, blocks() + ECHO + CALM)
    r.go(1.0)
    r.settle()
    kinds = {(e.kind, e.finding.entry if e.finding else "-") for e in r.sink.events}
    assert ("opened", OPENED["blocks"]) in kinds
    assert all(e.finding is None or e.finding.role == "root" for e in r.sink.events)


def test_what_was_told_without_a_cause_is_put_down_to_the_cause_that_comes_late(rig: Make, tmp_path: Path) -> None:
    r, log = _new(rig, tmp_path)
    append(log, start() + ECHO + CALM)
    r.go()
    r.settle(CALM_S + 1)
    append(log, blocks() + CALM)
    r.go()
    r.settle()
    unknown, opened, amended = r.sink.events
    assert _kinds(r.sink.events) == ["unknown", "opened", "amended"]
    assert amended.incident == opened.incident
    assert amended.finding is not None
    assert amended.was is not None
    assert (amended.was.line, amended.finding.line) == (2, 4)
    for lang, word in (("en", "explained by line 4"), ("ko", "4행의 원인으로 설명됩니다")):
        (line,) = event_lines(amended, lang)  # type: ignore[arg-type]
        assert ":2 " in line
        assert word in line
        assert line != event_lines(unknown, lang)[0]  # type: ignore[arg-type]


def test_a_server_that_comes_up_ends_what_had_no_cause_and_it_is_news_when_it_comes_again(
    rig: Make, tmp_path: Path
) -> None:
    r, log = _new(rig, tmp_path)
    for pid in (1, 3):
        append(log, start(pid) + UNHEARD)
        r.go()
        r.settle(CALM_S + 1)
        append(log, start(pid + 1) + ready(pid + 1) + CALM)
        r.go()
        r.settle(CALM_S + 1)
    assert _kinds(r.sink.events) == ["unknown", "recovered", "unknown", "recovered"]
    assert all(e.unknown is not None and e.was is None for e in r.sink.events)


def test_a_crash_loop_without_a_cause_is_told_once_an_hour(rig: Make, tmp_path: Path) -> None:
    r, log = _new(rig, tmp_path)
    for pid in range(22):
        append(log, start(pid) + (UNHEARD if pid % 2 else ECHO))
        r.go()
        r.settle(CALM_S + 1)
        r.clock.advance(REPEAT_S / 10 - CALM_S - 1)
    assert _kinds(r.sink.events) == ["unknown", "unknown", "repeated", "repeated", "repeated", "repeated"]


def test_one_run_that_goes_on_with_it_is_told_again_after_an_hour(rig: Make, tmp_path: Path) -> None:
    r, log = _new(rig, tmp_path)
    append(log, start() + ready())
    for _ in range(30):
        append(log, UNHEARD + CALM)
        r.go()
        r.settle(CALM_S + 1)
        r.clock.advance(200)
    assert _kinds(r.sink.events) == ["unknown", "repeated"]


def test_a_log_that_is_never_calm_is_told_all_the_same(rig: Make, tmp_path: Path) -> None:
    r, log = _new(rig, tmp_path)
    append(log, start() + UNHEARD + CALM)
    r.go()
    for n in range(int(DOUBT_S) + 2):
        assert len(r.sink.events) == 0 or n >= DOUBT_S - 1
        append(log, f"Other{'x' * n}Error: one more thing that nobody knows\n{CALM}")
        r.go(1.0)
    assert r.sink.events[0].unknown is not None
    assert r.sink.events[0].unknown.text == UNHEARD.strip()


@pytest.mark.parametrize("kill", [True, False])
def test_what_waits_for_calm_is_told_whoever_ends_the_watch(rig: Make, tmp_path: Path, kill: bool) -> None:
    r, log = _new(rig, tmp_path)
    append(log, start() + CALM)
    r.go()
    r.step(6)
    append(log, CALM + UNHEARD + CALM)
    r.go(1.0)
    for source in r.daemon.sources.values():
        source.saved_at = float("-inf")  # a checkpoint is due while it waits
    r.step()
    assert r.sink.events == []
    r.restart(kill=kill)
    r.settle(CALM_S + 1)
    assert [e.unknown.line for e in r.sink.events if e.unknown] == [4]


def test_a_restart_does_not_tell_again_what_was_told(rig: Make, tmp_path: Path) -> None:
    r, log = _new(rig, tmp_path)
    append(log, start() + UNHEARD + CALM)
    r.go()
    r.settle(CALM_S + 6)
    assert _kinds(r.sink.events) == ["unknown"]
    r.restart()
    r.settle()
    append(log, ACCESS)
    r.go()
    r.settle()
    assert _kinds(r.sink.events) == ["unknown"]


def test_any_number_of_different_errors_is_bounded(rig: Make, tmp_path: Path) -> None:
    r, log = _new(rig, tmp_path)
    letters = "abcdefghijklmnopqrstuvwxyz"
    append(log, start() + "".join(f"Some{a}{b}Error: it {a} is {b} broken\n" for a in letters for b in letters[:8]))
    r.go()
    r.settle()
    (source,) = r.daemon.sources.values()
    assert len(source.session._doubts._kept) <= MAX_UNKNOWN
    assert 0 < len(r.sink.events) <= MAX_UNKNOWN
