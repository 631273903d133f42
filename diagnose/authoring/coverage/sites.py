"""Every place in a package's source that raises, warns or logs an error, with what it can say there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from diagnose.authoring.coverage.message import Hole, Names, Template, fixed, percent, says_something, templates
from diagnose.authoring.coverage.package import Package
from diagnose.light import dataclass

Kind = Literal["raise", "assert", "warning", "log", "stderr", "usage"]

LOGGED: Mapping[str, str] = {
    "warning": "WARNING",
    "warn": "WARNING",
    "warning_once": "WARNING",
    "warning_advice": "WARNING",
    "error": "ERROR",
    "error_once": "ERROR",
    "exception": "ERROR",
    "critical": "CRITICAL",
    "fatal": "CRITICAL",
}
"""Method of a logger → level of its record."""

HELPERS: Mapping[str, str] = {"rbln_log_warn": "WARNING", "rbln_log_error": "ERROR"}
"""Logging functions of torch-rbln → level."""


@dataclass(frozen=True, slots=True)
class Site:
    """One place that can print something."""

    path: str
    line: int
    function: str
    """Qualified name of the function, empty at module level."""
    kind: Kind
    type: str
    """Exception class, warning class, or level."""
    source: str
    """The statement as a traceback shows it (its first line)."""
    templates: tuple[Template, ...]
    """Wordings with fixed text in them; empty when there is no message."""
    dynamic: bool = False
    """True when there is a message but no fixed text: another place's exception passed on."""

    @property
    def text(self) -> str:
        """The wording a person would search for."""
        return fixed(self.templates[0]) if self.templates else self.source

    @property
    def reachable(self) -> bool:
        """Whether a person's values can lead here, as far as the form tells: asserts and exceptions without a
        message check the library's own work."""
        if self.kind == "assert" or self.type == "AssertionError":
            return False
        return bool(self.templates) and not self.dynamic


def read_sites(package: Package) -> tuple[Site, ...]:
    """All sites of ``package`` in the order of its files. A file that is not valid Python is left out."""
    found: list[Site] = []
    for path, source in sorted(package.files.items()):
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        found += _File(path, source, tree).sites()
    return tuple(found)


def read_strings(package: Package) -> str:
    """Every string constant of the package, native ones too: what could still be printed from it. White space
    is single."""
    texts = [package.compiled]
    for source in package.files.values():
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(" ".join(node.value.split()))
    return "\n".join(texts)


class _File:
    """Walks one file, keeping track of where it is and what its names stand for."""

    def __init__(self, path: str, source: str, tree: ast.Module) -> None:
        self._path = path
        self._lines = source.splitlines()
        self._tree = tree
        dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._module: dict[str, Sequence[ast.expr]] = {
            "__name__": [ast.Constant(dotted)],
            **_assigned(tree.body, deep=False),
        }

    def sites(self) -> list[Site]:
        return list(self._walk(self._tree, (), self._module))

    def _walk(self, node: ast.AST, where: tuple[str, ...], names: Names) -> Iterator[Site]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = {**names, **_assigned(child.body, deep=True)}
                yield from self._walk(child, (*where, child.name), inner)
                continue
            if isinstance(child, ast.ClassDef):
                inner = {**names, **_assigned(child.body, deep=False)}
                yield from self._walk(child, (*where, child.name), inner)
                continue
            site = self._site(child, ".".join(where), names)
            if site is not None:
                yield site
            yield from self._walk(child, where, names)

    def _site(self, node: ast.AST, where: str, names: Names) -> Site | None:
        if isinstance(node, ast.Raise):
            return self._raise(node, where, names)
        if isinstance(node, ast.Assert):
            return self._make(node, where, "assert", "AssertionError", [] if node.msg is None else [node.msg], names)
        if isinstance(node, ast.Call):
            return self._call(node, where, names)
        return None

    def _raise(self, node: ast.Raise, where: str, names: Names) -> Site | None:
        raised = node.exc
        if isinstance(raised, ast.Name):
            calls = [v for v in names.get(raised.id, ()) if isinstance(v, ast.Call)]
            if calls:
                raised = calls[0]
            elif not raised.id[:1].isupper():
                return None  # an exception caught before: its own site says what it says
        if isinstance(raised, (ast.Name, ast.Attribute)):
            return self._make(node, where, "raise", _last(raised), [], names)
        if not isinstance(raised, ast.Call):
            return None
        name = _last(raised.func)
        if name in ("with_traceback", "SystemExit"):
            return None if name == "with_traceback" else self._make(node, where, "stderr", name, raised.args, names)
        return self._make(node, where, "raise", name or "Exception", raised.args, names)

    def _call(self, node: ast.Call, where: str, names: Names) -> Site | None:
        method, owner = _last(node.func), _owner(node.func)
        if method == "warn" and owner == "warnings":
            category = node.args[1] if len(node.args) > 1 else _keyword(node, "category")
            kind = _last(category) if category is not None else "UserWarning"
            return self._make(node, where, "warning", kind or "UserWarning", node.args[:1], names)
        if method in HELPERS:
            return self._make(node, where, "log", HELPERS[method], node.args[:1], names)
        if method in LOGGED and "log" in owner.lower():
            return self._make(node, where, "log", LOGGED[method], node.args, names)
        if method == "error" and owner.endswith("parser"):
            return self._make(node, where, "usage", "usage", node.args[:1], names)
        if method == "print" and (target := _keyword(node, "file")) is not None and _last(target) == "stderr":
            return self._make(node, where, "stderr", "print", node.args[:1], names)
        if (method, owner) in (("write", "stderr"), ("exit", "sys")) and node.args:
            return self._make(node, where, "stderr", method, node.args[:1], names)
        return None

    def _make(
        self, node: ast.stmt | ast.Call, where: str, kind: Kind, type_: str, args: Sequence[ast.expr], names: Names
    ) -> Site | None:
        if kind == "stderr" and (not args or _is_code(args[0])):
            return None
        found = _wordings(kind, args, names)
        said = tuple(t for t in found if says_something(t))
        source = self._lines[node.lineno - 1].strip()
        return Site(self._path, node.lineno, where, kind, type_, source, said, dynamic=bool(found) and not said)


def _wordings(kind: Kind, args: Sequence[ast.expr], names: Names) -> list[Template]:
    """What is printed: ``%``-arguments of a logger filled in, several arguments of an exception as a tuple."""
    if not args:
        return []
    heads = templates(args[0], names)
    if kind == "log":
        return [percent(t, args[1:], names) for t in heads] if len(args) > 1 else heads
    rest = list(args[1:])
    if isinstance(args[0], ast.Tuple) and not rest:
        rest = list(args[0].elts[1:])
        heads = templates(args[0].elts[0], names) if args[0].elts else heads
    if kind not in ("raise", "assert") or not rest:
        return heads
    tail: Template = tuple(part for _ in rest for part in (", ", Hole()))
    return [("('", *t, "'", *tail, ")") for t in heads]


def _assigned(body: Sequence[ast.stmt], *, deep: bool) -> dict[str, list[ast.expr]]:
    """Name → what is assigned to it in ``body``; ``deep`` looks into blocks too."""
    found: dict[str, list[ast.expr]] = {}
    nodes = (n for stmt in body for n in ast.walk(stmt)) if deep else iter(body)
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            before = found.get(node.target.id, [])
            found[node.target.id] = [*before, *(ast.BinOp(b, ast.Add(), node.value) for b in before[-1:])]
    return found


def _last(node: ast.expr) -> str:
    """Last part of a dotted name; of ``type(e)`` nothing."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _owner(node: ast.expr) -> str:
    """What the method is called on: ``self.logger.error`` → ``logger``."""
    if not isinstance(node, ast.Attribute):
        return ""
    value = node.value
    return _last(value.func) if isinstance(value, ast.Call) else _last(value)


def _keyword(node: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in node.keywords if k.arg == name), None)


def _is_code(node: ast.expr) -> bool:
    """``sys.exit(1)`` prints nothing."""
    return not isinstance(node, (ast.JoinedStr, ast.BinOp)) and not (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
