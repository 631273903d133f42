"""G. The same bytes give the same diagnosis, however they come; and a model that any story must agree with."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from diagnose.analyzer import Analyzer
from diagnose.model import Diagnosis
from tests.watch.kit import (
    CALM,
    MULTIPLE,
    OPENED,
    Make,
    Rig,
    append,
    blocks,
    numbers,
    one_shot,
    ready,
    standing,
    start,
    told,
    tools,
    wrong_now,
)

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.log"))
HEALTHY = [p for p in FIXTURES if p.name.startswith("healthy")]


@cache
def whole(path: Path) -> Diagnosis:
    return one_shot(path.read_bytes(), all_runs=True)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_58_following_gives_what_one_shot_gives(rig: Make, tmp_path: Path, path: Path) -> None:
    data, r = path.read_bytes(), random.Random(path.name)
    log = tmp_path / "a.log"
    log.touch()
    one = rig(log)
    place, turned = 0, False
    while place < len(data):
        size = r.choice((1, 7, 300, 2_000, 8_000))
        if r.random() < 0.3:  # a whole number of lines: a rotation never cuts one
            size = max(data.find(b"\n", place + size) + 1 - place, 1)
        append(log, data[place : place + size])
        place += size
        one.go(r.choice((0.1, 0.1, 0.3)))
        if not turned and data[place - 1 : place] == b"\n" and place > len(data) // 2:
            log.rename(tmp_path / "a.log.1")
            log.touch()
            turned = True
    one.settle()
    (source,) = one.daemon.sources.values()
    found, wanted = source.session.diagnosis, one_shot(data, str(log), all_runs=True)
    if wanted.outcome == "healthy" and found is None:
        assert one.sink.events == []
        return
    assert found is not None
    assert (found.outcome, found.findings, found.unknown) == (wanted.outcome, wanted.findings, wanted.unknown)
    # What was told and not taken back is what one-shot finds.
    assert standing(one.sink.events) == wrong_now(wanted)
    # What was got over by the end was told as well.
    over = {n.entry for n in wanted.notes if n.recovered and n.role == "root" and n.domain != "foreign"}
    assert {e.finding.entry for e in one.sink.events if e.finding} >= over


@pytest.mark.parametrize("path", FIXTURES[::5], ids=lambda p: p.stem)
def test_58b_single_bytes_give_what_one_shot_gives(path: Path) -> None:
    knowledge, engine = tools()
    analyzer = Analyzer(name="-", all_runs=True, knowledge=knowledge, engine=engine)
    for byte in path.read_bytes():
        analyzer.feed(bytes((byte,)))
    assert analyzer.snapshot() == whole(path)
    assert analyzer.snapshot() == whole(path)  # looking changes nothing
    assert analyzer.finish() == whole(path)


@given(st.sampled_from(FIXTURES), st.floats(0, 1))
@settings(max_examples=25)
def test_58c_a_look_at_any_moment_is_the_diagnosis_of_what_was_read(path: Path, where: float) -> None:
    data = path.read_bytes()
    cut = int(where * len(data))
    knowledge, engine = tools()
    analyzer = Analyzer(name="-", all_runs=True, knowledge=knowledge, engine=engine)
    analyzer.feed(data[:cut])
    assert analyzer.snapshot() == one_shot(data[:cut], all_runs=True)
    analyzer.feed(data[cut:])
    assert analyzer.finish() == whole(path)


def _interleaved(r: random.Random) -> str:
    """A worker that fails and two that do not, their lines in any order."""
    workers = [
        [f"(Worker_TP{i} pid={10 + i}) {line}" for line in (f"INFO 11-29 11:58:0{i} [x.py:1] hello", *failure)]
        for i, failure in enumerate(
            (
                ["Traceback (most recent call last):", '  File "/a.py", line 1, in x', blocks().rstrip("\n")],
                ["WARNING 11-29 11:58:01 [x.py:1] slow"],
                ["INFO 11-29 11:58:02 [x.py:1] going on"],
            )
        )
    ]
    lines = []
    while any(workers):
        worker = r.choice([w for w in workers if w])
        lines.append(worker.pop(0))
    return start() + "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(6))
def test_59_the_order_of_independent_processes_does_not_matter(rig: Make, tmp_path: Path, seed: int) -> None:
    log = tmp_path / "a.log"
    log.touch()
    one = rig(log)
    for line in _interleaved(random.Random(seed)).splitlines(keepends=True):
        append(log, line)
        one.go()
    one.settle()
    assert [(kind, entry) for kind, entry, _ in told(one.sink.events)] == [("opened", OPENED["blocks"])]


@given(st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_59b_nor_does_any_order_for_one_shot(r: random.Random) -> None:
    found = one_shot(_interleaved(r).encode(), all_runs=True)
    assert [(f.entry, f.count) for f in found.findings] == [(OPENED["blocks"], 1)]


@pytest.mark.parametrize("path", HEALTHY, ids=lambda p: p.stem)
def test_60_an_hour_of_a_healthy_server_is_quiet(rig: Make, tmp_path: Path, path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    one = rig(log)
    lines = path.read_bytes().splitlines(keepends=True)
    for i in range(0, len(lines), 10):
        append(log, b"".join(lines[i : i + 10]))
        one.go(20)
    one.settle()
    assert one.sink.events == []
    assert one.inbox.arrived == []


class Story(RuleBasedStateMachine):
    """Any order of writing, rotating, cutting, deleting, stopping and killing.

    The model is three lists: the numbers written (and not cut away before a look), the incidents the runs hold,
    and what must have been alerted. Whatever is cut away was looked at before, so nothing may be missing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.next = 0
        self.pid = 1
        self.half = ""
        self.open: set[str] = set()
        self.opened: list[str] = []
        self.over: list[str] = []

    @initialize(tmp=st.uuids())
    def begin(self, tmp: object) -> None:
        import tempfile

        self.directory = Path(tempfile.mkdtemp(prefix="story"))
        self.log = self.directory / "a.log"
        self.log.touch()
        self.rig = Rig([self.log])
        self.rig.daemon.step()
        self.seen: set[int] = set()
        append(self.log, start(self.pid))

    def _look(self, seconds: float = 0.3) -> None:
        self.rig.go(seconds)
        self.seen.update(numbers(self.rig, self.log))

    @rule(count=st.integers(1, 30))
    def write(self, count: int) -> None:
        self._end_half()
        append(self.log, "".join(f"n={self.next + i}\n" for i in range(count)))
        self.next += count

    @rule(cut=st.integers(1, 60))
    def write_half_a_line(self, cut: int) -> None:
        self._end_half()
        line = f"(Worker pid=7) INFO 11-29 11:58:00 [x.py:1] half a line of {self.next} and more\n"
        append(self.log, line[:cut])
        self.half = line[cut:]

    def _end_half(self) -> None:
        append(self.log, self.half)
        self.half = ""

    @rule(which=st.sampled_from(["blocks", "multiple"]))
    def fail(self, which: str) -> None:
        self._end_half()
        append(self.log, (blocks() if which == "blocks" else MULTIPLE) + CALM)
        if which not in self.open:
            self.open.add(which)
            self.opened.append(which)
        self._look()

    @precondition(lambda self: not self.half)
    @rule()
    def come_up(self) -> None:
        self.pid += 1
        append(self.log, start(self.pid) + ready(self.pid) + CALM + start(self.pid + 1))
        self.pid += 1
        self.over += self.open
        self.open.clear()
        self._look()

    @rule(seconds=st.sampled_from([0.1, 1.0, 7.0]))
    def look(self, seconds: float) -> None:
        self._look(seconds)

    @precondition(lambda self: not self.half)
    @rule(late=st.booleans())
    def rotate(self, late: bool) -> None:
        if late:  # nobody looked in between
            self._look()
        for number in range(6, 0, -1):
            old = self.directory / f"a.log.{number}"
            if old.exists():
                old.rename(self.directory / f"a.log.{number + 1}")
        self.log.rename(self.directory / "a.log.1")
        self.log.touch()

    @precondition(lambda self: not self.half)
    @rule()
    def copy_and_truncate(self) -> None:
        self._look()
        self.rig.settle(6)
        with self.log.open("r+b") as out:
            out.truncate(0)
        self._look()

    @rule(kill=st.booleans())
    def end_and_start(self, kill: bool) -> None:
        self.rig.restart(kill=kill)
        self._look()

    @invariant()
    def every_line_is_read_and_every_incident_told_once(self) -> None:
        if not hasattr(self, "rig"):
            return
        self._look(0.3)
        self._look(0.3)
        self.seen.update(numbers(self.rig, self.log))
        assert self.seen == set(range(self.next))
        events = told(self.rig.sink.events)
        assert sorted(e for k, e, _ in events if k == "opened") == sorted(OPENED[which] for which in self.opened)
        assert sorted(e for k, e, _ in events if k == "recovered") == sorted(OPENED[which] for which in self.over)

    def teardown(self) -> None:
        import shutil

        if hasattr(self, "rig"):
            alerts = [(a.kind, a.payload["finding"]["entry"]) for a in self.rig.inbox.once.values()]
            wanted = [("opened", OPENED[which]) for which in self.opened]
            assert sorted(alerts) == sorted(wanted + [("recovered", OPENED[which]) for which in self.over])
            self.rig.close()
            shutil.rmtree(self.directory)


TestStory = Story.TestCase
TestStory.settings = settings(max_examples=15, stateful_step_count=14, suppress_health_check=list(HealthCheck))
