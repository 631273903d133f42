"""Runs, entries and problems written short, against the real rules and hardware facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from diagnose.knowledge.schema import Case, Constraint, Entry, Knowledge, Parameter, RemedySpec
from diagnose.model import RunContext, Setting, Text, Value
from diagnose.remedies.environment import Environment
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers import SOLVERS

KB = Path(__file__).parents[2] / "kb"


def _plain(name: str) -> Any:
    return yaml.safe_load((KB / f"{name}.yaml").read_text(encoding="utf-8"))


def _parameter(name: str, raw: dict[str, Any]) -> Parameter:
    fields: dict[str, Any] = {**raw, "meaning": Text(**raw["meaning"])}
    fields |= {key: tuple(raw.get(key, ())) for key in ("aliases", "environment")}
    return Parameter(name=name, **fields)


def _constraint(raw: dict[str, Any]) -> Constraint:
    return Constraint(
        id=raw["id"],
        rule=str(raw["rule"]),
        when=raw.get("when"),
        touches=tuple(raw["touches"]),
        text=Text(**raw["text"]),
        source=raw["source"],
    )


KNOWLEDGE = Knowledge(
    hash="",
    entries={},
    signatures=(),
    literals=(),
    parameters={name: _parameter(name, raw) for name, raw in _plain("parameters").items()},
    constraints=tuple(_constraint(raw) for raw in _plain("constraints")),
    hardware=_plain("hardware"),
    models=_plain("models"),
)
"""The real rules and facts, without entries."""

QWEN = "Qwen/Qwen3-VL-2B-Instruct"
REBEL: dict[str, Value] = {
    "max_seq_len": 262144,
    "kvcache_partition_len": 8192,
    "batch_size": 8,
    "num_devices": 1,
}
"""The documented Rebel100 configuration of Qwen3-VL-2B."""
ATOM: dict[str, Value] = {**REBEL, "kvcache_partition_len": 16384, "num_devices": 8}
"""The documented configuration on eight ATOM devices."""


def run(
    config: Mapping[str, Value] | None = None,
    *,
    npu: str | None = "RBLN-CR13",
    vlm: bool = True,
    phases: Iterable[str] = (),
    **more: Any,
) -> RunContext:
    """A run with these settings read from its rbln_config; ``vlm`` is Qwen3-VL-2B."""
    settings = {name: Setting(value, 3, "rbln_config") for name, value in (config or {}).items()}
    model: dict[str, Any] = {}
    if vlm:
        model = {
            "model": QWEN,
            "model_class": "RBLNQwen3VLForConditionalGeneration",
            "vision_prefix": "visual",
        }
    return RunContext(config=settings, npu=npu, phases=frozenset(phases), **{**model, **more})


def env(numbers: Mapping[str, Value] | None = None, context: RunContext | None = None) -> Environment:
    return Environment(numbers or {}, context or RunContext(), KNOWLEDGE)


def solve(
    name: str,
    numbers: Mapping[str, Value] | None = None,
    context: RunContext | None = None,
    **options: Value,
) -> Solution | None:
    return SOLVERS[name](Problem(numbers or {}, context or RunContext(), KNOWLEDGE, options))


def changes(
    name: str, numbers: Mapping[str, Value] | None = None, context: RunContext | None = None, **options: Value
) -> Any:
    """The changes of a solver, None when it does not apply."""
    solution = solve(name, numbers, context, **options)
    return None if solution is None else dict(solution.changes)


def entry(*remedies: RemedySpec, **more: Any) -> Entry:
    fields: dict[str, Any] = {
        "id": "made.up",
        "component": "optimum-rbln",
        "domain": "rbln",
        "role": "root",
        "severity": "fatal",
        "title": Text("title", "제목"),
        "cause": (Case(None, Text("cause", "원인")),),
        "remedies": remedies,
    }
    return Entry(**{**fields, **more})


def spec(id: str = "fix", **more: Any) -> RemedySpec:
    return RemedySpec(id=id, title=more.pop("title", Text("Do it", "하기")), **more)
