"""Sizes of the KV block pool: the largest that fits, the full one, the smallest one.

Sources: optimum-rbln 0.12.0 ``configuration_decoderonly.py``; the memory model in
``diagnose.remedies.memory``.
"""

from __future__ import annotations

from diagnose.model import Text
from diagnose.remedies.blocks import explain_full, explain_min, full_blocks, min_blocks_in
from diagnose.remedies.environment import Environment, MissingValue, artifact
from diagnose.remedies.memory import MIB, Blocks, Plan, from_oom, measured, plan, predict
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, interval, or_formula

FORMULA = "N = floor((available - weights - workspace) / KV(1)); min_blocks <= N <= full_blocks"


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
    floor = f"floor(({' - '.join(parts)}) MiB / {_mib(pool.bytes(1))} MiB)"
    more = pool.largest(plan_.room(plan_.family.overhead_best), blocks + 1) > blocks
    return f"min({floor}, {blocks}) = {blocks}" if more else f"{floor} = {blocks}"


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


def _current(env: Environment) -> int | None:
    """The pool somebody chose or an artifact holds; 0 when it is known to be automatic, None when nothing tells."""
    value = env.get("blocks_set") or env.config("kvcache_num_blocks")
    if isinstance(value, int) and value > 0:
        return value
    return 0 if value == 0 or env.context.defaults_known else None


def kv_automatic_pool(problem: Problem) -> Solution | None:
    """``kvcache_num_blocks`` removed: the library then takes the largest pool that fits.

    Nothing for an artifact (its number is the automatic one already), for an automatic pool, when the model says that
    the automatic one would be as large or below the minimum. With ``options: {unseen: offer}`` it is also said where
    the configuration is not known.
    """
    env = environment(problem)
    now = _current(env)
    if artifact(env.context) or now == 0:
        return None
    if now is None:
        if problem.options.get("unseen") != "offer":
            return None
        bound = Text(
            "Only if kvcache_num_blocks was set by hand: the configuration is not in the log.",
            "kvcache_num_blocks를 직접 지정한 경우에만 해당합니다. 설정이 로그에 없습니다.",
        )
        return Solution(applicability="estimate", bound=bound)
    try:
        low, full, _ = limits(env)
        found, _ = fitting(env, full, with_budget=True)
    except MissingValue:
        return Solution({"kvcache_num_blocks": None})
    if found.high < low or found.low >= now:
        return None
    return Solution({"kvcache_num_blocks": None})


def kv_pool_fits_already(problem: Problem) -> Solution | None:
    """Said of a pool that fits by the model: neither a smaller nor an automatic one is the answer."""
    env = environment(problem)
    try:
        _, full, text = limits(env)
        found, how = fitting(env, full, with_budget=False)
    except MissingValue:
        return None
    now = _current(env)
    if not now or found.low < now:
        return None
    return Solution(
        arithmetic=f"{how}; {found.low} >= {now}; {text}",
        applicability="advice",
        bound=Text(
            f"By the memory model {now} blocks fit beside the weights. The automatic size would be as large "
            "or larger, so something else fills the device: another submodule, another process, or graphs that are "
            "larger than the model assumes.",
            f"메모리 모델로는 {now}블록이 가중치와 함께 들어갑니다. 자동 크기도 이만큼이거나 더 크므로, 다른 "
            "submodule이나 다른 프로세스, 또는 메모리 모델의 가정보다 큰 그래프가 device를 차지한 것입니다.",
        ),
    )


def kv_no_pool_fits(problem: Problem) -> Solution | None:
    """Said when not even the minimum fits by the model: neither a number nor the automatic size can help."""
    env = environment(problem)
    try:
        low, full, text = limits(env)
        found, how = fitting(env, full, with_budget=True)
    except MissingValue:
        return None
    if found.high >= low:
        return None
    return Solution(
        arithmetic=f"{how}; {found.high} < {low}; {text}",
        applicability="advice",
        bound=Text(
            f"By the memory model at most {found.high} blocks fit, and {low} are the minimum: leaving "
            "kvcache_num_blocks unset fails too.",
            f"메모리 모델로는 최대 {found.high}블록이 들어가는데 최솟값이 {low}이므로, kvcache_num_blocks를 지정하지 "
            "않아도 실패합니다.",
        ),
    )


def kv_largest_already(problem: Problem) -> Solution | None:
    """``generate()`` ran out of the largest pool that is possible: the range, the full count, and whether it fits."""
    env = environment(problem)
    try:
        low, full, text = limits(env)
    except MissingValue:
        return None
    now = _current(env)
    try:
        found, how = fitting(env, full, with_budget=True)
    except MissingValue as error:
        return _automatic_unproven(low, full, text, error.names) if now == 0 else None
    if now is None or (0 < now < min(found.best, full) and found.best >= low):
        return None  # kv_full_or_fitting_pool has a larger one
    if found.low >= full:
        bound = Text(
            f"Valid are {low} to {full} blocks, and all {full} fit: the batch cannot use more than the pool has.",
            f"유효 범위는 {low}~{full}블록이고 {full}블록이 모두 들어갑니다. 배치가 쓸 수 있는 블록은 이보다 많지 "
            "않습니다.",
        )
        return Solution(arithmetic=text, applicability="advice", bound=bound)
    there = _there(now)
    bound = Text(
        f"Valid are {low} to {full} blocks, but {full} do not fit the device: by the memory model about {found.best} "
        f"do, which is {there.en}.",
        f"유효 범위는 {low}~{full}블록이지만 {full}블록은 device에 들어가지 않습니다. 메모리 모델로는 약 "
        f"{found.best}블록이 한계이며, {there.ko}.",
    )
    return Solution(arithmetic=f"{text}; {how} < {full}", applicability="advice", bound=bound)


def _there(now: int) -> Text:
    if now:
        return Text(f"no more than the {now} there are", f"지금의 {now}블록보다 많지 않습니다")
    return Text("what the automatic size takes anyway", "자동 크기가 이미 이만큼을 씁니다")


def _automatic_unproven(low: int, full: int, text: str, missing: tuple[str, ...]) -> Solution:
    names = ", ".join(missing)
    return Solution(
        arithmetic=f"{text}; valid range {low}..{full}",
        applicability="advice",
        bound=Text(
            f"The automatic size takes the largest pool that fits already. Whether that is all {full} blocks is not "
            f"known here; to compute it, give: {names} (--config config.json).",
            f"자동 크기는 이미 들어가는 최대 pool을 씁니다. 그것이 전체 블록 수인 {full}블록인지는 알 수 없습니다. "
            f"계산하려면 다음 값이 필요합니다: {names}(--config config.json).",
        ),
    )


@or_formula("batch_size * max_seq_len / block")
def kv_full_or_fitting_pool(problem: Problem) -> Solution | None:
    """``generate()`` ran out of blocks: the pool every input fits in, or the largest one the device holds. Nothing
    for a pool that is automatic: it has that size (``kv_largest_already`` says so)."""
    env = environment(problem)
    low, full, text = limits(env)
    current = _current(env)
    if current == 0:
        return None
    try:
        found, how = fitting(env, full, with_budget=True)
    except MissingValue as error:
        eager = env.get("flash") is False
        return _eager_pool(full, text) if eager else _full_unproven(low, full, text, error.names)
    bound = interval(max(found.low, low), found.high)
    if found.low >= full:
        return Solution({"kvcache_num_blocks": full}, text)
    if found.best >= full:
        return Solution({"kvcache_num_blocks": full}, text, "estimate", bound)
    if found.best < low or (current is not None and current >= found.best):
        return None  # nothing larger than what is there fits
    return Solution(
        changes={"kvcache_num_blocks": found.best},
        arithmetic=f"{text}; {how} < {full}",
        applicability="estimate",
        bound=bound,
    )


def _eager_pool(full: int, text: str) -> Solution:
    """Eager attention has one block per row: the library takes no other number by itself."""
    return Solution({"kvcache_num_blocks": full}, text)


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
