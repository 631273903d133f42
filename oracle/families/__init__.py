"""Families of errors: each draws random cases for ever, seeded, most of them wrong in one way and some right."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from oracle.case import Case
from oracle.families import (
    attention,
    budget,
    decoder,
    devices,
    gemma4,
    generation,
    loading,
    memory,
    modules,
    pool,
    vision,
)

Draw = Callable[[random.Random], Iterator[Case]]

FAMILIES: Mapping[str, Draw] = {
    "attention": attention.cases,
    "budget": budget.cases,
    "decoder": decoder.cases,
    "devices": devices.cases,
    "gemma4": gemma4.cases,
    "generation": generation.cases,
    "loading": loading.cases,
    "memory": memory.cases,
    "modules": modules.cases,
    "pool": pool.cases,
    "vision": vision.cases,
}
"""Name → endless draw."""
