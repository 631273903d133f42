"""Whether a guard can be true for some values: tried with the values it speaks of and their neighbours."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from diagnose.remedies.syntax import ASKING, HELPERS

MAX_TRIES = 20_000
ALWAYS = (0, 1, 2, 7, 64, 8192, 262_144)
TEXTS = ("ATOM", "REBEL", "optimum", "vllm", "x")


def can_hold(expression: str) -> bool | None:
    """True when some values make it true, False when none of those tried does, None when it cannot be tried."""
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        return None
    asked = _Asked()
    body = ast.fix_missing_locations(asked.visit(tree))
    free = sorted(_names(body.body) - set(HELPERS))
    numbers, texts = _constants(tree)
    groups = [(True, False) if name in asked.yes_no else (*numbers, *texts, [1, 2], [4]) for name in free]
    for tried, values in enumerate(itertools.product(*groups)):
        if tried >= MAX_TRIES:
            return None
        if _outcome(body.body, dict(zip(free, values, strict=True))):
            return True
    return False


class _Asked(ast.NodeTransformer):
    """``known('x')``, ``cfg('x')``, ``seen('compile')`` and the like become names of their own."""

    def __init__(self) -> None:
        self.yes_no: set[str] = set()

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        function = node.func.id if isinstance(node.func, ast.Name) else ""
        if function not in ASKING:
            return node
        words = "_".join(str(a.value) for a in node.args if isinstance(a, ast.Constant))
        name = f"{function}_{''.join(c if c.isalnum() else '_' for c in words)}"
        if function != "cfg":
            self.yes_no.add(name)
        return ast.Name(name, ast.Load())


def _names(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - bound_names(tree)


def bound_names(tree: ast.AST) -> set[str]:
    """Names a comprehension of the expression brings along itself."""
    parts = [part.target for part in ast.walk(tree) if isinstance(part, ast.comprehension)]
    return {name.id for target in parts for name in ast.walk(target) if isinstance(name, ast.Name)}


def _constants(tree: ast.AST) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Values worth trying: those of the expression with their neighbours first."""
    numbers: dict[Any, None] = {}
    texts: dict[str, None] = {}
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str):
            texts.setdefault(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            numbers.update(dict.fromkeys((value, value + 1, value - 1)))
    return tuple({**numbers, **dict.fromkeys(ALWAYS)}), tuple({**texts, **dict.fromkeys(TEXTS)})


def _outcome(body: ast.expr, values: Mapping[str, Any]) -> bool:
    from simpleeval import EvalWithCompoundTypes

    functions: dict[str, Callable[..., Any]] = dict(HELPERS)
    try:
        return bool(EvalWithCompoundTypes(functions=functions, names=dict(values)).eval("", previously_parsed=body))
    except Exception:  # these values do not go together: a text against a number, a division by 0
        return False
