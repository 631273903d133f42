"""Lengths and partitions the attention modes take.

Source: optimum-rbln 0.12.0 ``modeling_attention_utils.py`` (``validate_attention_method``,
``AttentionLimits``).
"""

from __future__ import annotations

from diagnose.model import Text, Value
from diagnose.remedies import pieces
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.facts import Limits, limits_of, strictest_limits
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.release import at_least
from diagnose.remedies.solvers.common import environment, or_formula
from diagnose.remedies.syntax import largest_divisor

REBEL_MOST = 16384
"""Tokens of one attention step on REBEL, in the library's checks only from 0.12.0 on."""
COMMON = 8192
"""A length that is a multiple of it splits on every NPU, and with every prefill chunk."""

_NO_BLOCK = Text(
    "No multiple of {0} from {1} to {2} divides {3} into at least two blocks.",
    "{1}~{2} 범위의 {0}의 배수 중 {3} 토큰을 두 개 이상의 블록으로 나누는 값이 없습니다.",
)


def _seq(env: Environment) -> int:
    return int(env.require("seq_len") if env.numbers.get("seq_len") is not None else env.require("max_seq_len"))


def _partition(env: Environment) -> int:
    said = env.numbers.get("partition_len")
    return int(said if said is not None else env.require("kvcache_partition_len"))


def _limits(env: Environment) -> Limits:
    """Bounds of the NPU; of both families where it is not known."""
    family = env.hardware
    known = None if family is None else limits_of(env.knowledge, env.context, family.name)
    limits = known or strictest_limits(env.knowledge, env.context)
    if limits is None:
        raise MissingValue(("npu",))
    return limits


@or_formula("floor(max_seq_len / kvcache_partition_len) * kvcache_partition_len")
def seq_to_multiple(problem: Problem) -> Solution | None:
    """The next valid max_seq_len, ``options: {direction: down | up}``; at least two partitions. A partition outside the
    NPU's range, which the library checks only afterwards, moves to the nearest end of the range."""
    env = environment(problem)
    seq, given = _seq(env), _partition(env)
    if seq < 1 or given < 1:
        return None
    partition = _in_range(env, given)
    if problem.options.get("direction", "down") == "up":
        value = max(-(-seq // partition), 2) * partition
        text = f"ceil({seq} / {partition}) * {partition}"
    else:
        value = seq // partition * partition
        text = f"floor({seq} / {partition}) * {partition}"
    if value < 2 * partition or (value == seq and partition == given):
        return None
    if value == 2 * partition and seq <= partition:
        text = f"2 * {partition}"
    changes: dict[str, Value] = {"max_seq_len": value}
    if partition != given:
        changes["kvcache_partition_len"] = partition
    return Solution(changes, f"{text} = {value}")


def _in_range(env: Environment, partition: int) -> int:
    """The partition, moved into the range where the NPU is known."""
    if env.hardware is None:
        return partition
    limits = _limits(env)
    return min(max(partition, limits.partition_min), limits.partition_max)


def below_compiler_limit(problem: Problem) -> Solution | None:
    """REBEL up to optimum-rbln 0.11.2: lengths and partitions above 16384 pass the checks and abort the compiler.
    ``options: {change: partition | length}``. Source: optimum-rbln issue #720; the limits of 0.12.0."""
    env = environment(problem)
    seq, partition = env.get("max_seq_len"), env.config("kvcache_partition_len")
    if env.get("family") != "REBEL" or at_least(env.context, "optimum_rbln", "0.12.0") or not isinstance(seq, int):
        return None
    eager = env.get("flash") is False
    given = seq if eager else partition
    if not isinstance(given, int) or given <= REBEL_MOST:
        return None
    if problem.options.get("change") == "length":
        return Solution({"max_seq_len": REBEL_MOST}, f"{seq} > {REBEL_MOST}") if eager else None
    found = largest_divisor(seq, _limits(env).partition_min, min(REBEL_MOST, seq // 2), pieces.step(env))
    if found is None:
        return None
    return Solution({"kvcache_partition_len": found}, f"{given} > {REBEL_MOST}; {seq} / {seq // found} = {found}")


@or_formula("largest divisor of max_seq_len up to max_seq_len / 2")
def partition_for_seq(problem: Problem) -> Solution | None:
    """The largest partition that divides max_seq_len into at least two and lies in the NPU's range; ``options:
    {most: default}`` stops at the default partition. Where prefix caching takes none of them, one without it, unless
    ``{caching: keep}``."""
    env = environment(problem)
    seq = _seq(env)
    most = _limits(env).partition_default if problem.options.get("most") == "default" else None
    found, note = _partition_of(env, seq, most)
    if found is None or (note is not None and problem.options.get("caching") == "keep"):
        return None
    changes: dict[str, Value] = {"kvcache_partition_len": found}
    if note is not None:
        changes[pieces.OFF] = False
    return Solution(changes, f"{seq} / {seq // found} = {found}", note=note)


def _partition_of(env: Environment, seq: int, most: int | None = None) -> tuple[int | None, Text | None]:
    """The partition, and why prefix caching has to be off for it."""
    found = _divisor(env, seq, pieces.step(env), most)
    if found is not None or not pieces.in_pieces(env):
        return found, None
    found = _divisor(env, seq, pieces.SMALLEST_STEP, most)
    return found, None if found is None else pieces.without_caching(env, seq)


def _divisor(env: Environment, seq: int, step: int, most: int | None = None) -> int | None:
    limits = _limits(env)
    low = _of(env, "partition_lo", limits.partition_min)
    high = min(_of(env, "partition_hi", limits.partition_max), limits.partition_max, seq // 2)
    return largest_divisor(seq, low, high if most is None else min(high, most), step)


@or_formula("block_size = max_seq_len")
def eager_block(problem: Problem) -> Solution | None:
    """One block per sequence, where eager attention holds the length."""
    env = environment(problem)
    seq = _seq(env)
    if seq > _limits(env).eager_limit:
        return None
    if seq % pieces.step(env) == 0 or not pieces.in_pieces(env):
        return Solution({"attn_impl": "eager"})
    return Solution({"attn_impl": "eager", pieces.OFF: False}, note=pieces.without_caching(env, seq))


def context_for_blocks(problem: Problem) -> Solution | None:
    """Another max_seq_len, where no block goes with the one that is asked for. ``options: {direction: down | up}``."""
    env = environment(problem)
    if env.get("seq_len") is None and env.get("max_seq_len") is None:
        return None
    seq, limits, step = _seq(env), _limits(env), pieces.step(env)
    most = limits.partition_default
    eager = seq <= limits.eager_limit
    if _divisor(env, seq, step, most) is not None or (eager and (seq % step == 0 or not pieces.in_pieces(env))):
        return None
    up = problem.options.get("direction") == "up"
    unit = step if eager else COMMON
    value = -(-seq // unit) * unit if up else seq // unit * unit
    text = f"{'ceil' if up else 'floor'}({seq} / {unit}) * {unit} = {value}"
    why = _NO_BLOCK.filled(step, limits.partition_min, most, seq)
    if eager and 0 < value <= limits.eager_limit:
        return Solution({"max_seq_len": value, "attn_impl": "eager"}, text, note=why)
    found = _divisor(env, value, step, most)
    if found is None:
        return None
    return Solution(
        {"max_seq_len": value, "kvcache_partition_len": found}, f"{text}; {value} / {value // found} = {found}"
    )


def _of(env: Environment, name: str, otherwise: int) -> int:
    said = env.numbers.get(name)
    return said if isinstance(said, int) else otherwise


@or_formula("kvcache_partition_len = partition_default")
def switch_to_flash(problem: Problem) -> Solution | None:
    """Flash attention for a context eager attention cannot hold: the default partition where it divides,
    else the largest divisor, without prefix caching where that takes none, else the length moves down to whole default
    partitions, unless eager attention holds what is left. A partition alone switches the mode."""
    env = environment(problem)
    seq, limits = _seq(env), _limits(env)
    default = min(limits.partition_default, limits.partition_max)
    changes: dict[str, Value] = {}
    note: Text | None = None
    if seq % default == 0 and seq >= 2 * default and default % pieces.step(env) == 0:
        partition, text = default, f"{seq} / {default} = {seq // default}"
    elif (found := _partition_of(env, seq))[0] is not None:
        partition, note = found[0], found[1]
        text = f"{seq} / {partition} = {seq // partition}"
    else:
        partition, floored = default, seq // default * default
        if floored < 2 * default or floored <= limits.eager_limit:
            return None
        changes["max_seq_len"] = floored
        text = f"floor({seq} / {default}) * {default} = {floored}"
    changes["kvcache_partition_len"] = partition
    if note is not None:
        changes[pieces.OFF] = False
    if env.context.get("attn_impl") == "eager":
        changes["attn_impl"] = "flash_attn"
    if env.context.get("kvcache_block_size") is not None:
        changes["kvcache_block_size"] = None
    return Solution(changes, text, note=note)
