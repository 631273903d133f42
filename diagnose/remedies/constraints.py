"""Every computed change is checked here against the rules of ``kb/constraints.yaml`` before anybody sees
it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from diagnose.knowledge.schema import Constraint, Knowledge
from diagnose.model import RunContext, Value
from diagnose.remedies.environment import Environment
from diagnose.remedies.expressions import ExpressionError, MissingValue, evaluate
from diagnose.remedies.syntax import largest_divisor
from diagnose.remedies.whole import as_list, is_whole

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
        try:
            fixed = None if repair is None else repair(now, env)
        except MissingValue:  # a value the move rests on is not known, or is no number
            continue
        if fixed is not None:
            return dict(fixed)
    return None


def _number(env: Environment, name: str) -> int:
    """A whole number the run has. Raises MissingValue."""
    value = env.require(name)
    if not is_whole(value):
        raise MissingValue((name,))
    return value


def _numbers(env: Environment, name: str) -> list[int]:
    """One number or a list of them, as a list. Raises MissingValue."""
    found = as_list(env.require(name))
    if not found:
        raise MissingValue((name,))
    return found


def _with(changes: Changes, **values: Value) -> Changes:
    return {**changes, **values}


def _length(changes: Changes, env: Environment) -> Changes | None:
    """A length that is no multiple moves down; a partition that does not divide moves to the next one that
    does."""
    if "max_seq_len" in changes:
        seq, partition = _number(env, "max_seq_len"), _number(env, "kvcache_partition_len")
        floored = seq // partition * partition
        return _with(changes, max_seq_len=floored) if floored >= 2 * partition else None
    return _partition(changes, env)


def _partition(changes: Changes, env: Environment) -> Changes | None:
    if "kvcache_partition_len" not in changes:
        return None
    seq, partition = _number(env, "max_seq_len"), _number(env, "kvcache_partition_len")
    lo, hi = _number(env, "partition_min"), _number(env, "partition_max")
    found = largest_divisor(seq, lo, min(partition, hi, seq // 2), _number(env, "block_step"))
    return None if found is None else _with(changes, kvcache_partition_len=found)


def _block_follows(changes: Changes, env: Environment) -> Changes | None:
    if "kvcache_block_size" in changes:
        return _with(changes, kvcache_block_size=env.get("kvcache_partition_len"))
    return _with(changes, kvcache_block_size=None)


def _block_is_length(changes: Changes, env: Environment) -> Changes | None:
    return _with(changes, kvcache_block_size=env.get("max_seq_len"))


def _whole_pieces(changes: Changes, env: Environment) -> Changes | None:
    """A partition moves to the next one that is whole cached pieces; a length that is one block moves down."""
    if changes.get("kvcache_partition_len") is not None:
        return _partition(changes, env)
    seq, step = _number(env, "max_seq_len"), _number(env, "block_step")
    if "max_seq_len" in changes and seq == env.get("block") and seq >= step:
        return _with(changes, max_seq_len=seq // step * step)
    return None


def _clamped(name: str) -> Repair:
    def repair(changes: Changes, env: Environment) -> Changes | None:
        return _with(changes, kvcache_num_blocks=env.get(name))

    return repair


def _multiple_of_64(changes: Changes, env: Environment) -> Changes | None:
    chunk = _number(env, "prefill_chunk_size")
    return _with(changes, prefill_chunk_size=max(64, -(-chunk // 64) * 64)) if chunk > 0 else None


def _decoders_follow(changes: Changes, env: Environment) -> Changes | None:
    sizes, batch = _numbers(env, "decoder_batch_sizes"), _number(env, "batch_size")
    return _with(changes, decoder_batch_sizes=decoder_sizes(sizes, batch))


def decoder_sizes(given: Sequence[int], batch: int) -> list[int]:
    """``given`` cut to the sizes up to ``batch``, with ``batch`` itself, in the order the person wrote them."""
    given = list(given)
    descending = len(given) > 1 and given == sorted(given, reverse=True)
    kept = {s for s in given if 0 < s <= batch} | {batch}
    return sorted(kept, reverse=descending)


def _devices_follow(parameter: str, count: str) -> Repair:
    def repair(changes: Changes, env: Environment) -> Changes | None:
        if parameter in changes:
            return None
        first, n = min(_numbers(env, parameter)), _number(env, count)
        others = env.config("device") if parameter != "device" else None
        if isinstance(others, list) and others and min(_numbers(env, "device")) < first <= max(others):
            first = max(others) + 1  # the language model's list has grown into the ids of this one
        return {**changes, parameter: first if n == 1 else list(range(first, first + n))}

    return repair


def _windows(changes: Changes, env: Environment) -> Changes | None:
    window, buckets = _number(env, "vision_window"), _numbers(env, "visual.max_seq_len")
    whole = sorted({-(-v // window) * window for v in buckets})
    single = not isinstance(env.config("visual.max_seq_len"), (list, tuple))
    return {**changes, "visual.max_seq_len": whole[0] if single else whole}


def _positions(changes: Changes, env: Environment) -> Changes | None:
    return _with(changes, max_seq_len=env.get("max_position_embeddings"))


def _pixels(changes: Changes, env: Environment) -> Changes | None:
    top = max(_numbers(env, "visual.max_seq_len"))
    return {**changes, "processor.max_pixels": top * _number(env, "patch") ** 2}


REPAIRS: Mapping[str, Repair] = {
    "flash-multiple": _length,
    "flash-two-partitions": _partition,
    "partition-range": _partition,
    "block-equals-partition": _block_follows,
    "block-equals-length": _block_is_length,
    "block-whole-pieces": _whole_pieces,
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
