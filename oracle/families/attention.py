"""Lengths, partitions, blocks, chunks and windows that do not go together."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from oracle.case import Case, TextShape
from oracle.families.common import NPUS, TINY, compile_only, is_rebel, machine

PARTITIONS = (512, 1000, 1024, 2048, 3072, 4096, 8192, 10240, 16384, 20480, 32768, 40960, 65536)


def _length(rng: random.Random) -> int:
    """A length in tokens: round, of an odd kind, or nearly round."""
    return rng.choice(
        (
            rng.choice((2048, 4096, 8192, 16384, 32768, 40960, 65536, 131072)),
            rng.randrange(64, 1024) * 128,
            rng.randrange(10, 200) * 1000,
            rng.randrange(2, 64) * 1024 + rng.choice((-64, 0, 64, 512)),
        )
    )


def _flash(rng: random.Random, npu: str) -> dict[str, Any]:
    return {"max_seq_len": _length(rng), "kvcache_partition_len": rng.choice(PARTITIONS)}


def _in_parts(rng: random.Random, npu: str) -> dict[str, Any]:
    """A length that is whole partitions, which may be too small or too large."""
    partition = rng.choice(PARTITIONS)
    return {"max_seq_len": partition * rng.randint(2, 12), "kvcache_partition_len": partition}


def _eager(rng: random.Random, npu: str) -> dict[str, Any]:
    return {"max_seq_len": _length(rng), **rng.choice(({}, {"attn_impl": "eager"}))}


def _default_flash(rng: random.Random, npu: str) -> dict[str, Any]:
    return {"max_seq_len": _length(rng), "attn_impl": "flash_attn"}


def _block(rng: random.Random, npu: str) -> dict[str, Any]:
    flash = {"kvcache_partition_len": 4096} if rng.random() < 0.5 else {}
    return {
        "max_seq_len": 8192 * rng.randint(1, 2),
        "kvcache_block_size": rng.choice((512, 1024, 2048, 4096, 8192)),
        **flash,
    }


def _chunk(rng: random.Random, npu: str) -> dict[str, Any]:
    return {"max_seq_len": 8192, "prefill_chunk_size": rng.choice((-64, 32, 63, 64, 100, 128, 200, 250, 512, 1000))}


DRAWS: tuple[Callable[[random.Random, str], dict[str, Any]], ...] = (
    _flash, _flash, _in_parts, _eager, _default_flash, _block, _chunk,
)  # fmt: skip


def _window(rng: random.Random, npu: str) -> tuple[Mapping[str, Any], TextShape]:
    """A sliding window near the limit of the NPU."""
    chunk = rng.choice((128, 512, 1024, 2048))
    limit = 32767 if is_rebel(npu) else 32768
    window = limit - chunk + rng.choice((-64, -1, 0, 1, 63, 64, 65, 500))
    seq = 8192
    return {"max_seq_len": seq, "prefill_chunk_size": chunk}, TextShape(sliding_window=window)


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        npu = rng.choice(NPUS)
        if rng.random() < 0.15:
            config, shape = _window(rng, npu)
            yield Case("attention", compile_only, config, machine(rng, npu), shape, rbln_class="RBLNMistralForCausalLM")
        else:
            yield Case("attention", compile_only, rng.choice(DRAWS)(rng, npu), machine(rng, npu), TINY)
