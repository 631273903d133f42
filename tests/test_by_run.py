"""A program that is started over and over: what belongs to which run, and work that grows as the runs do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose import by_run as room
from diagnose import collected, diagnose_bytes
from diagnose.analyzer import Analyzer
from diagnose.by_run import OF_THE_MACHINE, Contexts, by_run
from diagnose.collected import Collected
from diagnose.conclusion import MAX_FINDINGS
from diagnose.context import FactBook, Mark, in_force
from diagnose.knowledge import load
from diagnose.model import Fact, RunContext
from diagnose.reasoning import Run, split
from diagnose.reasoning.runs import shaping
from diagnose.watch.session import Session
from diagnose.watch.tail.nouns import Origin, Piece

KNOWLEDGE = load({})


def restarts(count: int, *, last: str = "") -> bytes:
    """A server that fails again and again, each time with other values and processes."""
    made = []
    for number in range(count):
        pid, length = 5_000 + number, 8_192 * (number % 40 + 2)
        made.append(
            f"(APIServer pid={pid}) INFO 11-29 08:00:00 [api_utils.py:286] vLLM API server version 0.30.0\n"
            f"(APIServer pid={pid}) INFO 11-29 08:00:00 [api_utils.py:286] non-default args:"
            f" {{'model': 'Qwen/Qwen3-8B', 'max_model_len': {length}, 'max_num_seqs': {number}}}\n"
            f"(EngineCore pid={pid + 1}) ERROR 11-29 08:00:01 [core.py:900] EngineCore failed to start.\n"
            f"(EngineCore pid={pid + 1}) ERROR 11-29 08:00:01 [core.py:900] ValueError: The set `kvcache_num_blocks`"
            f" ({number % 30 + 2}) is less than the minimum number of blocks (33)\n"
        )
    return ("".join(made) + last).encode()


# ------------------------------------------------------------------------------- what belongs to which run


@st.composite
def runs_of(draw: st.DrawFn) -> tuple[Run, ...]:
    firsts = sorted({draw(st.integers(1, 5)), *draw(st.lists(st.integers(6, 40), max_size=6))})
    ends = [first - 1 for first in firsts[1:]] + [firsts[-1] + draw(st.integers(0, 9))]
    return tuple(Run(number, *ends_of) for number, ends_of in enumerate(zip(firsts, ends, strict=True)))


facts = st.lists(
    st.builds(
        lambda name, value, line, rank: Fact(name, value, line, line * 10, "made up", rank),
        st.sampled_from(["npu", "version:vllm", "version:vllm_rbln", "version:optimum_rbln", "max_seq_len", "model"]),
        st.sampled_from(["0.11.0", "0.12.0", "RBLN-CR13"]),
        st.integers(1, 50),
        st.integers(1, 3),
    ),
    max_size=30,
)


@given(facts, runs_of())
def test_any_fact_is_with_the_run_that_holds_its_line(told: list[Fact], runs: tuple[Run, ...]) -> None:
    assert by_run(told, runs) == [[fact for fact in told if run.holds(fact.line)] for run in runs]


@given(facts, runs_of())
def test_what_any_run_was_is_what_its_facts_and_those_of_the_machine_before_it_say(
    told: list[Fact], runs: tuple[Run, ...]
) -> None:
    kept = Collected("-", (), {}, None, False)
    kept.learn(told)
    contexts = Contexts(kept, runs, KNOWLEDGE)
    assert [contexts[number] for number in range(len(runs))] == [_plainly(kept.facts, run) for run in runs]


def _plainly(told: FactBook, run: Run) -> RunContext:
    own = [fact for fact in told if run.holds(fact.line)]
    names = {fact.name for fact in own}
    before = [fact for fact in told if fact.line < run.first and fact.name.startswith(OF_THE_MACHINE)]
    before = [fact for fact in before if fact.name not in names]
    return in_force([*before, *own], parameters=KNOWLEDGE.parameters)


# --------------------------------------------------------------------------------------- how much work it is


class Weighed:
    """Counts the facts that are weighed against each other, and how often that is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = self.facts = 0
        monkeypatch.setattr(room, "in_force", self)

    def __call__(self, told: Sequence[Fact], **more: Any) -> RunContext:
        self.times += 1
        self.facts += len(told)
        return in_force(told, **more)


def test_only_what_is_asked_about_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = Weighed(monkeypatch)
    found = diagnose_bytes(restarts(150))
    assert (found.runs, weighed.times) == (150, 1)
    assert found.run.config["max_seq_len"].value == 8_192 * (149 % 40 + 2)


def test_twice_the_restarts_are_twice_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    up = "(APIServer pid=7) INFO 11-29 09:00:00 [api_utils.py:286] vLLM API server version 0.30.0\n"
    up += "(APIServer pid=7) INFO:     Application startup complete.\n"
    work = []
    for count in (60, 120):
        weighed = Weighed(monkeypatch)
        held = Held(monkeypatch)
        assert diagnose_bytes(restarts(count, last=up)).outcome == "healthy"
        assert 60 < weighed.times <= count + 1
        work.append((weighed.facts, held.times))
    (facts_once, held_once), (facts_twice, held_twice) = work
    assert facts_twice < 2.2 * facts_once
    assert held_twice < 2.2 * held_once


class Held:
    """Counts how often a line is held against a run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0

        def holds(run: Run, line: int) -> bool:
            self.times += 1
            return run.first <= line <= run.last

        monkeypatch.setattr(Run, "holds", holds)


def test_a_look_at_a_followed_log_costs_as_much_as_the_runs_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = (2 * MAX_FINDINGS, 4 * MAX_FINDINGS)  # of more findings than these none are told
    work = []
    for count in counts:
        analyzer = Analyzer(knowledge=KNOWLEDGE, all_runs=True, repair=False)
        session = Session(analyzer, fingerprint=lambda f, c: f"{f.entry}{f.line}", quote=lambda p, f: "")
        session.take(Piece(restarts(count), Origin("a.log", "g"), 0), 0.0)
        held = Held(monkeypatch)
        assert session.review(9.0, "list", end=True).changes
        assert len(session._keys) <= count
        work.append(held.times)
    assert work[1] < 2.2 * work[0]


def test_room_for_signs_of_life_is_made_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def counted(marks: list[tuple[int, Mark]]) -> list[tuple[int, Mark]]:
        looks.append(len(marks))
        return shaping(marks)

    monkeypatch.setattr(collected, "shaping", counted)
    monkeypatch.setattr(collected, "MAX_MARKS", 100)
    kept = Collected("-", (), {}, None, False)
    for number in range(500):
        kept.mark(3 * number + 1, Mark("start", "version", number))
        kept.mark(3 * number + 2, Mark("start", f"platform@{number}"))
        kept.mark(3 * number + 3, Mark("failed-header", "engine", number))
    assert len(looks) <= 1_500 // 50
    kept.lines = 1_500
    assert kept.earlier_runs + len(kept.runs()) == 500
    assert [run.first for run in kept.runs()][-3:] == [1_492, 1_495, 1_498]


KEYS = [
    *("version", "args", "command", "job", "script", "echo:job", "echo:script", "usage", "uncaught"),
    *("platform@1", "platform@2", "platform-script@3", "platform-compiler@4"),
]
marks = st.lists(
    st.builds(
        Mark,
        st.sampled_from(["start", "start", "ready", "stopping", "stopped", "failed-header", "failed", "saved"]),
        st.sampled_from(KEYS),
        st.sampled_from([None, 1, 2]),
    ),
    max_size=30,
)


@given(marks, marks)
def test_any_marks_that_tell_nothing_new_leave_the_runs_as_they_are(earlier: list[Mark], later: list[Mark]) -> None:
    told = list(enumerate(earlier, 1))
    coming = list(enumerate(later, len(told) + 1))
    last = len(told) + len(coming)
    assert split([*shaping(told), *coming], last) == split([*told, *coming], last)
    assert shaping(shaping(told)) == shaping(told)
