"""Values nobody can mean: below one, or beyond every machine. They come from damaged or made-up numbers, and what
is computed from them is not shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.knowledge.schema import Parameter
from diagnose.model import Text, Value

MOST: Mapping[str, int] = {
    "tokens": 10**8,
    "sequences": 10**5,
    "blocks": 10**6,
    "devices": 4_096,
    "ranks": 4_096,
    "patches": 10**6,
    "pixels": 10**10,
    "seconds": 10**7,
    "": 10**9,
}
"""Unit → the largest value that is taken for one."""

MOST_BYTES = 2**50
"""Largest number of bytes, and of what has no unit."""
PORTS = 65_535

_UNITS: Mapping[str, str] = {
    **dict.fromkeys(("available_blocks", "required_blocks", "blocks_set", "blocks_min", "blocks_full"), "blocks"),
    **dict.fromkeys(("runtime_batch", "decoder_batch"), "sequences"),
    **dict.fromkeys(("devices_given", "devices_available"), "devices"),
    **dict.fromkeys(("seq_len", "partition_len", "partition_lo", "partition_hi", "request_tokens"), "tokens"),
    **dict.fromkeys(("required_patches", "available_patches"), "patches"),
}
"""Unit of a captured number that is not named like a parameter."""

BEYOND = Text(
    "The numbers of this run are beyond any machine or contradict each other, so nothing is computed from them.",
    "이 실행의 수치는 있을 수 없는 값이거나 서로 모순되어 계산에 쓰지 않았습니다.",
)

_OUTSIDE = Text(
    "The numbers in the message give no possible value for `{0}`, so none is computed.",
    "메시지의 수치로는 `{0}`에 가능한 값이 나오지 않아 계산하지 않았습니다.",
)


def possible(parameter: Parameter | None, value: Value) -> bool:
    """Whether a value can be meant for a parameter; True for what has no size (a name, a switch, a removal)."""
    if parameter is None or value is None or parameter.type in ("bool", "str", "dict"):
        return True
    if parameter.name == "port":
        return _within(value, 1, PORTS)
    if parameter.type == "devices":
        return bool(_items(value)) and all(_within(v, 0, MOST["devices"]) for v in _items(value))
    if parameter.type in ("budget", "float"):
        return not isinstance(value, (int, float)) or 0 < value <= MOST_BYTES
    items = _items(value)
    return bool(items) and all(_within(v, 1, MOST.get(parameter.unit, MOST[""])) for v in items)


def outside(parameters: Mapping[str, Parameter], changes: Mapping[str, Value]) -> str | None:
    """The first parameter whose planned value is not possible."""
    return next((name for name, to in changes.items() if not possible(parameters.get(name), to)), None)


def beyond(values: Mapping[str, Value], parameters: Mapping[str, Parameter]) -> bool:
    """Whether a number is larger than any of its kind: a computation over it would not end, or mean nothing."""
    return any(
        isinstance(v, int) and abs(v) > _most(name, parameters) for name, value in values.items() for v in _items(value)
    )


def _most(name: str, parameters: Mapping[str, Parameter]) -> int:
    parameter = parameters.get(name)
    if parameter is not None and parameter.type == "budget":
        return MOST_BYTES
    unit = _UNITS.get(name) if parameter is None else parameter.unit
    return MOST_BYTES if unit is None else MOST.get(unit, MOST[""])


def why_outside(parameter: str) -> Text:
    return _OUTSIDE.filled(parameter)


def _items(value: Value) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _within(value: Any, low: int, high: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return True  # a text such as "auto" has no size
    return low <= value <= high
