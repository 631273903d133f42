"""Device lists and counts, on machines with few NPUs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from oracle.case import Case
from oracle.families.common import NPUS, TINY, compile_only, machine


def cases(rng: random.Random) -> Iterator[Case]:
    """ATOM only has more than one device for a model; another NPU named than the one that is there is drawn too."""
    while True:
        here = rng.choice(NPUS[:2]) if rng.random() < 0.9 else NPUS[2]
        present = rng.choice((1, 2, 4, 8))
        count = 1 if here == NPUS[2] else rng.choice((1, 2, 4, 8))
        config: dict[str, Any] = {"max_seq_len": 4096, "num_devices": count}
        draw = rng.random()
        if draw < 0.4:
            there = present + rng.choice((0, 0, 0, 2))  # one mistake at a time, mostly
            config["device"] = rng.sample(range(there), min(rng.randint(1, 6), there))
        elif draw < 0.45 and count == 1:
            config["device"] = rng.choice(("rbln{}", "rbln:{}", "{}")).format(rng.randrange(present))
        elif draw < 0.5:
            config["device"] = rng.randrange(present + 2)
        if rng.random() < 0.25:
            config["npu"] = rng.choice(NPUS if count == 1 else NPUS[:2])
        yield Case("devices", compile_only, config, replace(machine(rng, here), devices=present), TINY)
