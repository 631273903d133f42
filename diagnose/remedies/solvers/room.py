"""More room: more devices, or a larger share of their memory."""

from __future__ import annotations

import math

from diagnose.model import Text, Value
from diagnose.remedies.agreement import Disagreement, agree
from diagnose.remedies.blocks import min_blocks_in
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.memory import MIB, plan, predict
from diagnose.remedies.memory.plan import budget_bytes, pool_of, share_in_force
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import device_count, environment, or_formula

MOST_DEVICES = 64
"""Doubling stops here."""

_ENOUGH = Text(
    "The smallest doubling with which a pool of {0} blocks fits by a memory model.",
    "device 수를 두 배씩 늘릴 때 메모리 모델상 {0}블록 pool이 들어가는 가장 작은 값입니다.",
)
_ROOMIER = Text(
    "By the memory model {0} blocks fit {1} devices already, so the model misses something that is on them; twice the "
    "devices halve what each holds of the weights.",
    "메모리 모델로는 device {1}개에 {0}블록이 이미 들어가므로 모델이 모르는 것이 device에 있습니다. device를 두 배로 "
    "늘리면 device당 가중치가 절반이 됩니다.",
)
_NO_POOL = Text(
    "The configuration does not tell how many blocks are needed, so whether that is enough is not computed.",
    "필요한 블록 수를 설정에서 알 수 없어 충분한지는 계산하지 못했습니다.",
)
_UNPROVEN = Text(
    "Twice the devices; the model's numbers are not known, so whether that is enough is not computed.",
    "device 수를 두 배로 늘린 값입니다. 모델 수치를 몰라 충분한지는 계산하지 못했습니다.",
)


@or_formula("num_devices * 2")
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
    if isinstance(available, int) and value > available:
        return None
    changes: dict[str, Value] = {"num_devices": value, **others}
    return Solution(changes, f"{devices} * {value // devices} = {value}", "estimate", bound)


def _enough(env: Environment, devices: int) -> tuple[int, Text, dict[str, Value]] | None:
    """How many devices, what that rests on, and what must change with them; None when no number will do.

    Where the pool that was asked for fits no number of devices, the minimum may, and the library sizes it.
    """
    asked = env.get("kvcache_num_blocks")
    low = _minimum(env)
    if low is None:
        return devices * 2, _NO_POOL, {}
    explicit_pool = asked if isinstance(asked, int) and asked > low else 0
    for need, others in ((max(low, explicit_pool), {}), (low, {"kvcache_num_blocks": None} if explicit_pool else {})):
        now = _fits(env, devices, need)
        if now is None:
            return devices * 2, _UNPROVEN, {}
        if now and not others:
            return devices * 2, _with(_ROOMIER, need, devices), {}
        counts = [devices * 2**n for n in range(1, 8) if devices * 2**n <= MOST_DEVICES]
        enough = None if now else next((c for c in counts if _fits(env, c, need)), None)
        if enough is not None:
            return enough, _with(_ENOUGH, need), dict(others)
    return None


def _with(text: Text, *values: int) -> Text:
    return Text(text.en.format(*values), text.ko.format(*values))


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
    except Disagreement as error:
        return Solution(applicability="advice", note=error.note)
    note = Text(
        "On the optimum path this takes effect when the model is compiled.",
        "optimum 경로에서는 컴파일할 때 적용됩니다.",
    )
    missing = _missing_bytes(env)
    if missing is None or family is None:
        bound = Text(
            "All of the usable DRAM; whether that is enough is not computed.",
            "가용 DRAM 전체를 쓰는 값입니다. 충분한지는 계산하지 못했습니다.",
        )
        return Solution({"memory_budget": 1.0}, f"{given} -> 1.0", "estimate", bound, note=note)
    exact = share + missing / family.unit_available
    value = math.ceil(exact * 100) / 100
    if value > 1:
        return None
    bound = Text(
        "The missing blocks fit then, as long as the weights and workspace stay as they are.",
        "가중치와 workspace가 그대로라면 부족한 블록이 들어갑니다.",
    )
    text = f"{share:g} + {missing / MIB:,.0f} MiB / {family.unit_available / MIB:,.0f} MiB = {exact:.5f}"
    return Solution({"memory_budget": value}, text, "estimate", bound, note=note)


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
