"""Less to hold: a shorter context, a smaller batch, smaller blocks.

``available_blocks`` (how many fit) does not change with max_seq_len or batch_size: bytes per block depend on
neither. Source: optimum-rbln error catalogue, KV-INSUFFICIENT; optimum-rbln 0.12.0 ``num_min_blocks``.
"""

from __future__ import annotations

from diagnose.model import Applicability, Text
from diagnose.remedies import pieces
from diagnose.remedies.agreement import agree, stated_batch
from diagnose.remedies.blocks import explain_full, full_blocks, min_blocks_in
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.memory import Blocks, fits, measured, plan, predict
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, filled, interval, or_formula
from diagnose.remedies.solvers.runtimes import has_vision
from diagnose.remedies.syntax import largest_divisor


def _have(env: Environment) -> tuple[int, Applicability, Text | None]:
    """Blocks that fit: from the message, else from a debug line, else by the memory model. Raises
    MissingValue.

    The model can only say less than the library did: the minimum did not fit.
    """
    said = env.numbers.get("available_blocks")
    if isinstance(said, int):
        return said, "exact", None
    seq, block, batch = env.require_all("max_seq_len", "block", "batch_size")
    seen = measured(env, full_blocks(seq, block, batch))
    if seen is not None:
        return seen[0], "exact", None
    most = min_blocks_in(env.context, seq, block, batch) - 1
    plan_ = plan(env)
    alone, found = predict(plan_, full_blocks(seq, block, batch)), predict(plan_, most)
    return found.best, "estimate", _modelled(alone, most)


def _modelled(alone: Blocks, most: int) -> Text:
    """How far the number of blocks can be off: by the model, and by the failure, which proves that it is smaller."""
    if alone.low > most:
        return Text(
            f"The memory model alone says {alone.low} to {alone.high} blocks; the failure proves that no more than "
            f"{most} fit, and how many fewer is not known.",
            f"메모리 모델만 보면 {alone.low}~{alone.high}블록이지만, 실패한 것으로 보아 {most}블록을 넘지 않습니다. "
            "그보다 얼마나 적은지는 알 수 없습니다.",
        )
    return interval(alone.low, min(alone.high, most), advise=False)


def _if_it_fails(bound: Text | None, value: int) -> Text | None:
    """The bound, and the careful value of the parameter itself."""
    if bound is None or value < 1:
        return bound
    return Text(
        f"{bound.en} If this value still fails, take {value}.",
        f"{bound.ko} 이 값도 실패하면 다음 값을 사용하세요: {value}.",
    )


def _low(env: Environment) -> int:
    """Blocks that fit for sure by the model; 0 when the number does not come from it."""
    if isinstance(env.numbers.get("available_blocks"), int):
        return 0
    try:
        seq, block, batch = env.require_all("max_seq_len", "block", "batch_size")
        return predict(plan(env), min_blocks_in(env.context, seq, block, batch) - 1).low
    except MissingValue:
        return 0


def _context_formula(env: Environment) -> str:
    one = stated_batch(env) == 1
    return "available_blocks * block" if one else "(available_blocks - 1) * block"


_NO_BATCH = Text(
    "The message ends before the batch size; a spare block is kept, as any batch above one needs it.",
    "메시지가 batch_size 앞에서 잘렸으므로, 배치가 2 이상일 때 필요한 여분 블록 하나를 남긴 값입니다.",
)


def _batch(env: Environment, have: int) -> tuple[int, bool]:
    """The batch size, and whether it is known. A message that was cut may tell it by its minimum; else it is taken
    for one that needs the spare block."""
    stated = stated_batch(env)
    if stated is not None or env.numbers.get("available_blocks") is None:
        return (stated or int(env.require("batch_size"))), True
    need, seq, block = env.numbers.get("required_blocks"), env.get("max_seq_len"), env.require("block")
    if isinstance(need, int) and isinstance(seq, int):
        if need == seq // block:
            return 1, True
        if need > seq // block + 1:
            return need - 1, True
    return 2, False


@or_formula(_context_formula)
def kv_shorter_context(problem: Problem) -> Solution | None:
    """The longest max_seq_len whose minimum pool fits; not below two partitions."""
    env = environment(problem)
    agree(env)
    block = env.require("block")
    have, applicability, bound = _have(env)
    batch, known = _batch(env, have)
    if not known:
        applicability, bound = "estimate", _NO_BATCH
    seq = env.get("max_seq_len")
    most = have if seq is None else min(have, seq // block)
    partitions = next(
        (n for n in range(most, 1, -1) if min_blocks_in(env.context, n * block, block, batch) <= have), None
    )
    if partitions is None or (seq is not None and partitions * block >= seq):
        return None
    value = partitions * block
    terms = f"{have} * {block}" if partitions == have else f"({have} - 1) * {block}"
    text = f"{terms} = {value}" if partitions >= have - 1 else f"{partitions} * {block} = {value}"
    low = _low(env)
    careful = next((n for n in range(low, 1, -1) if min_blocks_in(env.context, n * block, block, batch) <= low), 0)
    if applicability == "estimate" and 0 < careful < partitions:
        bound = _if_it_fails(bound, careful * block)
    return Solution({"max_seq_len": value}, text, applicability, bound)


@or_formula("max(max_seq_len / block, batch_size) + 1 <= available_blocks")
def kv_context_and_batch(problem: Problem) -> Solution | None:
    """A shorter context together with a smaller batch, where neither alone is enough: 3 blocks hold 2 partitions for 2
    rows and the spare block. The longest context first, then the largest batch."""
    env = environment(problem)
    agree(env)
    seq, block, batch = env.require_all("max_seq_len", "block", "batch_size")
    have, applicability, bound = _have(env)

    def fit(n: int, rows: int) -> bool:
        return min_blocks_in(env.context, n * block, block, rows) <= have

    partitions = seq // block
    alone = any(fit(n, batch) for n in range(2, min(have, partitions) + 1))
    if alone or any(fit(partitions, b) for b in range(1, min(have, batch - 1) + 1)):
        return None
    for rows_least in (2, 1):
        for n in range(min(have, partitions - 1), 1, -1):
            rows = next((b for b in range(min(batch - 1, have), rows_least - 1, -1) if fit(n, b)), None)
            if rows is not None:
                need = min_blocks_in(env.context, n * block, block, rows)
                inner = f"max({n}, {rows}) + 1" if need > n else f"{n} * {rows}"
                text = f"{n} * {block} = {n * block}; {inner} = {need} <= {have}"
                return Solution({"max_seq_len": n * block, "batch_size": rows}, text, applicability, bound)
    return None


@or_formula("available_blocks - 1")
def kv_smaller_batch(problem: Problem) -> Solution | None:
    """The largest batch whose minimum pool fits; nothing when the sequence length is what decides."""
    env = environment(problem)
    agree(env)
    seq, block, batch = env.require_all("max_seq_len", "block", "batch_size")
    have, applicability, bound = _have(env)
    if stated_batch(env) is None and env.numbers.get("available_blocks") is not None:
        raise MissingValue(("batch_size",))
    value = next(
        (b for b in range(min(batch - 1, have), 0, -1) if min_blocks_in(env.context, seq, block, b) <= have),
        None,
    )
    if value is None:
        return None
    need = min_blocks_in(env.context, seq, block, value)
    inner = f"max({seq}/{block}, {value}) + 1" if value > 1 else f"{seq}/{block}"
    low = _low(env)
    careful = next((b for b in range(min(value, low), 0, -1) if min_blocks_in(env.context, seq, block, b) <= low), 0)
    if applicability == "estimate" and 0 < careful < value:
        bound = _if_it_fails(bound, careful)
    return Solution({"batch_size": value}, f"{inner} = {need} <= {have}", applicability, bound)


@or_formula("largest partition p with max(max_seq_len / p, batch_size) + 1 <= floor(available_blocks * block / p)")
def kv_smaller_partition(problem: Problem) -> Solution | None:
    """The largest smaller partition with which the minimum pool fits: the spare block and the blocks per
    row shrink, bytes per token stay."""
    env = environment(problem)
    agree(env)
    seq, block, low = env.require_all("max_seq_len", "block", "partition_min")
    have, _, _ = _have(env)
    batch, _ = _batch(env, have)
    step = pieces.step(env)
    value = largest_divisor(seq, low, min(block - step, seq // 2), step)
    while value is not None:
        fit = have * block // value
        need = min_blocks_in(env.context, seq, value, batch)
        if need <= fit:
            break
        value = largest_divisor(seq, low, value - step, step)
    if value is None:
        return None
    return Solution(
        changes={"kvcache_partition_len": value},
        arithmetic=f"min_blocks {need} <= floor({have} * {block} / {value}) = {fit}",
        applicability="estimate",
        bound=Text(
            "Bytes per token stay the same; the workspace of the graphs can change with the partition.",
            "토큰당 바이트는 그대로이지만, 그래프의 workspace는 파티션 크기에 따라 달라질 수 있습니다.",
        ),
    )


@or_formula("floor(max_seq_len / batch_size / kvcache_partition_len) * kvcache_partition_len")
def context_for_one_device(problem: Problem) -> Solution | None:
    """The context with which a full batch needs no more KV cache than one full-length sequence did before.

    262144 with batch 8 → 32768: the documented layout in which both submodules load onto one set of devices.
    A batch of one is halved. Nothing when not even the smallest pool of that context fits beside the weights. A model
    without a vision submodule has the devices to itself: the longest context that fits by the memory model.
    """
    env = environment(problem)
    seq, batch = env.require_all("max_seq_len", "batch_size")
    if not has_vision(env) and env.get("flash") is True and "capacity_bytes" in env.numbers:
        return _longest_by_model(env, seq, batch)
    flash = env.config("kvcache_partition_len") is not None or env.get("flash") is not False
    step = env.require("block") if flash else 64
    divisor = batch if batch > 1 else 2
    value = seq // divisor // step * step
    smallest = 2 * step if flash else step
    text = f"{seq} / {divisor} = {seq // divisor}" if seq % divisor == 0 else f"floor({seq} / {divisor})"
    if value < smallest:
        value = smallest
        text = f"2 * {step} = {value}"
    elif value != seq // divisor:
        text = f"floor({seq} / {divisor} / {step}) * {step} = {value}"
    if value >= seq or (flash and _hopeless(env, value, step, batch)):
        return None
    pool = f"; full_blocks = {explain_full(value, step, batch)}" if flash else ""
    return Solution(
        changes={"max_seq_len": value},
        arithmetic=text + pool,
        applicability="estimate",
        bound=_smaller_cache(env, seq, value, batch),
    )


def _longest_by_model(env: Environment, seq: int, batch: int) -> Solution | None:
    """Raises MissingValue."""
    block, asked = env.require("block"), env.get("kvcache_num_blocks")
    pool = predict(plan(env), full_blocks(seq, block, batch))
    for parts in range(seq // block - 1, 1, -1):
        need = min_blocks_in(env.context, parts * block, block, batch)
        text = f"{parts} * {block} = {parts * block}; min_blocks = {need} <= {pool.low}"
        if isinstance(asked, int) and asked > need:  # a pool that was set shrinks with the full count only
            need = min(asked, full_blocks(parts * block, block, batch))
            text = f"{parts} * {block} = {parts * block}; kvcache_num_blocks = {need} <= {pool.low}"
        if need <= pool.low:
            bound = interval(pool.low, pool.high, advise=False)
            return Solution({"max_seq_len": parts * block}, text, "estimate", bound)
    return None


def _smaller_cache(env: Environment, before: int, after: int, batch: int) -> Text:
    """How much smaller the KV cache is, and what that leaves open."""
    if batch > 1 and batch * after <= before:
        en = "The KV cache of the whole batch then needs no more than one full-length sequence did before; "
        ko = "배치 전체의 KV 캐시가 기존 최대 길이 시퀀스 하나 분량 이하로 줄어듭니다. "
    else:
        en = f"The KV cache of the whole batch shrinks to {after}/{before} of its size; "
        ko = f"배치 전체의 KV 캐시가 기존의 {after}/{before}로 줄어듭니다. "
    if env.context.vision_prefix is not None:
        return Text(
            f"{en}whether everything fits depends on the weights of both submodules.",
            f"{ko}전체가 들어가는지는 두 submodule의 가중치에 따라 다릅니다.",
        )
    return Text(
        f"{en}whether everything fits depends on the weights and on what else is on the device.",
        f"{ko}전체가 들어가는지는 가중치와 device에 함께 올라간 다른 것에 따라 다릅니다.",
    )


def _hopeless(env: Environment, seq: int, block: int, batch: int) -> bool:
    """True when the memory model is sure that the minimum pool does not fit; False when it does not know."""
    try:
        return fits(plan(env.after({"max_seq_len": seq})), min_blocks_in(env.context, seq, block, batch)) is False
    except MissingValue:
        return False


def right_size_context(problem: Problem) -> Solution | None:
    """max_seq_len for the longest request that is really sent (``request_tokens``: prompt and answer
    together)."""
    env = environment(problem)
    try:
        seq, block = env.require_all("max_seq_len", "block")
        longest = env.require("request_tokens")
    except MissingValue:
        formula = filled("ceil(longest_request / block) * block", env)
        return Solution(arithmetic=formula, applicability="advice")
    value = max(-(-longest // block), 2) * block
    if value >= seq:
        return None
    return Solution({"max_seq_len": value}, f"ceil({longest} / {block}) * {block} = {value}")
