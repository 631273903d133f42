"""The share of device memory with which the dynamic KV cache of vllm-rbln holds so many blocks.

Source: vllm-rbln 0.12.0 ``v1/worker/dynamic_kv_sizer.py``: a unit holds ``(total * share - base) // per_block`` blocks,
and the tightest unit decides.
"""

from __future__ import annotations

import math

from diagnose.model import Text
from diagnose.remedies.environment import Environment
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment

UNITS = "measured.dynamic_kv_units"
"""Figures per chiplet as the log prints them, in bytes: {"0:0": {"total": …, "base": …, "per_block": …}}."""

_BOUND = Text(
    "By the log's figures of every chiplet ({0} is the tightest). Every rank has to reach it; a rank whose figures are "
    "not in the log can need more.",
    "로그에 나온 chiplet별 수치로 계산했습니다(가장 빠듯한 것: {0}). 모든 rank에 적용되며, 로그에 수치가 없는 "
    "rank는 더 필요할 수 있습니다.",
)


def dynamic_kv_share(problem: Problem) -> Solution | None:
    """The smallest gpu_memory_utilization in whole percent with which the needed blocks fit every chiplet shown;
    the formula where it shows none, nothing where not even all of the memory would do."""
    env = environment(problem)
    need = env.numbers.get("needed_blocks") or env.numbers.get("request_blocks")
    found = _tightest(env, need) if isinstance(need, int) else None
    if found is None:
        blocks = need if isinstance(need, int) else "blocks"
        return Solution(arithmetic=f"(base + {blocks} * per_block) / total", applicability="advice")
    share, unit, text = found
    value, now = math.ceil(round(share * 100, 6)) / 100, env.config("memory_budget")
    if value > 1 or (isinstance(now, float) and value <= now):
        return None
    bound = _BOUND.filled(unit)
    return Solution({"memory_budget": value}, text, "estimate", bound)


def _tightest(env: Environment, need: int) -> tuple[float, str, str] | None:
    """Share, unit and arithmetic of the unit that needs most; None without figures."""
    units = env.config(UNITS)
    if not isinstance(units, dict):
        return None
    found = []
    for unit, figures in units.items():
        total, base, block = (figures.get(name, 0) for name in ("total", "base", "per_block"))
        if total > 0 and block > 0:
            share = (base + need * block) / total
            found.append((share, unit, f"({base} + {need} * {block}) / {total} = {share:.5f}"))
    return max(found, default=None)
