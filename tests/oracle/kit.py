"""A library in a few lines: the checks of a length against its partition and of a pool against its minimum, in the real
library's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from oracle.capture import Outcome, run
from oracle.case import Case, Machine

Config = Mapping[str, Any]


def case(config: Config, family: str = "toy", **more: Any) -> Case:
    """A case whose attempt is never called: the tests bring their own library."""
    return Case(family, _nothing, dict(config), Machine(), **more)


def _nothing(_case: Case) -> None:
    return None


def library(check: Callable[[Config], None]) -> Callable[[Case], Outcome]:
    """A runner over ``check``, which raises as the library would."""
    return lambda asked: run(lambda _native: check(asked.config))


def partitions(config: Config) -> None:
    """At least two whole partitions."""
    seq, partition = config["max_seq_len"], config.get("kvcache_partition_len", 4096)
    if seq % partition or seq // partition < 2:
        raise ValueError(
            f"`max_seq_len` ({seq}) must be a multiple of `kvcache_partition_len` ({partition}) "
            "when using 'flash_attn'."
        )


def minimum(config: Config) -> None:
    """One sequence, a block per row, one spare."""
    seq, partition, batch = config["max_seq_len"], config["kvcache_partition_len"], config.get("batch_size", 1)
    least = min(max(seq // partition, batch) + 1, seq // partition * batch)
    blocks = config.get("kvcache_num_blocks", least)
    if blocks < least:
        raise ValueError(
            f"The set `kvcache_num_blocks` ({blocks}) is less than the minimum number of blocks ({least})."
        )
