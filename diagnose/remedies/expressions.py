"""Remedy expressions: evaluated without ``eval``, with limits on what they may cost, and shown as
arithmetic."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from diagnose.model import Value
from diagnose.remedies.defaults import explicit
from diagnose.remedies.environment import DERIVED, MEASURED, MODEL_NUMBERS, Environment, MissingValue
from diagnose.remedies.release import at_least
from diagnose.remedies.syntax import (
    ASKING,
    FORBIDDEN,
    HELPERS,
    MAX_BITS,
    MAX_EXPONENT,
    MAX_ITEMS,
    MAX_STEPS,
    ExpressionError,
    asked,
    names_in,
    parse,
    targets,
)

__all__ = [
    "FUNCTION_NAMES",
    "NAMES",
    "Environment",
    "ExpressionError",
    "MissingValue",
    "evaluate",
    "explain",
    "names_in",
    "parse",
]

FUNCTION_NAMES: frozenset[str] = frozenset(HELPERS) | ASKING
"""Every function an expression may call."""
NAMES: frozenset[str] = frozenset(DERIVED) | MODEL_NUMBERS | MEASURED
"""Names beside captured numbers and parameters."""


def _functions(env: Environment) -> dict[str, Callable[..., Any]]:
    def cfg(name: str) -> Value:
        value = env.config(name)
        if value is None:
            raise MissingValue((name,))
        return value

    return {
        **HELPERS,
        "known": lambda name: env.get(name) is not None,
        "chosen": lambda name: explicit(env.context, name) is not None,
        "cfg": cfg,
        "seen": lambda phase: phase in env.context.phases,
        "at_least": lambda package, version: at_least(env.context, package, version),
    }


def evaluate(expression: str, env: Environment) -> Value:
    """Value of an expression.

    A branch that is not taken needs nothing. Raises MissingValue with every value the expression still needs,
    and ExpressionError for anything else that is wrong with it.
    """
    tree = parse(expression)
    missing = tuple(dict.fromkeys(_missing(tree, env, expression)))
    if missing:
        raise MissingValue(missing)
    return _checked(expression, _run(tree, env, expression))


def _run(node: ast.expr, env: Environment, expression: str) -> Value:
    evaluator = _evaluator()(operators=_operators(), functions=_functions(env), names=_Names(env))
    for name in ("list", "tuple", "dict", "set"):
        evaluator.functions.pop(name, None)
    try:
        return evaluator.eval(expression, previously_parsed=node)
    except MissingValue:
        raise
    except Exception as error:
        raise ExpressionError(expression, f"{type(error).__name__}: {error}") from error


@cache
def _evaluator() -> Any:
    """simpleeval's evaluator with a limit on its steps; made on first use, so that start-up does not import it."""
    from simpleeval import EvalWithCompoundTypes

    class Counting(EvalWithCompoundTypes):  # type: ignore[misc]
        steps = 0

        def _eval(self, node: ast.AST) -> Any:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise OverflowError("takes too many steps")
            return super()._eval(node)

    return Counting


class _Names:
    """The mapping the evaluator asks for names."""

    __slots__ = ("_env",)

    def __init__(self, env: Environment) -> None:
        self._env = env

    def __getitem__(self, name: str) -> Value:
        if name in HELPERS or name in ASKING:
            raise KeyError(name)
        return self._env.require(name)


@cache
def _operators() -> dict[type[ast.AST], Callable[..., Any]]:
    from simpleeval import DEFAULT_OPERATORS

    allowed = {k: v for k, v in DEFAULT_OPERATORS.items() if k not in FORBIDDEN}
    return {**allowed, ast.Pow: _power, ast.Mult: _times, ast.Add: _plus, ast.Mod: _modulo}


def _number(*values: Any) -> None:
    if any(not isinstance(v, (int, float)) for v in values):
        raise TypeError("numbers expected")


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise OverflowError("the number is too large")
    return value


def _power(a: Any, b: Any) -> Any:
    _number(a, b)
    if abs(b) > MAX_EXPONENT:
        raise OverflowError("the exponent is too large")
    return _bounded(a**b)


def _times(a: Any, b: Any) -> Any:
    _number(a, b)
    return _bounded(a * b)


def _modulo(a: Any, b: Any) -> Any:
    _number(a, b)
    return a % b


def _plus(a: Any, b: Any) -> Any:
    if isinstance(a, list) and isinstance(b, list):
        if len(a) + len(b) > MAX_ITEMS:
            raise OverflowError("the list is too long")
        return a + b
    _number(a, b)
    return _bounded(operator.add(a, b))


def _checked(expression: str, value: Value) -> Value:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ExpressionError(expression, "is not finite")
        value = int(value) if value.is_integer() and abs(value) > 1 else value
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ExpressionError(expression, "the number is too large")
    if isinstance(value, (int, float, str, list, type(None))):
        return value
    raise ExpressionError(expression, f"gives a {type(value).__name__}")


def _missing(node: ast.AST, env: Environment, expression: str, bound: frozenset[str] = frozenset()) -> list[str]:
    """What has to be supplied before ``node`` can be evaluated; only the branch that is taken counts."""
    if isinstance(node, ast.Name):
        skip = node.id in bound or node.id in HELPERS or node.id in ASKING
        return [] if skip else _names_missing(node.id, env)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
        parameter = asked(node)
        return [parameter] if parameter is not None and env.config(parameter) is None else []
    if isinstance(node, ast.IfExp) and not bound:
        needed = _missing(node.test, env, expression)
        if needed:
            return [*needed, *_missing(node.body, env, expression), *_missing(node.orelse, env, expression)]
        return _missing(node.body if _run(node.test, env, expression) else node.orelse, env, expression)
    if isinstance(node, ast.BoolOp) and not bound:
        return _missing_in_bool(node, env, expression)
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        bound = bound | targets(node)
    return [name for child in ast.iter_child_nodes(node) for name in _missing(child, env, expression, bound)]


def _names_missing(name: str, env: Environment) -> list[str]:
    try:
        env.require(name)
    except MissingValue as error:
        return list(error.names)
    return []


def _missing_in_bool(node: ast.BoolOp, env: Environment, expression: str) -> list[str]:
    found: list[str] = []
    stops_at = isinstance(node.op, ast.Or)
    for operand in node.values:
        needed = _missing(operand, env, expression)
        if not needed and bool(_run(operand, env, expression)) == stops_at:
            return found  # decided: what follows is not evaluated
        found += needed
    return found


# ------------------------------------------------------------------------------------------- arithmetic


def explain(expression: str, env: Environment) -> str:
    """The computation with its numbers: ``(12 - 1) * 16384 = 180224``; names that are not known stay names.

    A conditional is shown as the branch taken. Empty for a constant. Raises ExpressionError.
    """
    tree = parse(expression)
    if isinstance(tree, ast.Constant):
        return ""
    shown = _Shown(env, expression).visit(_resolve(tree, env, expression))
    text = ast.unparse(ast.fix_missing_locations(shown))
    try:
        value = evaluate(expression, env)
    except MissingValue:
        return text
    if isinstance(tree, ast.Name):
        return f"{tree.id} = {value}"
    return text if text == str(value) else f"{text} = {value}"


def _resolve(node: ast.expr, env: Environment, expression: str) -> ast.expr:
    """A conditional at the top replaced by the branch taken."""
    while isinstance(node, ast.IfExp) and not _missing(node.test, env, expression):
        node = node.body if _run(node.test, env, expression) else node.orelse
    return ast.parse(ast.unparse(node), mode="eval").body


class _Shown(ast.NodeTransformer):
    """Puts values in for names, and the usual notation for the helper functions."""

    def __init__(self, env: Environment, expression: str) -> None:
        self._env = env
        self._expression = expression

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._env.get(node.id)
        return node if value is None else _literal(value)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if _missing(node.test, self._env, self._expression):
            return self.generic_visit(node)
        return self.visit(node.body if _run(node.test, self._env, self._expression) else node.orelse)

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        parameter = asked(node)
        if parameter is not None:
            value = self._env.config(parameter)
            return ast.Name(parameter) if value is None else _literal(value)
        node.args = [self.visit(a) for a in node.args]
        if name in ("ceil_div", "floor_to", "ceil_to") and len(node.args) == 2:
            a, b = node.args
            rounded = ast.Call(ast.Name("floor" if name == "floor_to" else "ceil"), [ast.BinOp(a, ast.Div(), b)], [])
            return rounded if name == "ceil_div" else ast.BinOp(rounded, ast.Mult(), b)
        return node


def _literal(value: Value) -> ast.expr:
    if isinstance(value, (list, tuple)):
        return ast.List([_literal(v) for v in value], ast.Load())
    return ast.Constant(round(value, 4) if isinstance(value, float) else value)
