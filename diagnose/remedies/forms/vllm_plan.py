"""What a set of changes is in vLLM's terms: arguments, ``additional_config``, optimum overrides, environment.

Sources: vllm-rbln 0.12.0 ``config.py`` (flags, ``optimum_overrides``), ``converter/from_optimum.py`` (a
compiled artifact takes device keys only), its compilation spec (a key vLLM derives may not stand in the
overrides too); older names: vllm-rbln 0.10.4 and 0.11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from diagnose.knowledge.schema import Parameter
from diagnose.light import dataclass
from diagnose.model import RunContext, Value
from diagnose.remedies.forms import overrides as asked
from diagnose.remedies.forms.names import (
    Item,
    before,
    canonical,
    chosen,
    nest,
    place,
    precompiled,
    release_path,
    served,
)
from diagnose.remedies.forms.processor_form import VIDEO, is_processor, multimodal

OVERRIDES = "overrides"
"""Part of the origin of a value that was asked for among the overrides, not as an argument of vLLM."""
FLAGS_SINCE = (0, 12, 0)
"""``--rbln-…`` flags and ``optimum_overrides``; before: ``additional_config["rbln_config"]``, variables."""
_OVERRIDES_SINCE = (0, 10, 4)
"""Before it, only device keys of a compiled model could be passed on."""
_DEVICES_VARIABLE_SINCE = (0, 11, 0)

FIXED = "# fixed in the compiled artifact: recompile, or serve the original model, with"
POOL = "# limits the scheduler only; the pool itself is sized when the model is compiled"
AUTOMATIC = "# leave kvcache_num_blocks out of the overrides: the pool is then as large as fits"
BOTH = "# size applies to images and videos alike (inferred)"

_OVERRIDE_NEIGHBOURS = frozenset(
    {
        "device",
        "decoder_batch_sizes",
        "image_prefill_chunk_size",
        "quantization",
        "visual.max_seq_len",
        "visual.max_soft_tokens",
        "visual.num_devices",
        "visual.device",
    }
)
"""Keys with no vLLM argument of their own: the flag's JSON replaces them all, so known ones are repeated."""
_FROM_ARTIFACT = frozenset({"visual.max_seq_len", "visual.max_soft_tokens", "visual.num_devices"})


_BLOCKS = ("kvcache_partition_len", "kvcache_block_size")


class Inexpressible(Exception):
    """vLLM has no way to say one of the changes."""


@dataclass(slots=True)
class VllmPlan:
    """Everything one start of the server needs; None as a value means: remove it."""

    arguments: dict[str, Value] = field(default_factory=dict)
    """``LLM`` keyword → value."""
    additional: dict[str, Value] = field(default_factory=dict)
    """``additional_config`` key (0.12) → value."""
    overrides: dict[tuple[str, ...], Value] = field(default_factory=dict)
    """Place in rbln_config → value, changed keys only."""
    neighbours: dict[tuple[str, ...], Value] = field(default_factory=dict)
    processor: dict[str, Value] = field(default_factory=dict)
    environment: dict[str, Value] = field(default_factory=dict)
    request: dict[str, Value] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    beside: dict[str, Value] = field(default_factory=dict)
    """Other keys of the ``additional_config`` that is pasted whole (before 0.12)."""
    old: bool = False
    """vllm-rbln before 0.12."""

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    @property
    def all_overrides(self) -> dict[str, Value]:
        """The nested overrides to pass: what is known, with the changes laid over, removed keys left out."""
        kept = {**self.neighbours, **self.overrides}
        return nest((path, value) for path, value in kept.items() if value is not None)


def vllm_plan(items: Sequence[Item], context: RunContext, parameters: Mapping[str, Parameter]) -> VllmPlan | None:
    """None when a change cannot be said to vLLM, or when nothing is left to say."""
    plan = VllmPlan(old=before(context, "vllm_rbln", FLAGS_SINCE))
    fixed = precompiled(context) and any(item.compile_time for item in items)
    try:
        for item in items:
            _add(plan, item, items, context)
    except Inexpressible:
        return None
    processor = [item for item in items if is_processor(item)]
    if processor:
        plan.processor = dict(multimodal(processor, context)) or {"": None}
    asked.settle(plan, context, parameters)
    if plan.overrides or (plan.old and plan.additional):
        plan.neighbours = _neighbours(plan, context, parameters, device_only=precompiled(context) and not fixed)
        asked.note(plan, context)
        if plan.old:
            plan.beside = {name: v for name, v in context.additional.other.items() if name not in plan.additional}
    said = (plan.arguments, plan.additional, plan.overrides, plan.processor, plan.environment, plan.request)
    if not any(said):
        return None
    if fixed:
        plan.notes.insert(0, FIXED)
    return plan


def _add(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    change = item.change
    if change.scope == "environment":
        plan.environment[change.parameter] = change.to
        return
    if change.scope == "optimum-cli":
        raise Inexpressible
    rule = _RULES.get(item.name)
    if rule is not None:
        rule(plan, item, items, context)
    elif is_processor(item):
        if item.name == VIDEO:
            plan.note(BOTH)
    elif item.parameter is not None and item.parameter.additional:
        _additional(plan, item, context)
    elif item.parameter is not None and item.parameter.vllm:
        plan.arguments[item.parameter.vllm] = change.to
    elif change.scope == "vllm":
        plan.arguments[change.parameter] = change.to
    else:
        _override(plan, item, context)


def _override(plan: VllmPlan, item: Item, context: RunContext) -> None:
    if item.compile_time and before(context, "vllm_rbln", _OVERRIDES_SINCE):
        raise Inexpressible
    plan.overrides[release_path(item.path, context)] = item.change.to


def _additional(plan: VllmPlan, item: Item, context: RunContext) -> None:
    """Up to 0.11 a variable (``num_devices``) or an older ``additional_config`` key (``sub_block_size``)."""
    key = item.parameter.additional if item.parameter is not None else None
    if not plan.old and key is not None:
        plan.additional[key] = item.change.to
    elif item.name == "num_devices" and _among_overrides(item.name, context):
        _override(plan, item, context)
    elif item.name == "num_devices":
        plan.environment[devices_variable(context)] = item.change.to
    elif item.name == "sub_block_size":
        plan.additional["prefix_block_size"] = item.change.to
    else:
        raise Inexpressible


def _among_overrides(name: str, context: RunContext) -> bool:
    """Up to 0.11 a number of devices in vLLM's arguments can only stand in ``additional_config.rbln_config``."""
    setting = context.setting(name)
    return setting is not None and setting.origin.startswith("non-default args") and "inferred" not in setting.origin


def devices_variable(context: RunContext) -> str:
    """The variable that gave the number of devices before there was a flag."""
    older = before(context, "vllm_rbln", _DEVICES_VARIABLE_SINCE)
    return "VLLM_RBLN_TP_SIZE" if older else "VLLM_RBLN_NUM_DEVICES_PER_LOCAL_RANK"


def _block(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    """vLLM has one block size for the partition and the KV block; flash attention follows from it.

    It cannot be left out (``block_size is required``, ``converter/from_vllm.py``): where one of the two goes, the
    other's value or the attention mode says what it becomes.
    """
    if item.change.to is not None:
        plan.arguments["block_size"] = item.change.to
        return
    names = {other.name: other.change.to for other in items}
    if any(names.get(name) is not None for name in (*_BLOCKS, "attn_impl")):
        return
    kept = next((v for name in _BLOCKS if name not in names and (v := context.get(name)) is not None), None)
    length = names.get("max_seq_len") or context.get("max_seq_len")
    block = length if kept is None and context.get("attn_impl") == "eager" else kept
    if block is None:
        raise Inexpressible
    plan.arguments["block_size"] = block


def _attention(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    """Eager attention is a block as long as the sequence; flash attention a shorter one."""
    names = {other.name: other.change.to for other in items}
    if item.change.to == "eager":
        length = names.get("max_seq_len") or context.get("max_seq_len")
        if length is None:
            raise Inexpressible
        plan.arguments["block_size"] = length
        return
    if names.get("kvcache_partition_len") or names.get("kvcache_block_size"):
        return
    partition = context.get("kvcache_partition_len")
    if item.change.to is None or partition is None:
        raise Inexpressible
    plan.arguments["block_size"] = partition


def _budget(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    """0.12 hands ``gpu_memory_utilization`` on as the budget; it is a share, never a number of bytes."""
    value = item.change.to
    if plan.old:
        _override(plan, item, context)
        return
    share = _share(value)
    if value is not None and share is None:
        raise Inexpressible
    plan.arguments["gpu_memory_utilization"] = share


def _share(value: Value) -> float | None:
    if isinstance(value, float) and 0 < value <= 1:
        return value
    if isinstance(value, str) and value.endswith("%"):
        try:
            share = round(float(value[:-1]) / 100, 6)
        except ValueError:
            return None
        return share if 0 < share <= 1 else None
    return None


def _chunk(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    """Up to 0.11 ``max_num_batched_tokens`` was not connected to the compiled chunk."""
    if plan.old:
        _override(plan, item, context)
    else:
        plan.arguments["max_num_batched_tokens"] = item.change.to


def _pool(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    """Up to 0.11 the pool itself can be given beside the other overrides; the argument only limits the scheduler."""
    setting = context.setting(item.name)
    overridden = setting is not None and OVERRIDES in setting.origin
    argued = setting is not None and not overridden and chosen(setting, context) and served(context)
    if item.change.to is None and (overridden or (setting is not None and not chosen(setting, context))):
        if overridden:
            plan.overrides[release_path(item.path, context)] = None
        return
    if plan.old and item.change.to is not None:
        _override(plan, item, context)
        if argued:
            plan.arguments["num_gpu_blocks_override"] = None
        return
    if item.change.to is not None and context.path == "optimum":
        # The argument limits the scheduler only, and among the overrides 0.12 refuses the key beside its own budget.
        if len(items) == 1:
            raise Inexpressible
        plan.note(AUTOMATIC)
        return
    plan.arguments["num_gpu_blocks_override"] = item.change.to
    if item.change.to is None:
        plan.note(AUTOMATIC)
    elif context.path is None:
        plan.note(POOL)


def _runtimes(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    """The plugin decides itself when runtimes are made; beside other changes there is nothing to say."""


def _request(plan: VllmPlan, item: Item, items: Sequence[Item], context: RunContext) -> None:
    plan.request["max_tokens"] = item.change.to


_RULES: dict[str, Callable[[VllmPlan, Item, Sequence[Item], RunContext], None]] = {
    "kvcache_partition_len": _block,
    "kvcache_block_size": _block,
    "attn_impl": _attention,
    "memory_budget": _budget,
    "prefill_chunk_size": _chunk,
    "kvcache_num_blocks": _pool,
    "create_runtimes": _runtimes,
    "visual.create_runtimes": _runtimes,
    "max_new_tokens": _request,
}


def _neighbours(
    plan: VllmPlan, context: RunContext, parameters: Mapping[str, Parameter], *, device_only: bool
) -> dict[tuple[str, ...], Value]:
    found: dict[tuple[str, ...], Value] = {}
    written = asked.kept(plan, context, parameters)
    for path, (_, value) in written.items():
        if path[-1] == "device" and _count_changes(plan, path):
            continue
        if path[-1] == "device" or not device_only:
            found[path] = value
    names = {name for name, _ in written.values()} | {canonical(".".join(path), context) for path in plan.overrides}
    for key, setting in context.config.items():
        name, path = canonical(key, context), place(key, context)
        if name in names:
            continue
        repeated = name in _OVERRIDE_NEIGHBOURS or (
            plan.old and name == "num_devices" and _among_overrides(key, context) and not plan.environment
        )
        if not repeated or setting.value in (None, {}, []):
            continue
        if device_only and path[-1] != "device":
            continue
        if not chosen(setting, context) and name not in _FROM_ARTIFACT:
            continue
        if path[-1] == "device" and _count_changes(plan, path):
            continue  # a list of the old length would contradict the new number
        shown = release_path(path, context)
        if shown not in plan.overrides:
            found[shown] = setting.value
    return found


def _count_changes(plan: VllmPlan, path: tuple[str, ...]) -> bool:
    if len(path) == 1:
        return "num_devices_per_local_rank" in plan.additional
    return any((*path[:-1], name) in plan.overrides for name in ("num_devices", "tensor_parallel_size"))
