"""Hardware and model-class facts of the knowledge base, looked up for one run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from diagnose.knowledge.schema import Knowledge
from diagnose.light import dataclass
from diagnose.model import RunContext
from diagnose.remedies.release import numbers_of, oldest_of


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the attention modes, in tokens, for one NPU family and release."""

    eager_limit: int
    partition_min: int
    partition_max: int
    partition_default: int
    sliding_limit: int


@dataclass(frozen=True, slots=True)
class Family:
    """One NPU family. Bytes are per device for ``dram_bytes``, per unit (chiplet) for ``reserve_bytes``."""

    name: str
    dram_bytes: int
    chiplets: int
    reserve_bytes: int
    overhead_low: int
    overhead_best: int
    overhead_high: int

    @property
    def unit_capacity(self) -> int:
        """Raw bytes of one unit: what the driver names as capacity."""
        return self.dram_bytes // self.chiplets

    @property
    def unit_available(self) -> int:
        """Bytes of one unit the estimator may use."""
        return self.unit_capacity - self.reserve_bytes

    @property
    def device_available(self) -> int:
        return self.unit_available * self.chiplets


def family_by_name(knowledge: Knowledge, name: str | None) -> Family | None:
    """``ATOM`` or ``REBEL`` as the knowledge base has it; None for another name or an empty knowledge
    base."""
    raw: Mapping[str, Any] | None = knowledge.hardware.get("families", {}).get(name)
    if raw is None or name is None:
        return None
    over = raw["overhead_bytes"]
    return Family(
        name=name,
        dram_bytes=raw["dram_bytes"],
        chiplets=raw["chiplets"],
        reserve_bytes=raw["reserve_bytes"],
        overhead_low=over["low"],
        overhead_best=over["best"],
        overhead_high=over["high"],
    )


def family_by_capacity(knowledge: Knowledge, capacity_bytes: object) -> Family | None:
    """The family whose unit has exactly this raw capacity: an out-of-memory message names it."""
    for name in knowledge.hardware.get("families", {}):
        family = family_by_name(knowledge, name)
        if family is not None and family.unit_capacity == capacity_bytes:
            return family
    return None


def limits_of(knowledge: Knowledge, context: RunContext, family: str) -> Limits | None:
    """Bounds by family and optimum-rbln release; the newest release's when it is unknown, and of a range the oldest's:
    they are the tighter ones."""
    rows = knowledge.hardware.get("attention", {}).get(family, ())
    version = oldest_of(context, "optimum_rbln")
    for row in rows:
        if version is None or numbers_of(version) >= numbers_of(str(row["since"])):
            return Limits(**{k: v for k, v in row.items() if k != "since"})
    return None


def strictest_limits(knowledge: Knowledge, context: RunContext) -> Limits | None:
    """Bounds that hold on every family: for a proposal made without knowing the NPU."""
    rows = [r for f in ("ATOM", "REBEL") if (r := limits_of(knowledge, context, f)) is not None]
    if not rows:
        return None
    return Limits(
        eager_limit=min(r.eager_limit for r in rows),
        partition_min=max(r.partition_min for r in rows),
        partition_max=min(r.partition_max for r in rows),
        partition_default=min(r.partition_default for r in rows),
        sliding_limit=min(r.sliding_limit for r in rows),
    )


def class_stem(model_class: str | None) -> str | None:
    """``RBLNQwen3VLForConditionalGeneration`` → ``Qwen3VL``: the class without prefix and task."""
    if not model_class:
        return None
    name = model_class.removeprefix("RBLN").removesuffix("Config")
    return re.sub(r"(For[A-Z]\w*|LMHeadModel|Model)$", "", name) or None


def class_of(context: RunContext) -> str | None:
    """The RBLN class of the run's model: as printed, else the one its name stands for."""
    if context.model_class:
        return context.model_class
    from diagnose.context.classes import guess_class

    return guess_class(model_name(context))


def model_name(context: RunContext) -> str | None:
    """The model's name: read from the run, or given with ``--set model=…``."""
    named = context.model or context.get("model")
    return str(named) if named else None


def vision_facts(knowledge: Knowledge, context: RunContext) -> Mapping[str, Any]:
    """What is known about the vision submodule of this run's model class; empty when it is not known."""
    stem = class_stem(class_of(context))
    found: Mapping[str, Any] = knowledge.models.get("vision", {}).get(stem, {})
    return found


def checkpoint(knowledge: Knowledge, model: str | None) -> Mapping[str, Any]:
    """Published numbers of a checkpoint by its name (owner, suffix such as ``-Instruct`` and case do not
    matter).

    ``Qwen/Qwen3-VL-2B-Instruct`` and an artifact directory ``…/rbln-Qwen3-VL-2B-Instruct`` are the same
    checkpoint. Empty when the name is not known. A name with a quantization suffix is not the same
    checkpoint.
    """
    if not model:
        return {}
    name = model.rstrip("/").rsplit("/", 1)[-1].lower().removeprefix("rbln-")
    candidates = {name, *(name.removesuffix(f"-{s}") for s in knowledge.models.get("suffixes", ()))}
    for known, numbers in knowledge.models.get("checkpoints", {}).items():
        if str(known).lower() in candidates:
            found: Mapping[str, Any] = numbers
            return found
    return {}
