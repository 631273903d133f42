"""Runtimes of a model with several submodules: compile without creating them, and put them on devices of
their own.

Source: multi-module troubleshooting guide v0.12.0, steps 1 and 2.
"""

from __future__ import annotations

import shlex

from diagnose.model import Text, Value
from diagnose.remedies.environment import Environment, artifact, vllm_run
from diagnose.remedies.facts import model_name, vision_facts
from diagnose.remedies.problem import TOP, Problem, Solution
from diagnose.remedies.release import at_least
from diagnose.remedies.solvers.common import device_count, environment, or_formula
from diagnose.remedies.solvers.devices import unseen
from diagnose.remedies.whole import as_list


def has_vision(env: Environment) -> bool:
    """True when the run's model has a vision submodule, by its class or by a key of the configuration."""
    return env.context.vision_prefix is not None or any(k.startswith("visual.") for k in env.context.config)


def compile_without_runtimes(problem: Problem) -> Solution | None:
    """``create_runtimes: False`` at the top and in every submodule: the compile ends without touching the
    NPU. Not for a server, which compiles in order to serve."""
    env = environment(problem)
    if vllm_run(env.context):
        return None
    changes: dict[str, Value] = {"create_runtimes": False}
    if env.context.lm_prefix:
        changes = {f"{TOP}create_runtimes": False, **changes}  # further graphs stand at the top (a projector)
    if has_vision(env):
        changes["visual.create_runtimes"] = False
    return Solution(changes)


def smaller_pool_in_artifact(problem: Problem) -> Solution | None:
    """The pool of a compiled decoder-only artifact made smaller without a new compile, from optimum-rbln 0.12 on.

    Source: optimum-rbln 0.12.0 ``cli.py`` (``--set-memory-budget``, ``--set-kvcache-num-blocks``).
    """
    env = environment(problem)
    about = env.context
    if not artifact(about) or has_vision(env) or about.lm_prefix or env.get("flash") is not True:
        return None
    if not at_least(about, "optimum_rbln", "0.12.0"):
        return None
    named = about.config.get("artifact")
    place = str(named.value) if named is not None else model_name(about)
    command = f"optimum-rbln-cli --model-id {shlex.quote(place) if place else '<DIR>'}"
    low, now = env.get("min_blocks"), env.get("kvcache_num_blocks")
    if isinstance(low, int) and isinstance(now, int) and now <= low:
        return None  # it is as small as it may be
    note = None
    if isinstance(low, int) and isinstance(now, int):
        note = Text(
            f"The artifact holds {now} blocks, and {low} are the minimum; `--set-kvcache-num-blocks N` sets a number "
            "instead of a share.",
            f"산출물의 블록은 {now}개이고 최솟값은 {low}개입니다. 비율 대신 개수를 지정하려면 "
            "`--set-kvcache-num-blocks N`을 사용하세요.",
        )
    return Solution(
        applicability="estimate",
        bound=Text(
            "How much the other contents of the device take is not in the log: lower the share until loading succeeds.",
            "device에 함께 올라가 있는 다른 것의 크기는 로그에 없습니다. 로드가 될 때까지 비율을 낮추세요.",
        ),
        commands={"shell": f"{command} --set-memory-budget 0.8"},
        note=note,
    )


def free_devices(problem: Problem) -> Solution:
    """Another process on the NPU: the likeliest cause for a model that has no vision submodule to share it with."""
    env = environment(problem)
    return Solution(applicability="advice", commands={"shell": "rbln-smi"}, first=not has_vision(env))


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
    available = env.config("devices_available")
    second = _beside(first, current_vision, vision, available if isinstance(available, int) else None)
    if second is None:
        return None
    needed = max(*first, *second) + 1
    shown = max(available if isinstance(available, int) else 0, *(d + 1 for d in (*first, *current_vision)))
    return Solution(
        changes={"device": _written(first), "visual.device": _written(second)},
        arithmetic=f"{lm} + {vision} = {lm + vision} NPUs",
        applicability="exact" if needed <= shown else "estimate",
        bound=None if needed <= shown else unseen(needed),
        note=Text(
            f"{lm + vision} NPUs are needed: {_span(first)} for the language model, {_span(second)} for vision.",
            f"NPU {lm + vision}개가 필요합니다(LM: {_span(first)}, 비전: {_span(second)}).",
        ),
    )


def _beside(first: list[int], vision: list[int], count: int, available: int | None) -> list[int] | None:
    """``count`` ids beside ``first``: those vision has already if they are free, else ids the log shows to exist
    (below the largest one named), else the next ones. None when there are not so many devices."""
    if len(vision) == count and not set(vision) & set(first):
        return vision
    top = max(*first, *vision) if vision else max(first)
    below = [d for d in range(top + 1) if d not in first]
    if len(below) >= count:
        aligned = [d for d in below if d >= max(first) + 1]
        return aligned[:count] if len(aligned) >= count else below[:count]
    if available is not None:
        free = [d for d in range(available) if d not in first]
        start = [d for d in free if d > max(first)]
        return start[:count] if len(start) >= count else free[:count] if len(free) >= count else None
    return list(range(max(first) + 1, max(first) + 1 + count))


def _written(devices: list[int]) -> Value:
    return devices[0] if len(devices) == 1 else devices


def _span(devices: list[int]) -> str:
    if len(devices) > 1 and devices == list(range(devices[0], devices[-1] + 1)):
        return f"{devices[0]}-{devices[-1]}"
    return ", ".join(map(str, devices))
