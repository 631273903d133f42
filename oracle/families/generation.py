"""``generate()`` on pools, lengths and batches that do not fit the request."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from oracle import library
from oracle.case import Case
from oracle.families.common import TINY, machine

PARTITION = 1024


def generate(case: Case) -> None:
    """Compiles, then generates from a prompt of the asked length."""
    model = library.compile_text(case)
    request = case.request
    new = int(request.get("processor.max_new_tokens") or request.get("max_new_tokens") or request["new_tokens"])
    library.generate(model, request["rows"], request["prompt_tokens"], new)


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        parts, batch = rng.choice((2, 3, 4)), rng.choice((1, 2, 4))
        config: dict[str, Any] = {
            "max_seq_len": parts * PARTITION,
            "kvcache_partition_len": PARTITION,
            "batch_size": batch,
        }
        full, least = parts * batch, min(max(parts, batch) + 1, parts * batch)
        if rng.random() < 0.6:
            config["kvcache_num_blocks"] = rng.randint(least, full)
        if batch == 4 and rng.random() < 0.4:
            config["decoder_batch_sizes"] = rng.choice(([4, 2], [4, 2, 1], [1, 4]))
        rows = batch if rng.random() < 0.8 else rng.randint(1, 5)
        prompt = rng.choice(
            (10, PARTITION - 3, PARTITION, 2 * PARTITION - 8, parts * PARTITION - 8, parts * PARTITION + 5)
        )
        if rng.random() < 0.1:
            prompt = parts * PARTITION - 3
        yield Case(
            "generation", generate, config, machine(rng, "RBLN-CA25"), TINY,
            request={"rows": rows, "prompt_tokens": prompt, "new_tokens": 6},
            extra_sets=("max_new_tokens=6",),
        )  # fmt: skip
