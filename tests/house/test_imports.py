"""The rooms of the house: imports point one way, files stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "diagnose"

ORDER = [
    "version",
    "late",
    "light",
    "cache",
    "model",
    "once",
    "sources",
    "scan",
    "records",
    "repair",
    "knowledge",
    "matching",
    "context",
    "meaning",
    "reasoning",
    "remedies",
    "collected",
    "by_run",
    "tries",
    "conclusion",
    "servers",
    "rereading",
    "analyzer",
    "report",
    "redact",
    "bundle",
    "incidents",
    "watch",
    "authoring",
    "cli",
    "__main__",
]
"""Left may not import right. The report is beside the flow: it knows the nouns only."""

LAZY = {("model", "report")}
"""``Diagnosis.to_dict`` is the one door from a noun to a format."""

MAX_LINES = 400
MAX_FUNCTION = 60

FILES = sorted(p for p in ROOT.rglob("*.py"))


def room(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        found |= {n.split(".")[1] for n in names if n.startswith("diagnose.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    mine = room(path)
    if mine == "__init__":
        return
    for other in imported_rooms(path) - {mine}:
        if (mine, other) in LAZY:
            continue
        assert ORDER.index(other) < ORDER.index(mine), f"{mine} imports {other}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_and_a_function_hold_one_idea(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MAX_FUNCTION, node.name


def test_only_the_command_line_prints_and_exits() -> None:
    for path in FILES:
        if room(path) in ("cli", "__main__"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("print", "exit"), path


def test_yaml_is_known_to_the_knowledge_sources_and_to_the_reader_of_given_files_only() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        if "import yaml" in text:
            assert path.relative_to(ROOT).parts[:2] in (("knowledge", "source.py"), ("context", "readers"))


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_data_class_is_a_light_one(path: Path) -> None:
    names = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        for alias in node.names
    }
    assert path.name == "light.py" or "dataclass" not in names
