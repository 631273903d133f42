"""Values of Python expressions that need nothing run: literals, names bound to them, bounded arithmetic."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from diagnose.model import Value


class _Unknown:
    """A value that only a run of the script would give."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __deepcopy__(self, memo: object) -> _Unknown:
        return self


UNKNOWN: Final = _Unknown()
MAX_NUMBER: Final = 2**63
MAX_ITEMS: Final = 4096
MAX_TEXT: Final = 10_000
MAX_DEPTH: Final = 60
"""A number from there on, a longer list or text and what is nested deeper is UNKNOWN."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_POWERS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_MAX_EXPONENT = 62


def evaluate(node: ast.expr | None, scope: Mapping[str, Value], depth: int = 0) -> Value:
    """The value of ``node`` with the names in ``scope``; UNKNOWN where it depends on anything else.

    A name bound to a mutable value gives that very object, so that later changes to it are seen.
    """
    if node is None or depth > MAX_DEPTH:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        return _bounded(node.value)
    handler = _NODES.get(type(node))
    return UNKNOWN if handler is None else handler(node, scope, depth + 1)


def dotted(node: ast.expr) -> str:
    """``os.environ`` of an attribute chain; empty for anything that is not a chain of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.expr) -> str:
    """The name a call is made by: ``from_pretrained`` of ``a.b.from_pretrained``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def binary(kind: type[ast.operator], left: Value, right: Value) -> Value:
    """``left op right`` within limits: numbers below 2**63, lists and texts of bounded length."""
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right} if kind is ast.BitOr else UNKNOWN
    numbers = all(isinstance(side, (int, float)) for side in (left, right))
    try:
        if numbers and kind in _POWERS:
            small = abs(left) < MAX_NUMBER and 0 <= right <= _MAX_EXPONENT
            return _bounded(_POWERS[kind](left, right)) if small else UNKNOWN
        if kind in _BINARY and (numbers or _joinable(kind, left, right)):
            return _bounded(_BINARY[kind](left, right))
    except (ArithmeticError, TypeError, ValueError):
        pass
    return UNKNOWN


def _joinable(kind: type[ast.operator], left: Value, right: Value) -> bool:
    """``[0] * 8``, ``[0] + [1]``, ``"a" + "b"``; other operators have no meaning for a configuration."""
    if kind is ast.Add:
        return type(left) is type(right) and isinstance(left, (list, tuple, str))
    if kind is not ast.Mult:
        return False
    many, count = (left, right) if isinstance(right, int) else (right, left)
    if not isinstance(many, (list, tuple)) or not isinstance(count, int):
        return False
    return len(many) * max(count, 0) <= MAX_ITEMS


def _bounded(value: Value) -> Value:
    if isinstance(value, (bool, float)) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < MAX_NUMBER else UNKNOWN
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else UNKNOWN
    if isinstance(value, (list, tuple)):
        return value if len(value) <= MAX_ITEMS else UNKNOWN
    return UNKNOWN


def _name(node: ast.Name, scope: Mapping[str, Value], depth: int) -> Value:
    return scope.get(node.id, UNKNOWN)


def _sequence(node: ast.List | ast.Tuple, scope: Mapping[str, Value], depth: int) -> Value:
    items: list[Value] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = evaluate(element.value, scope, depth)
            if not isinstance(inner, (list, tuple)):
                return UNKNOWN
            items.extend(inner)
        else:
            items.append(evaluate(element, scope, depth))
    return _bounded(items if isinstance(node, ast.List) else tuple(items))


def _dict(node: ast.Dict, scope: Mapping[str, Value], depth: int) -> Value:
    found: dict[str, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        inner = evaluate(value, scope, depth)
        if key is None:  # {**other}
            found = merge(found, inner)
            continue
        name = evaluate(key, scope, depth)
        if isinstance(name, str):
            found[name] = inner
    return found


def merge(base: Mapping[str, Value], other: Value) -> dict[str, Value]:
    """``{**base, **other}``; an unknown ``other`` may have set any key, so nothing before it is certain."""
    if isinstance(other, Mapping):
        return {**base, **other}
    return dict.fromkeys(base, UNKNOWN)


def _unary(node: ast.UnaryOp, scope: Mapping[str, Value], depth: int) -> Value:
    value = evaluate(node.operand, scope, depth)
    if isinstance(node.op, ast.Not):
        return not value if isinstance(value, bool) else UNKNOWN
    if isinstance(value, (int, float)) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return -value if isinstance(node.op, ast.USub) else +value
    return UNKNOWN


def _binary(node: ast.BinOp, scope: Mapping[str, Value], depth: int) -> Value:
    return binary(type(node.op), evaluate(node.left, scope, depth), evaluate(node.right, scope, depth))


def _subscript(node: ast.Subscript, scope: Mapping[str, Value], depth: int) -> Value:
    value, key = evaluate(node.value, scope, depth), evaluate(node.slice, scope, depth)
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key, UNKNOWN)
    if isinstance(value, (list, tuple)) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return UNKNOWN


def _attribute(node: ast.Attribute, scope: Mapping[str, Value], depth: int) -> Value:
    """``torch.bfloat16`` is a data type's name; ``config.visual`` a field of a configuration built before."""
    if isinstance(node.value, ast.Name) and node.value.id == "torch" and "torch" not in scope:
        return node.attr
    value = evaluate(node.value, scope, depth)
    return value.get(node.attr, UNKNOWN) if isinstance(value, dict) else UNKNOWN


def _text(node: ast.JoinedStr, scope: Mapping[str, Value], depth: int) -> Value:
    parts: list[str] = []
    for part in node.values:
        plain = isinstance(part, ast.FormattedValue) and part.format_spec is None and part.conversion == -1
        value = evaluate(part.value if isinstance(part, ast.FormattedValue) and plain else part, scope, depth)
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            return UNKNOWN
        parts.append(str(value))
    return _bounded("".join(parts))


def _choice(node: ast.IfExp, scope: Mapping[str, Value], depth: int) -> Value:
    test = evaluate(node.test, scope, depth)
    first, second = evaluate(node.body, scope, depth), evaluate(node.orelse, scope, depth)
    if isinstance(test, bool):
        return first if test else second
    return first if same(first, second) else UNKNOWN


def same(first: Value, second: Value) -> bool:
    """Equal, and of one type (``1`` is not ``True``)."""
    return first is second or (first is not UNKNOWN and type(first) is type(second) and bool(first == second))


def _call(node: ast.Call, scope: Mapping[str, Value], depth: int) -> Value:
    """The few calls that are part of writing a literal down."""
    name = dotted(node.func)
    last = name.rpartition(".")[2]
    if (last.startswith("RBLN") and last.endswith("Config")) or name == "dict":
        found: dict[str, Value] = {}
        if name == "dict" and len(node.args) == 1:
            found = merge({}, evaluate(node.args[0], scope, depth))
        for keyword in node.keywords:
            value = evaluate(keyword.value, scope, depth)
            if keyword.arg is not None:
                found[keyword.arg] = value
            elif isinstance(value, Mapping):
                found.update(value)
        return found
    function = _FUNCTIONS.get(name)
    if function is None or node.keywords:
        return UNKNOWN
    arguments = [evaluate(argument, scope, depth) for argument in node.args]
    if any(argument is UNKNOWN for argument in arguments):
        return UNKNOWN
    try:
        return _bounded(function(*arguments))
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN


def _range(*bounds: int) -> list[int]:
    numbers = range(*bounds)
    if len(numbers) > MAX_ITEMS:
        raise ValueError("too long")
    return list(numbers)


def _basename(path: str) -> str:
    return path.rpartition("/")[2]


def _join(*parts: str) -> str:
    return "/".join(part.rstrip("/") if index + 1 < len(parts) else part for index, part in enumerate(parts))


def _integer(value: Value) -> int:
    if isinstance(value, str) and len(value) > 19:
        raise ValueError("too long")
    return int(value)


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "range": _range,
    "list": list,
    "tuple": tuple,
    "int": _integer,
    "str": str,
    "Path": str,
    "pathlib.Path": str,
    "os.path.basename": _basename,
    "os.path.join": _join,
}
_NODES: dict[type[ast.expr], Callable[[Any, Mapping[str, Value], int], Value]] = {
    ast.Name: _name,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Dict: _dict,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.JoinedStr: _text,
    ast.IfExp: _choice,
    ast.Call: _call,
}
