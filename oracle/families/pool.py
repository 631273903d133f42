"""Pools set by hand: below the minimum, above the full count, or more than the device holds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from oracle.case import Case
from oracle.families.common import NPUS, SHAPES, TINY, compile_only, devices_for, hf_numbers, machine


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        npu = rng.choice(NPUS)
        shape = TINY if rng.random() < 0.4 else rng.choice(SHAPES)
        partition = rng.choice((1024, 4096, 8192, 16384))
        seq, batch = partition * rng.choice((2, 4, 8, 16, 32)), rng.choice((1, 2, 4, 8, 16))
        full = seq // partition * batch
        config: dict[str, Any] = {
            "max_seq_len": seq,
            "kvcache_partition_len": partition,
            "batch_size": batch,
            "num_devices": devices_for(rng, npu),
            "kvcache_num_blocks": rng.choice(
                (1, max(1, full // 4), max(1, full // 2), full, full + rng.randint(1, 9), 2 * full)
            ),
            "create_runtimes": False,
        }
        yield Case("pool", compile_only, config, machine(rng, npu), shape, hf_config=hf_numbers(shape))
