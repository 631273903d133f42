"""What happens to a log on its way changes nothing: same outcome, causes, numbers and changes.

``python -m bench metamorphic`` takes every example through everything. Here every entry goes through a few of the
transformations, chosen by its own name: a new entry brings cases of its own and changes no other's.
"""

from __future__ import annotations

import zlib
from functools import cache
from random import Random

import pytest

from bench.metamorphic.judging import Case, Judge, apply, cases, pair_names, single_names

EACH = 1
"""Transformations every log goes through here."""
ONE_IN = 4
"""Of so many logs one goes through a pair."""
PAIRS_KEPT = 0.99
PARTS = 6

FIXED = (
    "artifact.other-version[0]",  # lost line ends glue its words together; half of it is another entry's message
    "config.speculative-method[0]",  # a value that goes on behind the width
    "config.speculative-method[1]",  # a sentence that goes on behind the width
    "driver.system-abort[0] in a log",  # a table whose cells look like a compose prefix
    "engine.rbln-worker-fatal[0]",  # an exception's type in mid line
    "foreign.aws-neuron[0]",  # the same, and the rest of it begins with a capital letter
    "hf.broken-weights-file[0]",  # one line, so that nothing but the number in front tells a viewer
    "host.job-cancelled[0] in a log",  # a time in mid sentence
    "memory.dynamic-kv-one-request[2] in a log",  # a number the terminal broke
    "server.port-held[0] in a log",  # a pid in brackets that begins no line
    "torch-rbln.explain-region[1] in a log",  # two hyphens between blanks
)
"""Logs that were diagnosed otherwise once: they go through everything."""


@cache
def judge() -> Judge:
    return Judge()


@cache
def logs() -> tuple[Case, ...]:
    return tuple(cases(judge().knowledge, first_only=True))


@cache
def named() -> dict[str, Case]:
    return {case.name: case for case in cases(judge().knowledge)}


def by_name(case: Case, of: str) -> Random:
    return Random(zlib.crc32(f"{of} {case.name}".encode()))


def changed(case: Case, names: list[str]) -> tuple[list[str], int]:
    """Transformations that changed the diagnosis, and how many could be applied."""
    told = [(name, data) for name in names if (data := apply(name, case)) is not None]
    wrong = [name for name, data in told if not judge().keeps(data, case)]
    return [f"{name}: {case.name}" for name in wrong], len(told)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_entry_is_found_through_every_kind_of_transport_paste_and_encoding(part: int) -> None:
    wrong, tried = [], 0
    for case in logs()[part::PARTS]:
        bad, count = changed(case, by_name(case, "single").sample(single_names(), EACH))
        wrong += bad
        tried += count
    assert wrong == []
    assert tried > 125


def test_pairs_of_transformations_change_nothing_either() -> None:
    wrong, tried = [], 0
    for case in logs():
        r = by_name(case, "pair")
        if r.randrange(ONE_IN) == 0:
            bad, count = changed(case, [r.choice(pair_names())])
            wrong += bad
            tried += count
    assert tried > 200
    assert len(wrong) <= (1 - PAIRS_KEPT) * tried, wrong


@pytest.mark.parametrize("name", FIXED)
def test_what_was_changed_once_is_kept_through_everything(name: str) -> None:
    assert changed(named()[name], list(single_names()))[0] == []


@pytest.mark.parametrize("name", single_names())
def test_the_main_failure_is_found_in_every_form(name: str) -> None:
    case = named()["kv-cache.insufficient-memory[0] in a log"]
    for seed in range(3):
        data = apply(name, case, seed)
        assert data is not None
        assert judge().keeps(data, case)
