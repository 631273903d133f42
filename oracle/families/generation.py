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


def embed(case: Case) -> None:
    """Compiles the model without a head and calls it."""
    library.embed(case, case.request["rows"], case.request["prompt_tokens"])


def _embedding(rng: random.Random) -> Case:
    """A batch that may not be the compiled one, or an input that may be too long."""
    config = {"max_seq_len": 4096, "kvcache_partition_len": PARTITION, "batch_size": rng.choice((1, 2, 4))}
    rows = config["batch_size"] if rng.random() < 0.4 else rng.randint(1, 6)
    request = {"rows": rows, "prompt_tokens": rng.choice((5, 4096, 4200))}
    return Case("generation", embed, config, machine(rng, "RBLN-CA25"), TINY, request, rbln_class="RBLNLlamaModel")


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        if rng.random() < 0.15:
            yield _embedding(rng)
            continue
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
        sets: tuple[str, ...] = ("max_new_tokens=6", f"request_tokens={prompt + 6}")
        yield Case(
            "generation", generate, config, machine(rng, "RBLN-CA25"), TINY,
            request={"rows": rows, "prompt_tokens": prompt, "new_tokens": 6},
            extra_sets=sets,
        )  # fmt: skip
