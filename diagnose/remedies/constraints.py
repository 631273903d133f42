"""Every computed change is checked here against the rules of ``kb/constraints.yaml`` before anybody sees
it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from diagnose.knowledge.schema import Constraint, Knowledge
from diagnose.model import RunContext, Value
from diagnose.remedies.environment import Environment
from diagnose.remedies.expressions import ExpressionError, MissingValue, evaluate
from diagnose.remedies.syntax import largest_divisor

Changes = Mapping[str, Value]
Repair = Callable[[Changes, Environment], Changes | None]

MAX_ROUNDS = 8
"""Repairs tried one after another before a change is given up."""


def violations(
    config_after: Mapping[str, Value],
    context: RunContext,
    knowledge: Knowledge,
    *,
    touched: Iterable[str] | None = None,
) -> tuple[Constraint, ...]:
    """Constraints that ``config_after`` (canonical parameter → value, None = removed) breaks, laid over
    ``context``.

    Only constraints that touch one of ``touched`` (default: the names in ``config_after``) are judged, and
    only when every name in them is known: what is unknown is not called wrong.
    """
    env = Environment({}, context, knowledge).after(config_after)
    names = frozenset(config_after if touched is None else touched)
    return tuple(c for c in knowledge.constraints if names & set(c.touches) and _broken(c, env))


def _broken(constraint: Constraint, env: Environment) -> bool:
    try:
        if constraint.when is not None and not evaluate(constraint.when, env):
            return False
        return not evaluate(constraint.rule, env)
    except (MissingValue, ExpressionError):
        return False


def adjust(changes: Changes, context: RunContext, knowledge: Knowledge) -> dict[str, Value] | None:
    """``changes`` made to satisfy every constraint with the smallest move, or None when that is not possible.

    A length moves down to a whole number of blocks, a pool into [minimum, full], and parameters that hang on
    a changed one (device lists, decoder sizes, the block size) follow it.
    """
    now = dict(changes)
    for _ in range(MAX_ROUNDS):
        broken = violations(now, context, knowledge)
        if not broken:
            return now
        env = Environment({}, context, knowledge).after(now)
        repaired = _repaired(broken, now, env)
        if repaired is None or repaired == now:
            return None
        now = repaired
    return None


def _repaired(broken: tuple[Constraint, ...], now: Changes, env: Environment) -> dict[str, Value] | None:
    for constraint in broken:
        repair = REPAIRS.get(constraint.id)
        fixed = None if repair is None else repair(now, env)
        if fixed is not None:
            return dict(fixed)
    return None


def _with(changes: Changes, **values: Value) -> Changes:
    return {**changes, **values}


def _length(changes: Changes, env: Environment) -> Changes | None:
    """A length that is no multiple moves down; a partition that does not divide moves to the next one that
    does."""
    seq, partition = env.get("max_seq_len"), env.get("kvcache_partition_len")
    if "max_seq_len" in changes:
        floored = seq // partition * partition
        return _with(changes, max_seq_len=floored) if floored >= 2 * partition else None
    return _partition(changes, env)


def _partition(changes: Changes, env: Environment) -> Changes | None:
    seq, partition = env.get("max_seq_len"), env.get("kvcache_partition_len")
    lo, hi = env.get("partition_min"), env.get("partition_max")
    if "kvcache_partition_len" not in changes or lo is None or seq is None:
        return None
    found = largest_divisor(seq, lo, min(partition, hi, seq // 2), 64)
    return None if found is None else _with(changes, kvcache_partition_len=found)


def _block_follows(changes: Changes, env: Environment) -> Changes | None:
    if "kvcache_block_size" in changes:
        return _with(changes, kvcache_block_size=env.get("kvcache_partition_len"))
    return _with(changes, kvcache_block_size=None)


def _block_is_length(changes: Changes, env: Environment) -> Changes | None:
    return _with(changes, kvcache_block_size=env.get("max_seq_len"))


def _clamped(name: str) -> Repair:
    def repair(changes: Changes, env: Environment) -> Changes | None:
        return _with(changes, kvcache_num_blocks=env.get(name))

    return repair


def _multiple_of_64(changes: Changes, env: Environment) -> Changes | None:
    chunk = env.get("prefill_chunk_size")
    return _with(changes, prefill_chunk_size=max(64, -(-chunk // 64) * 64)) if chunk > 0 else None


def _decoders_follow(changes: Changes, env: Environment) -> Changes | None:
    sizes, batch = env.get("decoder_batch_sizes"), env.get("batch_size")
    return _with(changes, decoder_batch_sizes=decoder_sizes(sizes, batch))


def decoder_sizes(sizes: Any, batch: int) -> list[int]:
    """``sizes`` cut to those up to ``batch``, with ``batch`` itself, in the order the person wrote them."""
    given = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
    descending = len(given) > 1 and given == sorted(given, reverse=True)
    kept = {s for s in given if 0 < s <= batch} | {batch}
    return sorted(kept, reverse=descending)


def _devices_follow(parameter: str, count: str) -> Repair:
    def repair(changes: Changes, env: Environment) -> Changes | None:
        devices, n = env.config(parameter), env.get(count)
        if parameter in changes:
            return None
        first = min(devices) if isinstance(devices, list) and devices else devices
        if not isinstance(first, int) or not isinstance(n, int):
            return None
        others = env.config("device") if parameter != "device" else None
        if isinstance(others, list) and others and min(others) < first <= max(others):
            first = max(others) + 1  # the language model's list has grown into the ids of this one
        return {**changes, parameter: first if n == 1 else list(range(first, first + n))}

    return repair


def _windows(changes: Changes, env: Environment) -> Changes | None:
    window, value = env.get("vision_window"), env.config("visual.max_seq_len")
    if isinstance(value, list):
        return {**changes, "visual.max_seq_len": sorted({-(-v // window) * window for v in value})}
    return {**changes, "visual.max_seq_len": -(-value // window) * window}


def _positions(changes: Changes, env: Environment) -> Changes | None:
    return _with(changes, max_seq_len=env.get("max_position_embeddings"))


def _pixels(changes: Changes, env: Environment) -> Changes | None:
    buckets = env.config("visual.max_seq_len")
    top = max(buckets) if isinstance(buckets, list) else buckets
    return {**changes, "processor.max_pixels": top * env.get("patch") ** 2}


REPAIRS: Mapping[str, Repair] = {
    "flash-multiple": _length,
    "flash-two-partitions": _partition,
    "partition-range": _partition,
    "block-equals-partition": _block_follows,
    "block-equals-length": _block_is_length,
    "prefill-chunk": _multiple_of_64,
    "blocks-minimum": _clamped("min_blocks"),
    "blocks-full": _clamped("full_blocks"),
    "decoder-sizes": _decoders_follow,
    "device-count": _devices_follow("device", "num_devices"),
    "visual-device-count": _devices_follow("visual.device", "vision_devices"),
    "visual-window": _windows,
    "positions": _positions,
    "pixels-fit-bucket": _pixels,
}
"""Constraint id → how a change that breaks it is moved; a constraint without a repair refuses the change."""
