"""Device lists. Source: optimum-rbln 0.12.0 ``runtime_utils.py`` (``tp_and_devices_are_ok``); device
placement guide."""

from __future__ import annotations

import itertools
import re

from diagnose.model import Text, Value
from diagnose.remedies.agreement import Disagreement
from diagnose.remedies.defaults import explicit
from diagnose.remedies.environment import Environment, artifact
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, or_formula
from diagnose.remedies.whole import as_list

_NOT_THE_LIST = Text(
    "The message is about a list of {0} devices, and no list of that length is in the configuration that was found, so "
    "nothing is computed. Give the list of the run that failed.",
    "메시지의 device 목록은 {0}개인데, 확인된 설정에는 그 길이의 목록이 없어 계산하지 않았습니다. 실패한 실행에서 "
    "사용한 목록을 지정하세요.",
)
_PAIRS = (("device", "num_devices"), ("visual.device", "visual.num_devices"))


@or_formula("len(device) = num_devices")
def device_list_for_num_devices(problem: Problem) -> Solution | None:
    """A list of the wrong length: the list as long as num_devices says, or with ``options: {change:
    num_devices}`` the count as long as the list is (``devices_given``)."""
    env = environment(problem)
    given, count = env.numbers.get("devices_given"), env.require("num_devices")
    parameter, counter = _which(env, given, count)
    if _other_lists(env, given):
        if problem.options.get("change") == "num_devices":
            return None  # which count it is cannot be told
        raise Disagreement((parameter,), _NOT_THE_LIST.filled(given))
    if problem.options.get("change") == "num_devices":
        if artifact(env.context):
            return None  # the graphs are cut for the compiled number
        if not isinstance(given, int):
            given = len(as_list(env.config(parameter))) or None
        return None if given is None else Solution({counter: given}, f"len({parameter}) = {given}")
    if count < 1:
        return None
    available = env.config("devices_available")
    devices = fitted(as_list(env.config(parameter)), count, available if isinstance(available, int) else None)
    if devices is None:
        return None
    text = f"len({parameter}) = {counter} = {count}"
    return proved(env, {parameter: devices}, text, max(as_list(devices)) + 1)


def _other_lists(env: Environment, given: Value) -> bool:
    """Whether lists are known, and none of them has the length the message names."""
    lengths = [len(devices) for parameter, _ in _PAIRS if (devices := as_list(env.config(parameter)))]
    return isinstance(given, int) and bool(lengths) and given not in lengths


def proved(env: Environment, changes: dict[str, Value], text: str, needed: int) -> Solution:
    """Exact where the log shows that so many devices are there: it counts them, or the run named one as high. Else an
    estimate with its condition."""
    available, named = env.config("devices_available"), [*as_list(env.config("device"))]
    named += as_list(env.config("visual.device"))
    shown = max(available if isinstance(available, int) else 0, *(d + 1 for d in named), 0)
    if needed <= shown:
        return Solution(changes, text)
    return Solution(changes, text, "estimate", unseen(needed))


def unseen(needed: int) -> Text:
    return Text(
        f"Ids up to {needed - 1} are not seen in the log: `rbln-smi` must list at least {needed} NPUs.",
        f"{needed - 1}번까지의 device는 로그에서 확인되지 않았습니다. `rbln-smi`에 NPU가 {needed}개 이상 표시되어야 "
        "합니다.",
    )


def _which(env: Environment, given: Value, count: int) -> tuple[str, str]:
    """The pair the message is about: the one whose list has the length it names. A count that was only inferred from
    the list is none; a vision submodule without its own follows the language model's."""
    for parameter, counter in _PAIRS:
        length = len(as_list(env.config(parameter)))
        setting = explicit(env.context, counter)
        own = setting is not None and "inferred" not in setting.origin
        if length and length == given and (not own or env.config(counter) == count):
            return parameter, counter
    return _PAIRS[0]


def fitted(devices: list[int], count: int, available: int | None = None) -> Value:
    """``devices`` cut or continued to ``count`` ids; a single one as a number. None when there are not so many devices
    (``available``).

    Ids of one aligned group of ``count`` are completed within it ([6, 1] to 8 ids: 0-7), because a machine that has
    those ids has the whole group; others are continued upwards.
    """
    there = dict.fromkeys(d for d in devices if available is None or d < available)
    if available is not None and count > available:
        return None
    kept = list(there)[:count]
    first = min(kept, default=0) // count * count
    group = range(first, first + count)
    upwards = itertools.count(max(kept, default=-1) + 1) if available is None else iter(range(available))
    whole = all(d in group for d in kept) and (available is None or group[-1] < available)
    more = iter(group) if whole else upwards
    while len(kept) < count:
        candidate = next(more)
        if candidate not in kept:
            kept.append(candidate)
    return kept[0] if count == 1 else kept


def device_overrides_only(problem: Problem) -> Solution | None:
    """An artifact that is compiled already takes device ids only: other overrides (the ``keys`` of the message) are
    removed, and lists that do not have the compiled length are corrected. A refused ``num_devices`` is not the
    compiled one, so no list is measured by it."""
    env = environment(problem)
    changes: dict[str, Value] = {name: None for name in _refused(env) if not name.endswith("device")}
    shown: list[str] = []
    needed = 0
    for parameter, counter in _PAIRS:
        devices, count = as_list(env.config(parameter)), env.config(counter)
        if counter not in changes and devices and isinstance(count, int) and len(devices) != count:
            changes[parameter] = fitted(devices, count)
            shown.append(f"len({parameter}) = {counter} = {count}")
            needed = max(needed, *(d + 1 for d in as_list(changes[parameter])))
    return proved(env, changes, "; ".join(shown), needed) if changes else None


def _refused(env: Environment) -> list[str]:
    """Names the message lists: ``arguments`` as a list, or ``keys`` as printed, ``['num_devices', 'batch_size']``."""
    said = env.numbers.get("arguments") or env.numbers.get("keys") or ()
    return re.findall(r"[\w.]+", said) if isinstance(said, str) else [str(name) for name in said]


_COUNTS = (2, 4, 8, 16, 32)
"""Devices a model can be split over."""
_ATOM_ONLY = Text(
    "The NPU is not in the log (`--npu NAME`). This holds for ATOM; on REBEL an optimum-rbln model runs on one device, "
    "and `--model-impl vllm` is the way to more.",
    "로그에 NPU 이름이 없습니다(`--npu NAME`으로 지정하세요). ATOM에서만 가능합니다. REBEL에서 optimum-rbln 모델은 "
    "device 하나만 사용하므로, 여러 device를 쓰려면 `--model-impl vllm`이 필요합니다.",
)


@or_formula("num_devices = tensor_parallel_size")
def devices_for_ranks(problem: Problem) -> Solution | None:
    """``num_devices`` in place of vLLM's ranks: a power of two that divides the attention heads, so a number that is
    none becomes the next lower one. Only ATOM splits a model of optimum-rbln over devices (version matrix v0.12.0)."""
    env = environment(problem)
    ranks, heads = env.require("tensor_parallel_size"), env.get("num_attention_heads")
    if ranks < 2:
        return None
    fits = [n for n in _COUNTS if n <= ranks and (not isinstance(heads, int) or heads % n == 0)]
    if not fits:
        return None
    count = fits[-1]
    changes: dict[str, Value] = {"tensor_parallel_size": None, "num_devices": count}
    text = f"tensor_parallel_size = {ranks}" if count == ranks else f"tensor_parallel_size = {ranks} -> {count}"
    conditions = [] if env.hardware is not None else [_ATOM_ONLY]
    if count != ranks:
        conditions.append(_lower(count, ranks, heads))
    if not conditions:
        return Solution(changes, text)
    bound = Text(" ".join(c.en for c in conditions), " ".join(c.ko for c in conditions))
    return Solution(changes, text, "estimate", bound)


def _lower(count: int, ranks: int, heads: Value) -> Text:
    split = isinstance(heads, int) and heads % ranks != 0
    why = (
        f"{ranks} does not divide the {heads} attention heads",
        f"{ranks}개로는 attention head {heads}개를 나눌 수 없어",
    )
    if not split:
        why = (f"{ranks} is no power of two up to 32", f"device 수 {ranks}은 32 이하의 2의 거듭제곱이 아니므로")
    return Text(
        f"{why[0]}; {count} is the next lower number, and each device holds more: a higher one needs as many NPUs.",
        f"{why[1]} 한 단계 낮은 {count}개를 제안합니다. 그만큼 device마다 담는 양이 늘어나며, 더 높이려면 NPU도 그만큼 "
        "필요합니다.",
    )
