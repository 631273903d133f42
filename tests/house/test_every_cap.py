"""No cap without a test that reaches it: what a person could be told, or not be told, beyond it is tried."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^_?(MAX|MOST(?=_)|LONGEST|DEEPEST|REPEATS|KEEP)(_|$)")
"""How caps are named."""


def caps() -> Iterator[tuple[str, str]]:
    """(module, name) of every cap of the program."""
    for path in sorted((ROOT / "diagnose").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.parse(path.read_text("utf-8")).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and NAME.match(target.id):
                yield module, target.id


def named(source: str) -> Iterator[tuple[str, str]]:
    """(module or package, name) of what a test takes from the program."""
    tree = ast.parse(source)
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("diagnose"):
            for alias in node.names:
                yield str(node.module), alias.name
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr":
            of, what = node.args[:2]
            if isinstance(of, ast.Name) and of.id in modules and isinstance(what, ast.Constant):
                yield modules[of.id], str(what.value)


def reached(module: str, name: str, taken: set[tuple[str, str]]) -> bool:
    """Whether a test takes it from its module, or from the room the module is in."""
    return any(f"{module}.".startswith(f"{place}.") for place, what in taken if what == name and place != "diagnose")


TAKEN = {one for path in (ROOT / "tests").rglob("*.py") for one in named(path.read_text("utf-8"))}


@pytest.mark.parametrize(("module", "name"), sorted(caps()), ids=lambda part: str(part))
def test_every_cap_is_reached_by_a_test(module: str, name: str) -> None:
    assert reached(module, name, TAKEN)


def test_a_cap_of_the_same_name_elsewhere_does_not_count() -> None:
    taken = set(named("from diagnose.report import text\nfrom diagnose.scan import REPEATS\nassert text.MAX_UNKNOWN\n"))
    assert reached("diagnose.report.text", "MAX_UNKNOWN", taken)
    assert reached("diagnose.scan.repeats", "REPEATS", taken)
    assert not reached("diagnose.reasoning.unknown", "MAX_UNKNOWN", taken)
