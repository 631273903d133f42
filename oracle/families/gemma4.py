"""Image prefill buckets against soft tokens, in the configuration classes alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from oracle import library
from oracle.case import Case
from oracle.families.common import machine

SOFT_TOKENS = (70, 140, 280, 560, 1120)
CHUNKS = (64, 100, 128, 200, 256, 280, 300, 384, 512, 560, 640, 768, 1024, 1120, 1152, 1280)


def configure(case: Case) -> None:
    """Builds the library's configuration object."""
    from optimum.rbln import RBLNGemma4ForConditionalGenerationConfig

    RBLNGemma4ForConditionalGenerationConfig(**library.copied(case.config))


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        config: dict[str, Any] = {"language_model": {"max_seq_len": 32768, "kvcache_partition_len": 8192}}
        if rng.random() < 0.8:
            tokens = rng.sample(SOFT_TOKENS, rng.randint(1, 4))
            config["vision_tower"] = {"max_soft_tokens": tokens[0] if len(tokens) == 1 else tokens}
        if rng.random() < 0.9:
            chunks = rng.sample(CHUNKS, rng.randint(1, 4))
            config["language_model"]["image_prefill_chunk_size"] = chunks[0] if len(chunks) == 1 else chunks
        yield Case(
            "gemma4", configure, config, machine(rng, rng.choice(("RBLN-CA25", "RBLN-CR13"))),
            rbln_class="RBLNGemma4ForConditionalGeneration",
        )  # fmt: skip
