"""The message an expression makes, as far as its source tells: fixed text with holes in it."""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diagnose.light import dataclass

MAX_TEMPLATES = 12
"""Wordings kept of one message that depends on conditions."""
MAX_SAMPLES = 160
"""Renderings tried of one wording."""
MAX_DEPTH = 12

FILLS = ("7", "[1, 2]", "name", "'name'", "1.5")
"""What a hole may hold: a number, numbers, a word, a quoted word, a fraction."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A value the source does not tell."""

    fills: tuple[str, ...] = FILLS


Part = str | Hole
Template = tuple[Part, ...]
Names = Mapping[str, Sequence[ast.expr]]
"""Name → expressions it may stand for: assignments of the function, constants of the module."""

_PERCENT = re.compile(r"%(?:\((\w+)\))?[-+ #0]*(?:\d+|\*)?(?:\.\d+)?[sdrifFgGeExXc%]")
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}:!]*)(![rsa])?(:[^{}]*)?\}")
_CLASSES = re.compile(r"cls|class|config_name")
_NUMBERS = re.compile(r"len\(|\bnum_|_size\b|_len\b|_id\b|rank\b|count\b|index\b")


def templates(node: ast.expr | None, names: Names, depth: int = 0) -> list[Template]:
    """Every wording ``node`` can make, at most MAX_TEMPLATES; one lone hole when nothing is known of it."""
    if node is None or depth > MAX_DEPTH:
        return [(Hole(),)]
    reader = _READERS.get(type(node))
    found = reader(node, names, depth + 1) if reader is not None else None
    return [merged(t) for t in found[:MAX_TEMPLATES]] if found else [(_hole(node),)]


def merged(template: Template) -> Template:
    """Neighbouring texts joined."""
    parts: list[Part] = []
    for part in template:
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part != "":
            parts.append(part)
    return tuple(parts)


def fixed(template: Template) -> str:
    """The fixed text alone, holes as ``{}``."""
    return "".join(part if isinstance(part, str) else "{}" for part in template)


def says_something(template: Template) -> bool:
    """Whether the fixed text holds at least six letters: less cannot be told from another message."""
    return sum(c.isalpha() for part in template if isinstance(part, str) for c in part) >= 6


def samples(template: Template) -> list[str]:
    """Texts the template can print: every hole filled alike first, then mixed, at most MAX_SAMPLES."""
    holes = [part for part in template if isinstance(part, Hole)]
    if not holes:
        return [fixed(template)]
    uniform = [[fill] * len(holes) for fill in FILLS]
    mixed = itertools.islice(itertools.product(*(h.fills for h in holes)), MAX_SAMPLES)
    made: dict[str, None] = {}
    for fills in [*uniform, *mixed]:
        values = iter(fills)
        made.setdefault("".join(p if isinstance(p, str) else next(values) for p in template))
    return list(made)


def _hole(node: ast.expr) -> Hole:
    """Numbers first where the source looks like one."""
    text = ast.unparse(node)
    if isinstance(node, ast.Call) and text.startswith(("len(", "sum(", "max(", "min(")):
        return Hole(("7",))
    if text.endswith((".shape", ".size()")):
        return Hole(("torch.Size([1, 2])", "[1, 2]"))
    if text.endswith(".keys()"):
        return Hole(("dict_keys(['name'])",))
    if text.endswith("__name__"):
        return Hole(("name", "RBLNNameConfig"))
    if "dtype" in text:
        return Hole(("torch.float16", *FILLS[2:4], *FILLS[:2]))
    if "package" in text:
        return Hole(("rebel-compiler", *FILLS[2:4]))
    if _CLASSES.search(text):
        return Hole(("RBLNNameConfig", *FILLS))
    if text.startswith("type("):
        return Hole(("<class 'name'>",))
    return Hole(FILLS if _NUMBERS.search(text) else (*FILLS[2:4], *FILLS[:2], FILLS[4]))


def _product(groups: Sequence[Sequence[Template]]) -> list[Template]:
    return [sum(combined, ()) for combined in itertools.islice(itertools.product(*groups), MAX_TEMPLATES)]


def _constant(node: ast.Constant, names: Names, depth: int) -> list[Template] | None:
    return None if node.value is None or node.value is ... else [(str(node.value),)]


def _joined(node: ast.JoinedStr, names: Names, depth: int) -> list[Template]:
    return _product([templates(value, names, depth) for value in node.values])


def _formatted(node: ast.FormattedValue, names: Names, depth: int) -> list[Template]:
    spec = ast.unparse(node.format_spec) if node.format_spec is not None else ""
    if spec.rstrip("'\"").endswith(("f", "e", "g", "%")):
        return [(Hole(("1.5",)),)]
    if "," in spec or spec.rstrip("'\"").endswith("d"):
        return [(Hole(("7",)),)]
    if node.conversion == ord("r"):
        if isinstance(node.value, ast.Name) and node.value.id == "__name__":
            return [(f"'{fixed(t)}'",) for t in templates(node.value, names, depth)]
        inner = _hole(node.value)
        return [(Hole(("'name'", *(f for f in inner.fills if f != "'name'"))),)]
    return templates(node.value, names, depth)


def _binary(node: ast.BinOp, names: Names, depth: int) -> list[Template] | None:
    if isinstance(node.op, ast.Add):
        return _product([templates(node.left, names, depth), templates(node.right, names, depth)])
    if isinstance(node.op, ast.Mod):
        values = list(node.right.elts) if isinstance(node.right, ast.Tuple) else [node.right]
        return [percent(t, values, names, depth) for t in templates(node.left, names, depth)]
    return None


def percent(template: Template, values: Sequence[ast.expr], names: Names, depth: int = 0) -> Template:
    """``%``-formatting: every conversion becomes what its value says, or a hole."""
    left = list(values)
    return _replaced(template, _PERCENT, lambda token: _conversion(token.group(0), left, names, depth))


def _replaced(template: Template, pattern: re.Pattern[str], fill: Callable[[re.Match[str]], Template]) -> Template:
    """Every token of ``pattern`` in the fixed parts becomes what ``fill`` says, in order."""
    parts: list[Part] = []
    for part in template:
        if not isinstance(part, str):
            parts.append(part)
            continue
        position = 0
        for token in pattern.finditer(part):
            parts.append(part[position : token.start()])
            position = token.end()
            parts.extend(fill(token))
        parts.append(part[position:])
    return merged(tuple(parts))


def _conversion(token: str, left: list[ast.expr], names: Names, depth: int) -> Template:
    if token.endswith("%"):
        return ("%",)
    node = left.pop(0) if left else None
    if token[-1] in "di":
        return (Hole(("7",)),)
    if token[-1] in "fFgGeE":
        return (Hole(("1.5",)),)
    return templates(node, names, depth)[0]


def _call(node: ast.Call, names: Names, depth: int) -> list[Template] | None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "format" and isinstance(node.func, ast.Attribute):
        return [_fields(t, node, names, depth) for t in templates(node.func.value, names, depth)]
    if name in ("str", "dedent", "cleandoc", "fill", "strip") and (node.args or name == "strip"):
        target = node.func.value if name == "strip" and isinstance(node.func, ast.Attribute) else node.args[0]
        found = templates(target, names, depth)
        if name in ("dedent", "cleandoc"):
            return [tuple(textwrap.dedent(p) if isinstance(p, str) else p for p in t) for t in found]
        return found
    return None


def _fields(template: Template, node: ast.Call, names: Names, depth: int) -> Template:
    """``str.format``: fields by position or name."""
    positional = iter(node.args)
    named = {k.arg: k.value for k in node.keywords if k.arg}

    def fill(token: re.Match[str]) -> Template:
        if token.group(0) in ("{{", "}}"):
            return (token.group(0)[0],)
        value = named.get(token.group(1)) if token.group(1) else next(positional, None)
        return templates(value, names, depth)[0]

    return _replaced(template, _FIELD, fill)


def _either(node: ast.IfExp, names: Names, depth: int) -> list[Template]:
    return [*templates(node.body, names, depth), *templates(node.orelse, names, depth)]


def _name(node: ast.Name, names: Names, depth: int) -> list[Template] | None:
    found = [t for value in names.get(node.id, ()) for t in templates(value, _without(names, node.id), depth)]
    known = [t for t in found if any(isinstance(part, str) for part in t)]
    # What it is on the other ways through the function is not known.
    return [*known, *([(_hole(node),)] if len(known) < len(found) else [])] if known else None


def _without(names: Names, name: str) -> Names:
    """``msg = msg + …`` must not look itself up without end."""
    return {key: value for key, value in names.items() if key != name}


_READERS: Mapping[type[ast.expr], Callable[[Any, Names, int], list[Template] | None]] = {
    ast.Constant: _constant,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.BinOp: _binary,
    ast.Call: _call,
    ast.IfExp: _either,
    ast.Name: _name,
}
