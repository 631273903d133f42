"""Artifacts loaded with options they do not take, and keys nobody knows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from oracle import library
from oracle.apply import flat
from oracle.case import Case
from oracle.families.common import TINY, compile_only, machine

COMPILED: dict[str, Any] = {"max_seq_len": 8192, "kvcache_partition_len": 4096, "batch_size": 2, "num_devices": 2}


def load(case: Case) -> None:
    """Compiles with ``COMPILED`` and loads with the case's configuration."""
    compiled = Case(case.family, compile_only, COMPILED, case.machine, case.model)
    library.save_and_load(compiled, case.config)


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        if rng.random() < 0.4:
            key = rng.choice(("max_seq_length", "kv_partition_len", "tensor_parallel", "max_model_len"))
            yield Case("loading", compile_only, {"max_seq_len": 4096, key: 8192}, machine(rng, "RBLN-CA25"), TINY)
            continue
        options: dict[str, Any] = {"device": rng.choice(([0, 1], [2, 3], [4, 5]))}
        if rng.random() < 0.7:
            name = rng.choice(tuple(flat(COMPILED)))
            options[name] = COMPILED[name] * rng.choice((1, 2))
        yield Case("loading", load, options, machine(rng, "RBLN-CA25"), TINY)
