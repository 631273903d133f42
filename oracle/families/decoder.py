"""Lists of decoder batch sizes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from oracle.case import Case
from oracle.families.common import NPUS, TINY, compile_only, machine


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        sizes = rng.sample((1, 2, 3, 4, 6, 8, 12, 16), rng.randint(1, 4))
        if rng.random() < 0.5:
            sizes.sort(reverse=rng.random() < 0.5)
        config = {"max_seq_len": 4096, "batch_size": rng.choice((1, 2, 4, 8)), "decoder_batch_sizes": sizes}
        yield Case("decoder", compile_only, config, machine(rng, rng.choice(NPUS)), TINY)
