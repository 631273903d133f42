"""What each source says about a parameter, and the rules by which one saying gives way to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from diagnose.context import ranks
from diagnose.context.classes import Layout
from diagnose.knowledge.schema import Parameter
from diagnose.light import dataclass
from diagnose.model import Fact, GivenConfig, Setting, Value

SET = "--set"
"""Origin of a value given by hand."""
_ARTIFACT = ranks.SYNCED - 1
"""Above what was asked for, below what the plugin says it took from the artifact."""
_AT_LOAD = frozenset({"device", "create_runtimes", "device_map", "timeout", "activate_profiler", "artifact"})
"""Fields that count when an artifact is loaded; of the overrides the plugin keeps ``device`` alone."""
_ASKED = (ranks.SECTION, ranks.ASKED, ranks.TYPED, ranks.PRINTED)
_SYNONYMS = {"half": "float16", "float": "float32"}
"""vLLM's other words for a dtype. ``auto`` leaves the choice, so nothing disagrees with it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One source's value of one parameter. The claim with the highest ``order`` is in force."""

    name: str
    setting: Setting
    order: tuple[int, int]
    """Rank, then position: a later line, a later file, a later key."""
    asked: bool = False
    """True when the person asked for it (arguments, launch form), not the library."""
    launch: bool = False
    """True when the value stands under vLLM's own names."""

    def is_of_another_source(self, other: Claim) -> bool:
        """Whether it is not the same file, ``--set`` or the log that says ``other``."""
        mine, its = self.setting, other.setting
        return (mine.line is None) != (its.line is None) or (mine.line is None and mine.origin != its.origin)


def same(left: Value, right: Value) -> bool:
    """Equal, another word for it (``half``), or a value and the list that holds only it."""
    if right == "auto" or (isinstance(right, str) and _SYNONYMS.get(right) == left):
        return True
    listed = [right] if isinstance(left, list) and not isinstance(right, list) else right
    return bool(left == listed or [left] == right)


def loads_artifact(facts: Iterable[Fact]) -> bool:
    """Whether the log shows that a compiled model was loaded and none was compiled."""
    phases = {fact.value for fact in facts if fact.name == "phase"}
    return "load" in phases and "compile" not in phases


def fixed_by_artifact(
    claims: Sequence[Claim], given: Sequence[GivenConfig], parameters: Mapping[str, Parameter]
) -> list[Claim]:
    """Compile-time values of the artifact the run loaded stand over what was asked for at its start.

    Source: vllm-rbln 0.12.0 ``converter/from_optimum.py`` (of ``optimum_overrides`` only ``device`` is kept, the
    rest is taken from the artifact). Call it only for a run that loads one.
    """
    artifacts = {config.name for config in given if config.kind == "rbln_config.json"}
    return [
        replace(claim, order=(_ARTIFACT, claim.order[1]))
        if claim.setting.origin in artifacts and claim.setting.line is None and _compiled_in(claim.name, parameters)
        else claim
        for claim in claims
    ]


def _compiled_in(name: str, parameters: Mapping[str, Parameter]) -> bool:
    head, _, field = name.rpartition(".")
    if field in _AT_LOAD:
        return False
    found = parameters.get(name) or parameters.get(f"visual.{field}" if head else field) or parameters.get(field)
    return found is not None and found.at == "compile" and found.level in ("lm", "top", "vision")


def with_nested_batch(winners: dict[str, Claim], layout: Layout) -> dict[str, Claim]:
    """``language_model.batch_size`` is the batch in force: a submodule's own value wins over the parent's.

    Source: optimum-rbln 0.12.0 ``initialize_submodule_config`` (``init_kwargs.update(submodule_config)``). Only
    what is known from a better source (the artifact, ``--set``) stands over it. Both names then tell one value.
    """
    nested_name = f"{layout.lm_prefix}.batch_size"
    nested, top = winners.get(nested_name), winners.get("batch_size")
    if not layout.lm_prefix or nested is None or nested.setting.value is None:
        return winners
    stands = top if top is not None and top.order[0] > nested.order[0] else nested
    same = {name: replace(stands, name=name) for name in (nested_name, "batch_size")}
    return winners | same
