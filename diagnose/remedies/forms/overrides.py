"""A change of a value that the person gave among vllm-rbln's overrides is made there, and what else stands there is
kept.

Sources: vllm-rbln ``converter/from_vllm.py`` 0.10.4 – 0.12.0 (batch, length and block of the overrides replace vLLM's
arguments), ``converter/common.py`` and ``optimum/compilation`` from 0.11.2 (any other key that vLLM derives may not
differ from vLLM's own), 0.12.0 ``config.py`` (a flag replaces the whole section; the old name of the section wins).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from diagnose.context.overrides import Leaf, leaves
from diagnose.knowledge.schema import Parameter
from diagnose.model import RunContext, Value
from diagnose.remedies.forms.names import canonical

if TYPE_CHECKING:
    from diagnose.remedies.forms.vllm_plan import VllmPlan

UNSEEN = "# the overrides hold more than is known here: keep your other keys"
INSTEAD = "# in place of the overrides you give now"
OLD_NAME = '# take "rbln_config" out of --additional-config: it would win over this'

_READ = frozenset({"max_model_len", "max_num_seqs", "block_size"})
"""Arguments that the overrides replace when vLLM's configuration is put together."""
_BLOCK_KEYS = ("kvcache_partition_len", "kvcache_block_size", "attn_impl")
_DEVICES = "num_devices_per_local_rank"

Place = tuple[str, ...]


def given(context: RunContext, parameters: Mapping[str, Parameter]) -> tuple[tuple[str, Leaf], ...]:
    """Every key of the person's overrides with its canonical name."""
    found = leaves(context.additional.overrides, parameters)
    return tuple((canonical(leaf.name, context), leaf) for leaf in found)


def settle(plan: VllmPlan, context: RunContext, parameters: Mapping[str, Parameter]) -> None:
    """Moves each change to where it takes effect: to the key among the overrides that would stand over the argument,
    or the key goes, where vLLM's argument must not be contradicted."""
    there = given(context, parameters)
    if not there:
        return
    for path in list(plan.overrides):
        name = canonical(".".join(path), context)
        for place in _places(there, (name,)):
            if place != path and path in plan.overrides:
                plan.overrides[place] = plan.overrides.pop(path)
    for argument, value in list(plan.arguments.items()):
        names = _BLOCK_KEYS if argument == "block_size" else _names_of(argument, parameters)
        found = [leaf for name, leaf in there if name in names]
        if argument == "block_size":
            _modes(plan, found, eager=_eager(plan, value, context))
            found = [x for x in found if x.path not in plan.overrides and x.path[-1] != "attn_impl"]
        _argument(plan, argument, value, found)
    if not plan.old and _DEVICES in plan.additional:
        plan.overrides.update(dict.fromkeys(_places(there, ("num_devices",))))


def _argument(plan: VllmPlan, argument: str, value: Value, found: Sequence[Leaf]) -> None:
    """A key that is read before vLLM's argument gets the value in its stead; any other key only has to go, so that
    the argument stands. One that held the value already was not read: it goes as well."""
    read = argument in _READ and value is not None
    held = [leaf for leaf in found if read and len(leaf.path) == 1 and leaf.value != value]
    plan.overrides.update({leaf.path: value if leaf in held else None for leaf in found})
    if held:
        del plan.arguments[argument]


def _eager(plan: VllmPlan, block: Value, context: RunContext) -> bool:
    """A block as long as the sequence is eager attention, which has no partition."""
    length = next((v for path, v in plan.overrides.items() if path[-1] == "max_seq_len"), None)
    return bool(block == (length or plan.arguments.get("max_model_len") or context.get("max_seq_len")))


def _modes(plan: VllmPlan, found: Sequence[Leaf], *, eager: bool) -> None:
    """vLLM derives the mode of attention from the block: what says another goes."""
    for leaf in found:
        if leaf.path[-1] == "attn_impl":
            plan.overrides.update({leaf.path: None} if (leaf.value == "eager") != eager else {})
        elif eager and leaf.path[-1] == "kvcache_partition_len":
            plan.overrides[leaf.path] = None


def _names_of(argument: str, parameters: Mapping[str, Parameter]) -> tuple[str, ...]:
    return tuple(p.name for p in parameters.values() if p.vllm == argument)


def _places(there: Iterable[tuple[str, Leaf]], names: Iterable[str]) -> list[Place]:
    return [leaf.path for name, leaf in there if name in names]


def kept(plan: VllmPlan, context: RunContext, parameters: Mapping[str, Parameter]) -> dict[Place, tuple[str, Value]]:
    """What stands among the overrides beside the changes: place → (canonical name, value)."""
    return {
        leaf.path: (name, leaf.value) for name, leaf in given(context, parameters) if leaf.path not in plan.overrides
    }


def note(plan: VllmPlan, context: RunContext) -> None:
    """Says where the overrides of this run stand, and that some of them were not seen."""
    about = context.additional
    if about.section == "rbln_config" and not plan.old:
        plan.note(OLD_NAME)
    elif about.overrides:
        plan.note(INSTEAD)
    if about.partly:
        plan.note(UNSEEN)
