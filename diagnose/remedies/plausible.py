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

MOST_BYTES = 2**44
PORTS = 65_535

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
        return all(_within(v, 0, MOST["devices"]) for v in _items(value))
    if parameter.type in ("budget", "float"):
        return not isinstance(value, (int, float)) or 0 < value <= MOST_BYTES
    items = _items(value)
    return bool(items) and all(_within(v, 1, MOST.get(parameter.unit, MOST[""])) for v in items)


def outside(parameters: Mapping[str, Parameter], changes: Mapping[str, Value]) -> str | None:
    """The first parameter whose planned value is not possible."""
    return next((name for name, to in changes.items() if not possible(parameters.get(name), to)), None)


def why_outside(parameter: str) -> Text:
    return Text(_OUTSIDE.en.format(parameter), _OUTSIDE.ko.format(parameter))


def _items(value: Value) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _within(value: Any, low: int, high: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return True  # a text such as "auto" has no size
    return low <= value <= high
