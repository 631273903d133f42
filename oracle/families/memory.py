"""Automatic pools on devices that hold too few blocks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from oracle.case import Case
from oracle.families.common import NPUS, SHAPES, compile_only, devices_for, hf_numbers, is_rebel, machine


def cases(rng: random.Random) -> Iterator[Case]:
    """Half of the cases have the model's config.json beside the log."""
    while True:
        npu, shape = rng.choice(NPUS), rng.choice(SHAPES)
        partition = rng.choice((1024, 2048, 4096, 8192, 16384))
        config: dict[str, Any] = {
            "max_seq_len": partition * rng.choice((2, 3, 4, 8, 12, 16, 32, 64, 64)),
            "kvcache_partition_len": partition,
            "batch_size": rng.choice((1, 1, 2, 4, 8, 16, 32)),
            "num_devices": devices_for(rng, npu),
            "create_runtimes": False,
        }
        if is_rebel(npu) or rng.random() < 0.3:
            config["memory_budget"] = round(rng.uniform(0.05, rng.choice((0.2, 0.9))), 2)
        yield Case(
            "memory", compile_only, config, machine(rng, npu), shape,
            hf_config=hf_numbers(shape) if rng.random() < 0.5 else None,
        )  # fmt: skip
