"""What a remedy claims beyond "the error is gone": that its value is the largest, or the smallest, that works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from diagnose.model import Change, Finding
from oracle.apply import flat
from oracle.case import Case

Nearby = Callable[[int, int | None, Case, Finding], Iterator[int]]
"""(value offered, value before, case, finding) → values the claim says do not work."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim about one parameter; every value of ``nearby`` has to fail."""

    parameter: str
    nearby: Nearby


def _setting(case: Case, finding: Finding, name: str) -> int | None:
    """A setting of the case, else the number of the message with that name."""
    found = flat(case.config).get(name, finding.numbers.get(name))
    return found if isinstance(found, int) else None


def step_up(step: int | str) -> Nearby:
    """The next value above, as long as it is below the one that failed."""

    def nearby(value: int, before: int | None, case: Case, finding: Finding) -> Iterator[int]:
        size = step if isinstance(step, int) else _setting(case, finding, step)
        if size and (before is None or value + size < before):
            yield value + size

    return nearby


def step_down(step: int | str) -> Nearby:
    """The next value below, as long as it is above the one that failed."""

    def nearby(value: int, before: int | None, case: Case, finding: Finding) -> Iterator[int]:
        size = step if isinstance(step, int) else _setting(case, finding, step)
        if size and value - size > 0 and (before is None or value - size > before):
            yield value - size

    return nearby


def larger_divisors(value: int, _before: int | None, case: Case, finding: Finding) -> Iterator[int]:
    """Every larger multiple of 64 that divides the sequence into at least two; at most a few, the nearest first."""
    seq = _setting(case, finding, "max_seq_len") or _setting(case, finding, "seq_len")
    if seq is None:
        return
    found = (p for p in range(value + 64, seq // 2 + 1, 64) if seq % p == 0)
    for _ in range(3):
        if (nearest := next(found, None)) is not None:
            yield nearest


CLAIMS: Mapping[tuple[str, str], Claim] = {
    ("kv-cache.insufficient-memory", "shorter-context"): Claim("max_seq_len", step_up("kvcache_partition_len")),
    ("kv-cache.insufficient-memory", "smaller-batch"): Claim("batch_size", step_up(1)),
    ("kv-cache.below-minimum", "raise-to-minimum"): Claim("kvcache_num_blocks", step_down(1)),
    ("kv-cache.above-full", "lower-to-full"): Claim("kvcache_num_blocks", step_up(1)),
    ("kv-cache.budget-too-large", "largest-budget"): Claim("memory_budget", step_up(1)),
    ("attention.not-multiple", "context-down"): Claim("max_seq_len", step_up("kvcache_partition_len")),
    ("attention.not-multiple", "context-up"): Claim("max_seq_len", step_down("kvcache_partition_len")),
    ("attention.not-multiple", "partition-for-context"): Claim("kvcache_partition_len", larger_divisors),
    ("attention.partition-range", "partition-in-range"): Claim("kvcache_partition_len", larger_divisors),
    ("attention.eager-limit", "context-to-limit"): Claim("max_seq_len", step_up(1)),
    ("attention.prefill-chunk", "round-configured-chunk"): Claim("prefill_chunk_size", step_down(64)),
    ("attention.sliding-window", "smaller-chunk"): Claim("prefill_chunk_size", step_up(64)),
    ("kv-cache.one-request-does-not-fit", "shorter-context"): Claim("max_seq_len", step_up("kvcache_partition_len")),
    ("lora.rank", "raise-rank"): Claim("max_lora_rank", step_down(1)),
    ("sequence.above-model-maximum", "to-maximum"): Claim("max_seq_len", step_up(1)),
    ("sequence.input-too-long", "longer-context"): Claim("max_seq_len", step_down("kvcache_partition_len")),
}
"""(entry, remedy) → claim. Every entry whose text or solver says "largest", "smallest", "minimum" has a line here."""


def refuted_by(claim: Claim, change: Change, case: Case, finding: Finding) -> Iterator[int]:
    """The values of the changed parameter that have to fail for ``claim`` to hold."""
    offered = change.to
    if isinstance(offered, int) and not isinstance(offered, bool):
        before = flat(case.config).get(change.parameter, flat(case.config).get(claim.parameter))
        yield from claim.nearby(offered, before if isinstance(before, int) else None, case, finding)
