"""A few inputs of every fuzz target, and the watch over them. The many run with ``python -m fuzz``."""

from __future__ import annotations

import random
import time

import pytest

from fuzz import runner
from fuzz.__main__ import TARGETS, spread
from fuzz.runner import run_target
from fuzz.target import Run, Target, chance_of


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_a_few_inputs_of_every_target_end_well(target: Target) -> None:
    run = target.prepare()
    for number in range(12):
        run(target.make(chance_of(3, target.name, number)))


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_an_input_is_made_again_from_seed_target_and_number(target: Target) -> None:
    assert target.make(chance_of(1, target.name, 5)) == target.make(chance_of(1, target.name, 5))


def test_all_runs_are_spread_over_all_targets() -> None:
    counts = spread(TARGETS, 20_000)
    assert sum(counts) == 20_000
    assert min(counts) > 100


def made(run: Run) -> Target:
    return Target("made", 1, random.Random.random, lambda: run)


def test_an_input_that_raises_is_named_and_the_others_go_on() -> None:
    def run(given: float) -> None:
        if given == chance_of(1, "made", 3).random():
            raise ValueError("no")

    outcome = run_target(made(run), 1, 10)
    assert outcome.runs == 10
    assert [number for number, _ in outcome.failures] == [3]
    assert "ValueError" in outcome.failures[0][1]


def test_an_input_that_hangs_or_ends_the_process_is_named_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setattr(runner, "LIMIT_S", 0.2)
    hangs, dies = (chance_of(1, "made", number).random() for number in (2, 4))

    def run(given: float) -> None:
        while given == hangs:
            time.time()
        if given == dies:
            os._exit(9)

    outcome = run_target(made(run), 1, 8)
    assert [number for number, _ in outcome.failures] == [2, 4]
    assert outcome.runs == 8
