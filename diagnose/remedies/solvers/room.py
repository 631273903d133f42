"""More room: more devices, or a larger share of their memory."""

from __future__ import annotations

import math

from diagnose.model import Text, Value
from diagnose.remedies.agreement import Disagreement, agree
from diagnose.remedies.blocks import min_blocks_in
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.memory import MIB, plan, predict
from diagnose.remedies.memory.plan import budget_bytes, pool_of, share_in_force
from diagnose.remedies.memory.weights import NEEDED
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import device_count, environment, or_formula

MOST_DEVICES = 64
"""Doubling stops here: no more are offered."""
MANY_HEADS = 8
"""KV heads most models have at least; more devices than heads repeat them."""

_ENOUGH = Text(
    "The smallest doubling with which a pool of {0} blocks fits by a memory model.",
    "device 수를 두 배씩 늘릴 때 메모리 모델상 {0}블록 pool이 들어가는 가장 작은 값입니다.",
)
_ROOMIER = Text(
    "By the memory model {0} blocks fit {1} devices already, so the model misses something that is on them; twice the "
    "devices halve what each holds of the weights.",
    "메모리 모델로는 device {1}개에 {0}블록이 이미 들어가야 하므로, 메모리 모델이 계산하지 못한 것이 device에 있는 "
    "것입니다. device를 두 배로 늘리면 device당 가중치가 절반이 됩니다.",
)
_SHARE_ENOUGH = Text(
    "The smallest share in whole percent with which {0} blocks surely fit by a memory model.",
    "메모리 모델상 {0}블록이 확실히 들어가는 가장 작은 비율(1% 단위)입니다.",
)
_SHARE_MORE = Text(
    "{0} blocks fit then: the weights do not grow with the share. A smaller one may do.",
    "가중치는 비율과 함께 늘지 않으므로 {0}블록이 들어갑니다. 더 작은 값으로도 충분할 수 있습니다.",
)
_SHARE_ALL = Text(
    "All of the usable DRAM; whether that is enough is not computed.",
    "가용 DRAM 전체를 쓰는 값입니다. 충분한지는 계산하지 못했습니다.",
)
_NO_POOL = Text(
    "The configuration does not tell how many blocks are needed, so whether that is enough is not computed.",
    "필요한 블록 수를 설정에서 알 수 없어 충분한지는 계산하지 못했습니다.",
)
_IN_PROPORTION = Text(
    "Each doubling halves the bytes of a block on a device and what it holds of the weights, so at least {0} blocks "
    "fit then, as long as the model has {1} KV heads or more.",
    "device 수를 두 배로 늘릴 때마다 device당 블록 크기와 가중치가 절반이 되므로, KV head가 {1}개 이상인 모델이라면 "
    "최소 {0}블록이 들어갑니다.",
)


@or_formula("num_devices * 2", doubles="num_devices")
def kv_more_devices(problem: Problem) -> Solution | None:
    """Twice the devices, and again, until the pool fits by the memory model: the one that was asked for,
    else the smallest one. ATOM only, REBEL has no RSD. Nothing when the model says that no number of
    devices will do."""
    env = environment(problem)
    if env.get("family") == "REBEL":
        return None
    try:
        agree(env)
    except Disagreement as error:
        return Solution(applicability="advice", note=error.note)
    devices = device_count(env)
    env.require("family")
    found = _enough(env, devices)
    if found is None:
        return None
    value, bound, others = found
    available = env.config("devices_available")
    if value > MOST_DEVICES or (isinstance(available, int) and value > available):
        return None
    changes: dict[str, Value] = {"num_devices": value, **others}
    return Solution(changes, f"{devices} * {value // devices} = {value}", "estimate", bound)


def _enough(env: Environment, devices: int) -> tuple[int, Text, dict[str, Value]] | None:
    """How many devices, what that rests on, and what must change with them; None when no number will do.

    Where the pool that was asked for fits no number of devices, the minimum may, and the library sizes it. Raises
    MissingValue where neither the model's numbers nor the message tell what one device more would bring.
    """
    asked = env.get("kvcache_num_blocks")
    low = _minimum(env)
    if low is None:
        return devices * 2, _NO_POOL, {}
    explicit_pool = asked if isinstance(asked, int) and asked > low else 0
    for need, others in ((max(low, explicit_pool), {}), (low, {"kvcache_num_blocks": None} if explicit_pool else {})):
        now = _fits(env, devices, need)
        if now is None:
            return _in_proportion(env, devices, need)
        if now and not others:
            return devices * 2, _ROOMIER.filled(need, devices), {}
        enough = None if now else next((c for c in _doublings(devices) if _fits(env, c, need)), None)
        if enough is not None:
            return enough, _ENOUGH.filled(need), dict(others)
    return None


def _doublings(devices: int) -> list[int]:
    return [devices * 2**n for n in range(1, 8) if devices * 2**n <= MOST_DEVICES]


def _in_proportion(env: Environment, devices: int, need: int) -> tuple[int, Text, dict[str, Value]] | None:
    """Without the model's numbers: n blocks fit, so 2n fit on twice the devices, as long as there are heads to split.
    One available block may be none."""
    have = env.numbers.get("available_blocks")
    if not isinstance(have, int) or have < 2:
        raise MissingValue(NEEDED)
    enough = next((c for c in _doublings(devices) if have * (c // devices) >= need), None)
    heads = env.get("num_key_value_heads")
    if enough is None or enough > (heads if isinstance(heads, int) else MANY_HEADS):
        raise MissingValue(NEEDED)
    return enough, _IN_PROPORTION.filled(have * (enough // devices), enough), {}


def _minimum(env: Environment) -> int | None:
    """The smallest pool; None when the configuration does not tell."""
    try:
        seq, block, batch = env.require_all("max_seq_len", "block", "batch_size")
    except MissingValue:
        return None
    return min_blocks_in(env.context, seq, block, batch)


def _fits(env: Environment, devices: int, blocks: int) -> bool | None:
    """Whether a pool surely fits on so many devices; None when the model's numbers are not known."""
    try:
        return predict(plan(env.after({"num_devices": devices})), blocks).low >= blocks
    except MissingValue:
        return None


def kv_raise_budget(problem: Problem) -> Solution | None:
    """A larger memory_budget (vLLM: gpu_memory_utilization) when one below 1 was in force.

    Enough for the missing blocks when bytes per block are known: budget + (KV(required) - KV(available)) /
    available DRAM, rounded up to whole percent. Nothing when even all of the DRAM would not do.
    """
    env = environment(problem)
    family, given = env.hardware, share_in_force(env)
    share = _share(given)
    if share is None and given is not None and family is not None:
        share = budget_bytes(env, family) / family.device_available  # bytes: 1 is one byte, "10GB" is binary
    if share is None or not 0 < share < 1:
        return None
    try:
        agree(env)
        return _larger_share(env, share, given)
    except Disagreement as error:
        return Solution(applicability="advice", note=error.note)
    except Useless:
        return None


class Useless(Exception):
    """Not even all of the memory would do."""


def _larger_share(env: Environment, share: float, given: Value) -> Solution | None:
    family = env.hardware
    note = Text(
        "On the optimum path this takes effect when the model is compiled.",
        "optimum 경로에서는 컴파일할 때 적용됩니다.",
    )
    missing = _missing_bytes(env)
    if missing is None or family is None:
        found = _share_by_model(env, share) or _share_in_proportion(env, share)
        if found is None:
            return None
        value, text, bound = found
        return Solution({"memory_budget": value}, text or f"{given} -> {value}", "estimate", bound, note=note)
    exact = share + missing / family.unit_available
    value = _whole_percent(exact)
    if value > 1:
        return None
    bound = Text(
        "The missing blocks fit then, as long as the weights and workspace stay as they are.",
        "가중치와 workspace가 그대로라면 부족했던 블록까지 들어갑니다.",
    )
    text = f"{share:g} + {missing / MIB:,.0f} MiB / {family.unit_available / MIB:,.0f} MiB = {exact:.5f}"
    return Solution({"memory_budget": value}, text, "estimate", bound, note=note)


def _whole_percent(share: float) -> float:
    """Rounded up; what binary fractions add does not count."""
    return math.ceil(round(share * 100, 6)) / 100


def _share_by_model(env: Environment, share: float) -> tuple[float, str, Text] | None:
    """The smallest share in whole percent with which the minimum surely fits by the memory model. Raises Useless when
    even all of the memory surely would not do; None where the model or the minimum is not known, or cannot decide."""
    need = env.numbers.get("required_blocks") or _minimum(env)
    if not isinstance(need, int):
        return None
    try:
        for percent in range(math.floor(share * 100) + 1, 101):
            found = predict(plan(env.after({"memory_budget": percent / 100})), need)
            if found.low >= need:
                return percent / 100, "", _SHARE_ENOUGH.filled(need)
    except MissingValue:
        return None
    if found.high < need:
        raise Useless
    return None


def _share_in_proportion(env: Environment, share: float) -> tuple[float, str, Text] | None:
    """Without the model's numbers: n blocks fit beside the weights, so N fit in N/n of the budget. Where that is more
    than everything, everything."""
    have, need = env.numbers.get("available_blocks"), env.numbers.get("required_blocks")
    if isinstance(have, int) and isinstance(need, int) and have > 1 and share * need <= have:
        exact = share * need / have
        return _whole_percent(exact), f"{share:g} * {need} / {have} = {exact:.5f}", _SHARE_MORE.filled(need)
    return 1.0, "", _SHARE_ALL


def _missing_bytes(env: Environment) -> int | None:
    """Bytes per unit the missing blocks need, at most; None when the message or the model does not tell.

    One available block may be none at all: the library's search starts at one and never says zero.
    """
    have, need = env.numbers.get("available_blocks"), env.numbers.get("required_blocks")
    if not isinstance(have, int) or not isinstance(need, int) or have < 2:
        return None
    try:
        pool = pool_of(env)
    except MissingValue:
        return None
    return pool.bytes(need) - pool.bytes(have)


def _share(value: object) -> float | None:
    if isinstance(value, float):
        return value
    if isinstance(value, str) and value.strip().endswith("%"):
        try:
            return float(value.strip()[:-1]) / 100
        except ValueError:
            return None
    return None
