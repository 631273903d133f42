"""Sizes of the KV block pool: the largest that fits, the full one, the smallest one.

Sources: optimum-rbln 0.12.0 ``configuration_decoderonly.py``; the memory model in
``diagnose.remedies.memory``.
"""

from __future__ import annotations

from diagnose.model import Text
from diagnose.remedies.agreement import Disagreement, agree
from diagnose.remedies.blocks import explain_full, explain_min, full_blocks, min_blocks_in
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.memory import MIB, Blocks, Plan, from_oom, measured, plan, predict
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import disagreeing, environment, filled, interval, needs_value, or_formula

FORMULA = "N = floor((available - weights - workspace) / KV(1)); min_blocks <= N <= full_blocks"
LIMIT_FORMULAS = {
    "blocks_min": "max(max_seq_len / block, batch_size) + 1",
    "blocks_full": "batch_size * max_seq_len / block",
}


def limits(env: Environment) -> tuple[int, int, str]:
    """Smallest and full pool, and both as arithmetic. Raises MissingValue."""
    seq, block, batch = env.require_all("max_seq_len", "block", "batch_size")
    flash = block != seq
    low = min_blocks_in(env.context, seq, block, batch, flash=flash)
    high = full_blocks(seq, block, batch)
    low_text = explain_min(env.context, seq, block, batch) if flash else f"batch_size = {low}"
    return low, high, f"min_blocks = {low_text}; full_blocks = {explain_full(seq, block, batch)}"


def _mib(value: int) -> str:
    return f"{value / MIB:,.1f}".removesuffix(".0")


def explain_pool(plan_: Plan, blocks: int) -> str:
    """``floor((35,840 - 3,281.7/4 - 1,248) MiB / 224 MiB) = 150``: room of a unit, weights over the units,
    workspace, and one block on a unit."""
    pool = plan_.pool
    weights = _mib(plan_.weight_bytes * pool.units) + (f"/{pool.units}" if pool.units > 1 else "")
    parts = (_mib(plan_.available_bytes), weights, _mib(plan_.family.overhead_best))
    return f"floor(({' - '.join(parts)}) MiB / {_mib(pool.bytes(1))} MiB) = {blocks}"


def fitting(env: Environment, full: int, *, with_budget: bool) -> tuple[Blocks, str]:
    """The pool that fits by the model and, when the message has the numbers, by the failed allocation.

    Raises MissingValue.
    """
    seen = measured(env, full)
    if seen is not None:
        return Blocks(seen[0], seen[0], seen[0]), seen[1]
    plan_ = plan(env, with_budget=with_budget)
    found = predict(plan_, full)
    text = explain_pool(plan_, found.best)
    asked = env.get("blocks_set") or env.get("kvcache_num_blocks")
    requested, capacity = env.numbers.get("requested_bytes"), env.numbers.get("capacity_bytes")
    if isinstance(asked, int) and asked > 0 and isinstance(requested, int) and isinstance(capacity, int):
        proof = from_oom(plan_, asked, requested, capacity)
        if proof is not None:
            found = Blocks(min(found.low, proof.upper), min(found.best, proof.upper), min(found.high, proof.upper))
            if proof.upper < full:
                text += f"; requested, capacity: <= {proof.upper}"
    return found, text


@or_formula(FORMULA)
def kv_pool_that_fits(problem: Problem) -> Solution | None:
    """An explicit pool ran out of DRAM: the largest pool that fits.

    Not by scaling with capacity/requested: ``requested`` is a running total at the first allocation that
    failed.
    """
    env = environment(problem)
    low, full, text = limits(env)
    found, how = fitting(env, full, with_budget=False)
    if found.best < low:
        return None
    asked = env.get("kvcache_num_blocks")
    if not asked and "load" in env.context.phases and "compile" not in env.context.phases:
        return None  # the artifact's own pool; setting a number would not make it smaller
    if isinstance(asked, int) and 0 < asked <= found.best:
        return None  # that pool fits by the model: the pool is not what failed
    return Solution(
        changes={"kvcache_num_blocks": found.best},
        arithmetic=f"{how}; {text}",
        applicability="estimate",
        bound=interval(max(found.low, low), found.high),
        note=_vision_note(env),
    )


def _vision_note(env: Environment) -> Text | None:
    if env.context.vision_prefix is None:
        return None
    return Text(
        "This pool leaves no room for the vision submodule; load that on another device.",
        "이 pool은 비전 submodule의 자리를 남기지 않으므로, 비전 submodule은 다른 device에 올려야 합니다.",
    )


@or_formula("batch_size * max_seq_len / block")
def kv_full_or_fitting_pool(problem: Problem) -> Solution | None:
    """``generate()`` ran out of blocks: the pool every input fits in, or the largest one the device holds."""
    env = environment(problem)
    low, full, text = limits(env)
    try:
        found, how = fitting(env, full, with_budget=True)
    except MissingValue as error:
        return _full_unproven(low, full, text, error.names)
    bound = interval(max(found.low, low), found.high)
    if found.low >= full:
        return Solution({"kvcache_num_blocks": full}, text)
    if found.best >= full:
        return Solution({"kvcache_num_blocks": full}, text, "estimate", bound)
    current = env.config("kvcache_num_blocks")
    if found.best < low or (isinstance(current, int) and current >= found.best):
        return None  # nothing larger than what is there fits
    return Solution(
        changes={"kvcache_num_blocks": found.best},
        arithmetic=f"{text}; {how} < {full}",
        applicability="estimate",
        bound=bound,
    )


def _full_unproven(low: int, full: int, text: str, missing: tuple[str, ...]) -> Solution:
    """The full pool when the model is not known well enough to say whether it fits."""
    names = ", ".join(missing)
    return Solution(
        changes={"kvcache_num_blocks": full},
        arithmetic=f"{text}; valid range {low}..{full}",
        applicability="estimate",
        bound=Text(
            f"Whether {full} blocks fit the device is not known here; to compute it, give: {names} "
            "(--config config.json).",
            f"{full}블록이 device에 들어가는지는 알 수 없습니다. 계산하려면 다음 값이 필요합니다: "
            f"{names}(--config config.json).",
        ),
    )


def kv_minimum(problem: Problem) -> Solution | None:
    """The pool is below the minimum: the minimum, both limits as arithmetic."""
    return _to_limit(problem, "blocks_min", 0)


def kv_full(problem: Problem) -> Solution | None:
    """The pool is above the full count: the full count, both limits as arithmetic."""
    return _to_limit(problem, "blocks_full", 1)


def _to_limit(problem: Problem, name: str, which: int) -> Solution | None:
    """The message's own limit; nothing is computed where the configuration makes another one."""
    env = environment(problem)
    said = env.numbers.get(name)
    try:
        agree(env)
        *bounds, text = limits(env)
    except Disagreement as error:
        return disagreeing(LIMIT_FORMULAS[name], env, error)
    except MissingValue as error:
        if said is not None:
            return Solution({"kvcache_num_blocks": said}, f"{name} = {said}")
        return needs_value(filled(LIMIT_FORMULAS[name], env), error.names)
    value = bounds[which] if said is None else said
    return Solution({"kvcache_num_blocks": value}, text if value == bounds[which] else f"{name} = {value}")
