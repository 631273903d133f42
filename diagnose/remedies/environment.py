"""The names an expression may use: captured numbers, configuration in force, and what follows from both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from diagnose.knowledge.schema import Knowledge
from diagnose.light import dataclass
from diagnose.model import RunContext, Setting, Value
from diagnose.remedies import facts, pieces
from diagnose.remedies.blocks import block_from_required, full_blocks, min_blocks_in
from diagnose.remedies.defaults import explicit

INFERRED = "(inferred)"
"""Ending of the origin of a setting nobody wrote."""


class MissingValue(Exception):
    """A value an expression needs is not known. ``names`` are what has to be supplied, in order, without
    repeats."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(", ".join(names))
        self.names = names


@dataclass(frozen=True, slots=True)
class Environment:
    """Looks names up for one error in one run.

    Order: captured numbers, planned changes (``overlay``; None there means the parameter is removed),
    configuration in force, ``settings`` (defaults included, as ``diagnose.context`` computes them), derived
    names, model numbers.
    """

    numbers: Mapping[str, Value]
    context: RunContext
    knowledge: Knowledge
    settings: Mapping[str, Setting] = field(default_factory=dict)
    overlay: Mapping[str, Value] = field(default_factory=dict)

    def after(self, changes: Mapping[str, Value]) -> Environment:
        """The same run with ``changes`` made and without the message's numbers."""
        return replace(self, numbers={}, overlay={**self.overlay, **changes})

    def config(self, name: str) -> Value:
        """Value of a canonical parameter: planned, in force, or by default. None when unknown."""
        if name in self.overlay:
            return self.overlay[name]
        placed = self.context.place(name)
        if placed in self.overlay:
            return self.overlay[placed]
        value = self.context.get(name)
        if value is not None:
            return value
        setting = self.settings.get(placed) or self.settings.get(name)
        return None if setting is None else setting.value

    def get(self, name: str) -> Value:
        """Value of any name, None when it is not known."""
        try:
            return self.require(name)
        except MissingValue:
            return None

    def require(self, name: str) -> Value:
        """Value of any name. Raises MissingValue naming what has to be supplied."""
        value = self.numbers.get(name)
        if value is None:
            value = self.config(name)
        if value is None and name in DERIVED:
            return DERIVED[name](self)
        if value is None:
            value = self.model_number(name)
        if value is None:
            raise MissingValue((SUPPLIED_BY.get(name, name),))
        return value

    def require_all(self, *names: str) -> list[Value]:
        """Values of several names. Raises one MissingValue that names everything missing."""
        values: list[Value] = []
        missing: dict[str, None] = {}
        for name in names:
            try:
                values.append(self.require(name))
            except MissingValue as error:
                missing.update(dict.fromkeys(error.names))
        if missing:
            raise MissingValue(tuple(missing))
        return values

    def model_number(self, name: str) -> Value:
        """A Hugging Face number of the model: from the person's config.json, else of the published
        checkpoint."""
        value = self.context.architecture.get(name)
        return facts.checkpoint(self.knowledge, facts.model_name(self.context)).get(name) if value is None else value

    @property
    def hardware(self) -> facts.Family | None:
        """The NPU family: by name, else by the capacity an out-of-memory message gives."""
        named = self.context.family
        if named is not None:
            return facts.family_by_name(self.knowledge, named)
        return facts.family_by_capacity(self.knowledge, self.numbers.get("capacity_bytes"))


def _hardware(env: Environment) -> facts.Family:
    family = env.hardware
    if family is None:
        raise MissingValue(("npu",))
    return family


def _limit(attribute: str) -> Callable[[Environment], Value]:
    def find(env: Environment) -> Value:
        limits = facts.limits_of(env.knowledge, env.context, _hardware(env).name)
        if limits is None:
            raise MissingValue(("npu",))
        return getattr(limits, attribute)

    return find


def _npu(env: Environment) -> Value:
    if env.context.npu is None:
        raise MissingValue(("npu",))
    return env.context.npu


def _flash(env: Environment) -> Value:
    if env.config("kvcache_partition_len") is not None:
        return True
    mode = env.config("attn_impl")
    if mode is not None:
        return mode == "flash_attn"
    block, seq = env.config("kvcache_block_size"), env.config("max_seq_len")
    if block is None and seq is not None and _seen_whole(env):
        return False  # nobody set a partition: eager attention is the default
    if block is None or seq is None:
        raise MissingValue(("kvcache_partition_len",))
    return block != seq


def _block(env: Environment) -> Value:
    """Tokens per KV block: the partition with flash attention, the whole sequence with eager attention."""
    value = _block_found(env)
    if not isinstance(value, int) or value < 1:
        raise MissingValue(("kvcache_partition_len",))
    return value


def _block_found(env: Environment) -> Value:
    for name in ("kvcache_block_size", "kvcache_partition_len"):
        if (value := env.config(name)) is not None:
            return value
    seq, required = env.get("max_seq_len"), env.numbers.get("required_blocks")
    stated = "batch_size" in env.numbers or explicit(env.context, "batch_size") is not None
    batch = env.get("batch_size") if stated else None
    if isinstance(seq, int) and isinstance(batch, int) and isinstance(required, int):
        found = block_from_required(seq, batch, required)
        if found is not None:
            return found
    mode = env.config("attn_impl")
    if mode == "eager" and seq is not None:
        return seq
    if mode == "flash_attn":
        return env.require("partition_default")
    if mode is None and isinstance(seq, int) and _seen_whole(env):
        return seq
    raise MissingValue(("kvcache_partition_len",))


def _seen_whole(env: Environment) -> bool:
    """Whether a key that is not in the configuration is known not to be set."""
    return env.context.defaults_known


def _sizes(env: Environment) -> tuple[int, int, int]:
    """Sequence, block and batch; the buckets of an encoder are no size of one."""
    names = ("max_seq_len", "block", "batch_size")
    values = dict(zip(names, env.require_all(*names), strict=True))
    wrong = tuple(name for name, value in values.items() if not isinstance(value, int))
    if wrong:
        raise MissingValue(wrong)
    return values["max_seq_len"], values["block"], values["batch_size"]


def _full_blocks(env: Environment) -> Value:
    return full_blocks(*_sizes(env))


def _min_blocks(env: Environment) -> Value:
    seq, block, batch = _sizes(env)
    return min_blocks_in(env.context, seq, block, batch, flash=bool(block != seq))


def _cached_piece(env: Environment) -> Value:
    value = pieces.piece(env)
    if value is None:
        raise MissingValue(("npu",))
    return value


def _patch(env: Environment) -> Value:
    value = env.model_number("patch_size") or facts.vision_facts(env.knowledge, env.context).get("patch")
    if value is None:
        raise MissingValue(("patch_size",))
    return value


def _vision_devices(env: Environment) -> Value:
    """Devices of the vision submodule: its own setting, else the parent's count where its class can be sharded.
    Source: optimum-rbln 0.12.0 ``configuration_utils.py`` (``initialize_submodule_config``)."""
    own, setting = env.config("visual.num_devices"), env.context.setting("visual.num_devices")
    guessed = setting is not None and setting.origin.endswith(INFERRED)  # from the device list, which follows the count
    if own is not None and not (guessed and "num_devices" in env.overlay):
        return own
    shardable = facts.vision_facts(env.knowledge, env.context).get("shardable", True)
    return env.require("num_devices") if shardable else 1


def _vision_window(env: Environment) -> Value:
    value = facts.vision_facts(env.knowledge, env.context).get("window")
    if value is None:
        raise MissingValue(("model_class",))
    return value


def _gemma4(env: Environment) -> Value:
    model_class = facts.class_of(env.context)
    if model_class is not None:
        return "Gemma4" in model_class
    return env.context.get("visual.max_soft_tokens") is not None


def _model_class(env: Environment) -> Value:
    model_class = facts.class_of(env.context)
    if model_class is None:
        raise MissingValue(("model_class",))
    return model_class


def _of_context(attribute: str) -> Callable[[Environment], Value]:
    def find(env: Environment) -> Value:
        value = getattr(env.context, attribute)
        if value is None:
            raise MissingValue((attribute,))
        return value

    return find


def _image_patches(env: Environment) -> Value:
    from diagnose.remedies.needed import needed_patches

    return needed_patches(env)[0]


def artifact(context: RunContext) -> bool:
    """Whether the run loaded what had been compiled before: its values are fixed, and some of them nobody wrote."""
    return "load" in context.phases and "compile" not in context.phases


def vllm_run(context: RunContext) -> bool:
    """Whether vLLM started the run; only its plugin names a path."""
    return context.form in ("vllm-serve", "python-llm") or context.path is not None


def _rbln(env: Environment) -> Value:
    """Whether anything shows that this run was on a Rebellions NPU."""
    about = env.context
    if about.npu or about.path or "rbln" in (about.platform or ""):
        return True
    return any("rbln" in name or name == "rebel_compiler" for name in about.versions)


DERIVED: Mapping[str, Callable[[Environment], Value]] = {
    "npu": _npu,
    "family": lambda env: _hardware(env).name,
    "dram_bytes": lambda env: _hardware(env).device_available,
    "eager_limit": _limit("eager_limit"),
    "partition_min": _limit("partition_min"),
    "partition_max": _limit("partition_max"),
    "partition_default": _limit("partition_default"),
    "sliding_limit": _limit("sliding_limit"),
    "flash": _flash,
    "block": _block,
    "full_blocks": _full_blocks,
    "min_blocks": _min_blocks,
    "block_in_force": lambda env: _block(replace(env, overlay={})),
    "in_pieces": pieces.in_pieces,
    "cached_piece": _cached_piece,
    "block_step": pieces.step,
    "patch": _patch,
    "vision_devices": _vision_devices,
    "vision_window": _vision_window,
    "gemma4": _gemma4,
    "model_class": _model_class,
    "image_patches": _image_patches,
    "rbln": _rbln,
    "artifact": lambda env: artifact(env.context),
    "vllm_run": lambda env: vllm_run(env.context),
    "length_in_force": lambda env: env.context.get("max_seq_len"),
    "path": _of_context("path"),
    "form": _of_context("form"),
}
"""Names that follow from others. ``dram_bytes`` is what one device offers after the system's reserve;
``length_in_force`` and ``block_in_force`` are max_seq_len and the KV block before a planned change; ``block_step`` is
what a block is a multiple of."""

MODEL_NUMBERS: frozenset[str] = frozenset(
    {
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "hidden_size",
        "intermediate_size",
        "vocab_size",
        "max_position_embeddings",
        "patch_size",
        "spatial_merge_size",
        "num_experts",
    }
)
"""Hugging Face names an expression may use as they are."""

MEASURED: frozenset[str] = frozenset({"devices_available", "request_tokens"})
"""Names of what a run was seen to have or to do, where the log or the person says it."""

SUPPLIED_BY: Mapping[str, str] = {"block_size": "kvcache_partition_len"}
"""Name in an expression → what a person supplies for it, where the two differ."""
