"""A pool set by hand outside its limits: the minimum, the full count, or none at all, and whether that fits the device.

Sources: optimum-rbln 0.12.0 ``configuration_decoderonly.py``; the memory model in ``diagnose.remedies.memory``.
"""

from __future__ import annotations

from diagnose.model import Text, Value
from diagnose.remedies.agreement import Disagreement, agree
from diagnose.remedies.blocks import full_blocks, min_blocks_in
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.memory import MIB, Blocks
from diagnose.remedies.memory.plan import budget_bytes
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import disagreeing, environment, filled, interval, needs_value
from diagnose.remedies.solvers.pool import fitting, limits

LIMIT_FORMULAS = {
    "blocks_min": "max(max_seq_len / block, batch_size) + 1",
    "blocks_full": "batch_size * max_seq_len / block",
}


def _does_not_fit(env: Environment, full: int) -> Text | None:
    """Said of a full count that is too large for the device by the model: it ends the warning only."""
    try:
        found, _ = fitting(env, full, with_budget=False)
    except MissingValue:
        return None
    if found.high >= full:
        return None
    return Text(
        f"It only ends the warning: by the memory model about {found.best} of these {full} blocks fit the device.",
        f"경고만 사라집니다. 메모리 모델로는 {full}블록 중 약 {found.best}블록만 device에 들어갑니다.",
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
    if not which and (room := _room(env, with_budget=False)) is not None and room.low < value:
        if room.high < value:
            return None  # the compile would then run out of device memory: kv_context_for_minimum
        return Solution({"kvcache_num_blocks": value}, text, "estimate", _tight(room, value))
    doubt = _does_not_fit(env, value) if which else None
    if doubt is not None:
        return Solution({"kvcache_num_blocks": value}, text, "estimate", doubt)
    return Solution({"kvcache_num_blocks": value}, text if value == bounds[which] else f"{name} = {value}")


def _room(env: Environment, *, with_budget: bool) -> Blocks | None:
    """The pool that fits by the memory model; None where the model's numbers are not known."""
    try:
        _, full, _ = limits(env)
        return fitting(env, full, with_budget=with_budget)[0]
    except MissingValue:
        return None


_TIGHT = Text(
    "The check passes, but by the memory model {0} to {1} blocks fit the device and {2} are needed.",
    "이 검사는 통과하지만, 메모리 모델로는 device에 {0}~{1}블록이 들어가는데 {2}블록이 필요합니다.",
)


def _tight(found: Blocks, need: int) -> Text:
    return _TIGHT.filled(found.low, found.high, need)


def kv_unset_below_minimum(problem: Problem) -> Solution | None:
    """No pool set: the library takes the largest that fits. Nothing where not even the minimum fits by the memory
    model, an estimate where the model cannot tell."""
    env = environment(problem)
    changes: dict[str, Value] = {"kvcache_num_blocks": None}
    try:
        agree(env)
    except Disagreement:
        return Solution(changes)
    except MissingValue:
        return Solution(changes)
    need, found = env.numbers.get("blocks_min"), _room(env, with_budget=True)
    if found is None or not isinstance(need, int) or need <= found.low:
        return Solution(changes)
    return None if found.high < need else Solution(changes, "", "estimate", _tight(found, need))


def kv_context_for_minimum(problem: Problem) -> Solution | None:
    """Where the minimum itself does not surely fit by the memory model: the longest context whose minimum does, and no
    pool set. Nothing while the minimum fits, or where no context helps."""
    env = environment(problem)
    need, found = env.numbers.get("blocks_min"), _room(env, with_budget=True)
    if found is None or not isinstance(need, int) or need <= found.low:
        return None
    try:
        agree(env)
        seq, block, batch = env.require_all("max_seq_len", "block", "batch_size")
    except MissingValue:
        return None
    for parts in range(seq // block - 1, 1, -1):
        least = min_blocks_in(env.context, parts * block, block, batch)
        if least <= found.low and full_blocks(parts * block, block, batch) >= least:
            return Solution(
                {"max_seq_len": parts * block, "kvcache_num_blocks": None},
                f"{parts} * {block} = {parts * block}; min_blocks = {least} <= {found.low}",
                "estimate",
                interval(found.low, found.high, advise=False),
            )
    return None


_SMALL = Text(
    "The budget of {0:,.0f} MiB per unit is below what graphs and workspace may take; whether the minimum pool fits is "
    "seen at the compile only.",
    "unit당 예산 {0:,.0f} MiB가 그래프와 workspace에 쓰일 수 있는 크기보다 작아, 최소 pool이 들어가는지는 컴파일해야 "
    "알 수 있습니다.",
)


def kv_drop_blocks(problem: Problem) -> Solution | None:
    """The pool that was set beside a budget is removed. Nothing where the minimum surely does not fit the budget by the
    memory model; an estimate where that is open."""
    env = environment(problem)
    changes: dict[str, Value] = {"kvcache_num_blocks": None}
    found, family = _room(env, with_budget=True), env.hardware
    if found is not None:
        need, _, text = limits(env)
        if found.high < need:
            return None
        return (
            Solution(changes, text) if need <= found.low else Solution(changes, text, "estimate", _tight(found, need))
        )
    if family is None:
        return Solution(changes)
    unit = budget_bytes(env, family) // family.chiplets
    if unit > family.overhead_high:
        return Solution(changes)
    return Solution(changes, "", "estimate", _SMALL.filled(unit / MIB))
