"""A script's statements in order: names, changes of dicts, branches, functions. Nothing is run."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from diagnose.context.readers import python_calls
from diagnose.context.readers.python_found import Found
from diagnose.context.readers.python_values import UNKNOWN, binary, dotted, evaluate, last_name, same
from diagnose.model import Value

Scope = dict[str, Value]
_DICT_METHODS = frozenset({"update", "setdefault", "pop", "clear"})
_PROCESSOR_ATTRIBUTES = ("max_pixels", "min_pixels", "max_soft_tokens", "size")


def walk(body: Sequence[ast.stmt], scope: Scope, found: Found) -> None:
    """Follows ``body``; ``scope`` and ``found`` are changed.

    Functions are followed after the block they stand in, when the constants around them are all bound; their
    parameters are unknown, because a call may give them any value.
    """
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions.append(statement)
            scope[statement.name] = UNKNOWN
        elif isinstance(statement, ast.ClassDef):
            walk(statement.body, dict(scope), found)
        else:
            _STATEMENTS.get(type(statement), _other)(statement, scope, found)
    for function in functions:
        inner = copy.deepcopy(scope)
        every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        named = [argument for argument in (function.args.vararg, function.args.kwarg) if argument]
        for argument in (*every, *named):
            inner[argument.arg] = UNKNOWN
        for name in _bound(function.body):
            inner.pop(name, None)
        walk(function.body, inner, found)


def _calls(nodes: Iterable[ast.AST | None], scope: Scope, found: Found) -> None:
    """Every call inside the expressions, inner ones first (they are evaluated first)."""
    for node in nodes:
        if node is None:
            continue
        for inner in reversed(list(ast.walk(node))):
            if isinstance(inner, ast.Call):
                python_calls.record(inner, scope, found)
                _method(inner, scope)
            elif isinstance(inner, ast.Dict) and len(inner.keys) > 1:
                python_calls.record_sizes(inner, scope, found)


def _method(call: ast.Call, scope: Scope) -> None:
    """``config.update({…})``, ``config.setdefault("a", 1)``, ``config.pop("a")`` on a dict of the script."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _DICT_METHODS:
        return
    target = evaluate(call.func.value, scope)
    if not isinstance(target, dict):
        return
    arguments = [evaluate(argument, scope) for argument in call.args]
    kind = call.func.attr
    if kind == "clear":
        target.clear()
    elif kind == "pop" and arguments and isinstance(arguments[0], str):
        target.pop(arguments[0], None)
    elif kind == "setdefault" and len(arguments) == 2 and isinstance(arguments[0], str):
        target.setdefault(arguments[0], arguments[1])
    elif kind == "update":
        for argument in arguments:
            if isinstance(argument, dict):
                target.update(argument)
            else:
                target.update(dict.fromkeys(target, UNKNOWN))
        target.update({k.arg: evaluate(k.value, scope) for k in call.keywords if k.arg})


def _other(statement: ast.stmt, scope: Scope, found: Found) -> None:
    """A statement without blocks: its calls count."""
    _calls([statement], scope, found)


def _assign(statement: ast.Assign, scope: Scope, found: Found) -> None:
    _calls([statement.value], scope, found)
    value = evaluate(statement.value, scope)
    for target in statement.targets:
        _bind(target, value, scope, found)


def _annotated(statement: ast.AnnAssign, scope: Scope, found: Found) -> None:
    if statement.value is not None:
        _calls([statement.value], scope, found)
        _bind(statement.target, evaluate(statement.value, scope), scope, found)


def _augmented(statement: ast.AugAssign, scope: Scope, found: Found) -> None:
    _calls([statement.value], scope, found)
    value = binary(type(statement.op), evaluate(statement.target, scope), evaluate(statement.value, scope))
    _bind(statement.target, value, scope, found)


def _bind(target: ast.expr, value: Value, scope: Scope, found: Found) -> None:
    if isinstance(target, ast.Name):
        scope[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        items = value if isinstance(value, (list, tuple)) and len(value) == len(target.elts) else None
        for index, element in enumerate(target.elts):
            _bind(element, UNKNOWN if items is None else items[index], scope, found)
    elif isinstance(target, ast.Subscript):
        _bind_item(target, value, scope, found)
    elif isinstance(target, ast.Attribute):
        base = evaluate(target.value, scope)
        if isinstance(base, dict):
            base[target.attr] = value
        elif "processor" in dotted(target.value).lower() and target.attr in _PROCESSOR_ATTRIBUTES:
            _processor_attribute(dotted(target.value), target.attr, value, found)


def _processor_attribute(place: str, attribute: str, value: Value, found: Found) -> None:
    """``processor.image_processor.max_pixels = …``, ``processor.video_processor.size = {…}``."""
    if attribute != "size":
        found.put("processor", {attribute: value})
    elif isinstance(value, dict):
        found.put("processor", python_calls.size_limits(place, value.get("longest_edge")))


def _bind_item(target: ast.Subscript, value: Value, scope: Scope, found: Found) -> None:
    base, key = evaluate(target.value, scope), evaluate(target.slice, scope)
    place = dotted(target.value)
    if place in ("os.environ", "environ"):
        if isinstance(key, str):
            found.put("environment", {key: value if isinstance(value, str) else UNKNOWN})
    elif isinstance(base, (dict, list)):
        inside = isinstance(key, int) and -len(base) <= key < len(base)
        if isinstance(key, str) if isinstance(base, dict) else inside:
            base[key] = value
    elif "processor" in place.lower() and place.endswith(".size") and key == "longest_edge":
        found.put("processor", python_calls.size_limits(place, value))


def _delete(statement: ast.Delete, scope: Scope, found: Found) -> None:
    for target in statement.targets:
        if isinstance(target, ast.Name):
            scope.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            base, key = evaluate(target.value, scope), evaluate(target.slice, scope)
            if isinstance(base, dict) and isinstance(key, str):
                base.pop(key, None)


def _if(statement: ast.If, scope: Scope, found: Found) -> None:
    _calls([statement.test], scope, found)
    if _is_main(statement.test):
        walk(statement.body, scope, found)
        return
    test = evaluate(statement.test, scope)
    if isinstance(test, bool):
        walk(statement.body if test else statement.orelse, scope, found)
    else:
        _branches((statement.body, statement.orelse), scope, found)


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _branches(bodies: Sequence[Sequence[ast.stmt]], scope: Scope, found: Found) -> None:
    """Only one of the bodies runs: a name keeps its value when all of them leave it the same."""
    scopes: list[Scope] = []
    results: list[Found] = []
    for body in bodies:
        inner, result = copy.deepcopy(scope), found.copy()
        walk(body, inner, result)
        scopes.append(inner)
        results.append(result)
    for name in {name for inner in scopes for name in inner}:
        values = [inner.get(name, UNKNOWN) for inner in scopes]
        scope[name] = _common_value(values)
    found.take_branches(results)


def _common_value(values: Sequence[Value]) -> Value:
    """The value all branches agree on; of dicts the entries they agree on."""
    if all(isinstance(value, dict) for value in values):
        keys = {key for value in values for key in value}
        return {key: _common_value([value.get(key, UNKNOWN) for value in values]) for key in keys}
    return values[0] if all(same(values[0], value) for value in values) else UNKNOWN


def _loop(statement: ast.For | ast.AsyncFor | ast.While, scope: Scope, found: Found) -> None:
    """The body may run many times: what it binds from itself is unknown."""
    _calls([statement.test if isinstance(statement, ast.While) else statement.iter], scope, found)
    for name in _bound(statement.body):
        scope[name] = UNKNOWN
    if not isinstance(statement, ast.While):
        _bind(statement.target, UNKNOWN, scope, found)
    walk(statement.body, scope, found)
    walk(statement.orelse, scope, found)


def _with(statement: ast.With | ast.AsyncWith, scope: Scope, found: Found) -> None:
    _calls([item.context_expr for item in statement.items], scope, found)
    for item in statement.items:
        if item.optional_vars is not None:
            _bind(item.optional_vars, UNKNOWN, scope, found)
    walk(statement.body, scope, found)


def _try(statement: ast.Try, scope: Scope, found: Found) -> None:
    walk(statement.body, scope, found)
    if statement.handlers:
        _branches(((), *(handler.body for handler in statement.handlers)), scope, found)
    walk(statement.orelse, scope, found)
    walk(statement.finalbody, scope, found)


def _match(statement: ast.Match, scope: Scope, found: Found) -> None:
    _calls([statement.subject], scope, found)
    _branches(((), *(case.body for case in statement.cases)), scope, found)


def _import(statement: ast.Import | ast.ImportFrom, scope: Scope, found: Found) -> None:
    """An imported name hides an earlier one of the script."""
    for alias in statement.names:
        scope.pop((alias.asname or alias.name).partition(".")[0], None)


def _bound(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Names that ``body`` assigns."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                yield node.id


_STATEMENTS: dict[type[ast.stmt], Callable[[Any, Scope, Found], None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
    ast.If: _if,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.While: _loop,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.Import: _import,
    ast.ImportFrom: _import,
}


def has_calls(tree: ast.AST) -> bool:
    """Whether the script has any call that configures a run."""
    names = (last_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(name in python_calls.CALL_NAMES for name in names)
