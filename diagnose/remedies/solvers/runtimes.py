"""Runtimes of a model with several submodules: compile without creating them, and put them on devices of
their own.

Source: multi-module troubleshooting guide v0.12.0, steps 1 and 2.
"""

from __future__ import annotations

from diagnose.model import Text, Value
from diagnose.remedies.environment import Environment
from diagnose.remedies.facts import vision_facts
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import as_list, device_count, environment, or_formula


def has_vision(env: Environment) -> bool:
    """True when the run's model has a vision submodule, by its class or by a key of the configuration."""
    return env.context.vision_prefix is not None or any(k.startswith("visual.") for k in env.context.config)


def compile_without_runtimes(problem: Problem) -> Solution | None:
    """``create_runtimes: False`` at the top and in every submodule: the compile ends without touching the
    NPU."""
    env = environment(problem)
    changes: dict[str, Value] = {"create_runtimes": False}
    if has_vision(env):
        changes["visual.create_runtimes"] = False
    return Solution(changes)


def vision_devices(env: Environment, devices: int) -> int:
    """Devices of the vision submodule: its own setting, else the parent's count where its class can be
    sharded."""
    own = env.config("visual.num_devices")
    if isinstance(own, int):
        return own
    return devices if vision_facts(env.knowledge, env.context).get("shardable", True) else 1


@or_formula("device = 0 .. num_devices-1; visual.device = num_devices .. 2*num_devices-1")
def disjoint_devices(problem: Problem) -> Solution | None:
    """Language model and vision submodule on devices of their own; a single device is written as a number."""
    env = environment(problem)
    if not has_vision(env):
        return None
    lm = device_count(env)
    vision = vision_devices(env, lm)
    current, current_vision = as_list(env.config("device")), as_list(env.config("visual.device"))
    if current and current_vision and not set(current) & set(current_vision):
        return None  # they are apart already
    first = current if len(current) == lm else list(range(lm))
    start = max(first) + 1
    second = list(range(start, start + vision))
    available = env.config("devices_available")
    if isinstance(available, int) and available < lm + vision:
        return None
    return Solution(
        changes={"device": _written(first), "visual.device": _written(second)},
        arithmetic=f"{lm} + {vision} = {lm + vision} NPUs",
        note=Text(
            f"{lm + vision} NPUs are needed: {_span(first)} for the language model, {_span(second)} for vision.",
            f"NPU {lm + vision}개가 필요합니다(LM: {_span(first)}, 비전: {_span(second)}).",
        ),
    )


def _written(devices: list[int]) -> Value:
    return devices[0] if len(devices) == 1 else devices


def _span(devices: list[int]) -> str:
    return str(devices[0]) if len(devices) == 1 else f"{devices[0]}-{devices[-1]}"
