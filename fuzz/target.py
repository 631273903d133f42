"""What a target is: how its inputs are made, and what is done with one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Run = Callable[[Any], None]
"""Raises nothing but what the target swallows itself; anything else is a crash, AssertionError included."""


@dataclass(frozen=True, slots=True)
class Target:
    """One way in for other people's text."""

    name: str
    share: int
    """Of the runs: its inputs are this many out of the sum of all shares."""
    make: Callable[[random.Random], Any]
    """An input; the same random numbers give the same one."""
    prepare: Callable[[], Run]
    """Called once in the process that runs the inputs; loads what every run needs."""


def chance_of(seed: int, target: str, number: int) -> random.Random:
    """The random numbers of one input: a failure is reproduced from seed, target and number alone."""
    return random.Random(f"{seed}:{target}:{number}")
