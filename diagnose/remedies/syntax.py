"""What an expression may hold: its functions, its syntax, and the limits on both."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

MAX_LENGTH = 1_000
"""Characters of one expression."""
MAX_NODES = 300
"""Syntax nodes of one expression."""
MAX_BITS = 256
"""Bits of any integer on the way."""
MAX_EXPONENT = 64
MAX_STEPS = 50_000
"""Syntax nodes that are evaluated, each as often as a comprehension comes to it: about 0.1 s."""
MAX_DIGITS = 30
"""Places ``round`` may be asked for, before or after the point."""
MAX_ITEMS = 4_096
"""Elements of a list, and tries of ``largest_divisor``."""


class ExpressionError(ValueError):
    """An expression that cannot be evaluated: bad syntax, a name or construct that is not allowed, a
    limit."""

    def __init__(self, expression: str, reason: str) -> None:
        super().__init__(f"{expression}: {reason}")
        self.expression = expression
        self.reason = reason


# ------------------------------------------------------------------------------------------- functions


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _over(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """``max(x)``, ``len(x)`` … of a single value as of a list of one: a bucket may be given either way."""
    return lambda *args: function(_as_list(args[0]) if len(args) == 1 else list(args))


def _ceil_div(a: Any, b: Any) -> int:
    return int(-(-a // b))


def _floor_to(a: Any, m: Any) -> int:
    return int(a // m * m)


def _ceil_to(a: Any, m: Any) -> int:
    return int(-(-a // m) * m)


def _round(number: Any, digits: int | None = None) -> Any:
    if digits is not None and abs(digits) > MAX_DIGITS:
        raise OverflowError("too many digits")
    return round(number, digits)


def largest_divisor(n: int, lo: int, hi: int, step: int = 1) -> int | None:
    """The largest multiple of ``step`` in [lo, hi] that divides ``n``; None when there is none."""
    if step < 1 or n < 1:
        return None
    top = min(hi, n) // step * step
    if (top - lo) // step > MAX_ITEMS:
        raise ValueError("too many candidates for largest_divisor")
    return next((d for d in range(top, max(lo, 1) - 1, -step) if n % d == 0), None)


def floor_pow2(n: int) -> int:
    """The largest power of two up to ``n``: 6 → 4. Raises ValueError below 1."""
    if n < 1:
        raise ValueError("no power of two is below 1")
    return 1 << n.bit_length() - 1


HELPERS: Mapping[str, Callable[..., Any]] = {
    "ceil_div": _ceil_div,
    "floor_to": _floor_to,
    "ceil_to": _ceil_to,
    "align_2mib": lambda a: _ceil_to(a, 2**21),
    "largest_divisor": largest_divisor,
    "floor_pow2": floor_pow2,
    "min": _over(min),
    "max": _over(max),
    "len": _over(len),
    "sorted": _over(sorted),
    "sum": _over(sum),
    "int": int,
    "round": _round,
    "abs": abs,
}
ASKING = frozenset({"known", "chosen", "cfg", "seen", "at_least"})
"""Functions that ask about the run; their argument is a text."""


# ------------------------------------------------------------------------------------------- syntax

_NODES: tuple[type[ast.AST], ...] = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call),
    *(ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Subscript, ast.Slice, ast.Load, ast.Store),
    *(ast.ListComp, ast.GeneratorExp, ast.comprehension),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)
FORBIDDEN: tuple[type[ast.AST], ...] = (
    *(ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd, ast.MatMult, ast.Invert),
)


@lru_cache(maxsize=4_096)
def parse(expression: str) -> ast.expr:
    """The checked syntax tree of an expression. Raises ExpressionError."""
    if len(expression) > MAX_LENGTH:
        raise ExpressionError(expression[:60], "is too long")
    try:
        with warnings.catch_warnings():  # ``1if x`` would warn on stderr
            warnings.simplefilter("ignore")
            tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ExpressionError(expression, f"is no expression: {error}") from error
    for count, node in enumerate(ast.walk(tree)):
        if count > MAX_NODES:
            raise ExpressionError(expression, "has too many parts")
        _check(expression, node)
    return tree.body


def _check(expression: str, node: ast.AST) -> None:
    if not isinstance(node, _NODES) or isinstance(node, FORBIDDEN):
        raise ExpressionError(expression, f"{type(node).__name__} is not allowed")
    if isinstance(node, ast.Call):
        known = isinstance(node.func, ast.Name) and (node.func.id in HELPERS or node.func.id in ASKING)
        if not known or node.keywords:
            raise ExpressionError(expression, f"{ast.unparse(node.func)} is no function here")
    if isinstance(node, ast.Constant) and not isinstance(node.value, (int, float, str, bool, type(None))):
        raise ExpressionError(expression, "such a constant is not allowed")
    if isinstance(node, ast.Name) and node.id.startswith("_"):
        raise ExpressionError(expression, f"{node.id} is not allowed")


def names_in(expression: str) -> tuple[str, ...]:
    """Names and ``cfg('…')`` parameters an expression uses, in order of first use. Raises ExpressionError."""
    found: dict[str, None] = {}
    for node in _preorder(parse(expression)):
        if isinstance(node, ast.Name) and node.id not in HELPERS and node.id not in ASKING:
            found[node.id] = None
        parameter = asked(node)
        if parameter is not None:
            found[parameter] = None
    return tuple(n for n in found if n not in targets(parse(expression)))


def _preorder(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _preorder(child)


def targets(tree: ast.AST) -> frozenset[str]:
    loops = [n.target for n in ast.walk(tree) if isinstance(n, ast.comprehension)]
    return frozenset(n.id for t in loops for n in ast.walk(t) if isinstance(n, ast.Name))


def asked(node: ast.AST) -> str | None:
    """The parameter of a ``cfg('…')`` call."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cfg" and node.args:
        argument = node.args[0]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return argument.value
    return None
