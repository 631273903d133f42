"""What happens to a log on its way changes nothing: same outcome, causes, numbers and changes.

``python -m bench metamorphic`` takes every example through everything; here every entry goes through some, and every
transformation sees some entries.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from bench.metamorphic.judging import Case, Judge, apply, cases, pair_names, single_names

EVERY = 24
"""One in so many (entry, transformation) is taken here."""
PAIRS = 260
PAIRS_KEPT = 0.99

CANNOT_BE_TOLD = {
    "joined": "a message of several lines loses the blanks between its words",
    "joined_by_blanks": "a message of several lines can hold what begins a line",
}
"""Transformations that lose what would be needed; most must be kept all the same."""
MOST_KEPT = 0.96


@cache
def judge() -> Judge:
    return Judge()


@cache
def logs() -> tuple[Case, ...]:
    return tuple(cases(judge().knowledge, first_only=True))


def _keeps(name: str, case: Case) -> bool | None:
    """Whether the transformation changes nothing; None where it does not apply."""
    data = apply(name, case)
    return None if data is None else judge().keeps(data, case)


@pytest.mark.parametrize("part", range(6))
def test_every_entry_is_found_through_every_kind_of_transport_paste_and_encoding(part: int) -> None:
    changed, tried = [], 0
    for number, case in enumerate(logs()[part::6]):
        for index, name in enumerate(single_names()):
            if (number + index) % EVERY or name in CANNOT_BE_TOLD:
                continue
            kept = _keeps(name, case)
            tried += kept is not None
            if kept is False:
                changed.append(f"{name}: {case.name}")
    assert changed == []
    assert tried > 250


@pytest.mark.parametrize("name", CANNOT_BE_TOLD)
def test_most_texts_that_lost_their_line_ends_say_the_same(name: str) -> None:
    told = [(case, data) for case in logs()[::5] if (data := apply(name, case)) is not None]
    kept = sum(judge().keeps(data, case) for case, data in told)
    assert kept >= MOST_KEPT * len(told)


def test_pairs_of_transformations_change_nothing_either() -> None:
    r = random.Random(20261129)
    changed, tried = [], 0
    for name in r.sample(pair_names(), PAIRS):
        case = r.choice(logs())
        kept = _keeps(name, case)
        tried += kept is not None
        if kept is False:
            changed.append(f"{name}: {case.name}")
    assert len(changed) <= (1 - PAIRS_KEPT) * tried + 1, changed


@pytest.mark.parametrize("name", [n for n in single_names() if n not in CANNOT_BE_TOLD])
def test_the_main_failure_is_found_in_every_form(name: str) -> None:
    case = next(c for c in logs() if c.name == "kv-cache.insufficient-memory[0] in a log")
    for seed in range(3):
        data = apply(name, case, seed)
        assert data is not None
        assert judge().keeps(data, case)
