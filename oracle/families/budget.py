"""memory_budget in every spelling, right and wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from oracle.case import Case
from oracle.families.common import NPUS, TINY, compile_only, machine

GIB = 2**30
WRITTEN: tuple[Any, ...] = (
    0.5, 1.0, 1.5, 0.0, -0.2, 12.0, "80%", "120%", "0%", "0.8", "10GB", "1.5GB", "10GiB", "12 GB", "512MB", "10G",
    "ten", "10.5GB", "200GB", 1, 4 * GIB, 64 * GIB, 400 * GIB, 0,
)  # fmt: skip
WELL_WRITTEN = (0.5, 1.0, "80%", "10GB", "512MB", 1.5, 12.0)
"""Budgets of the right form, though two of them are too large."""


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        config: dict[str, Any] = {
            "max_seq_len": 8192,
            "kvcache_partition_len": 4096,
            "batch_size": rng.choice((1, 4)),
            "memory_budget": rng.choice(WRITTEN),
            "create_runtimes": False,
        }
        if rng.random() < 0.4 and config["memory_budget"] in WELL_WRITTEN:
            config["kvcache_num_blocks"] = rng.choice((0, 2, 5))
        yield Case("budget", compile_only, config, machine(rng, rng.choice(NPUS)), TINY)
