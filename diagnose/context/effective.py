"""The configuration in force with the defaults of the libraries filled in, each marked as a default."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from diagnose.context.versions import before
from diagnose.knowledge.schema import Parameter
from diagnose.light import dataclass
from diagnose.model import LM_FIELDS, RunContext, Setting, Value

NEWEST = "0.12.0"
"""Release whose defaults are taken when the run's is not known."""
_PARTITION_BY_NPU = "0.12.0"
"""From here REBEL's partition default is 8192; before it is 16384 everywhere."""
_CHUNK_BY_NPU = "0.11.1"
"""From here REBEL's prefill chunk default is 512; before it is 128 everywhere."""
_GEMMA3_CHUNK = 256
_UTILIZATION = {"0.12.0": 0.93, "0.11.0": 0.92, "0": 0.90}
"""vllm-rbln's default of gpu_memory_utilization from that release on, newest first."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a default may depend on: the run, and the values found so far under canonical names."""

    context: RunContext
    values: Mapping[str, Setting]

    def value(self, name: str) -> Value:
        found = self.values.get(name)
        return None if found is None else found.value

    @property
    def optimum(self) -> str:
        return self.context.versions.get("optimum_rbln", NEWEST)


def effective(context: RunContext, parameters: Mapping[str, Parameter]) -> Mapping[str, Setting]:
    """Every known value: what was in force, then the defaults of the run's release and NPU.

    Keys are the names in force and, for fields of a nested language model or vision submodule, the canonical
    names too (``max_seq_len`` beside ``language_model.max_seq_len``). Defaults have no line and an origin
    that starts with ``default of``. A default that depends on an unknown NPU is left out. Sources:
    optimum-rbln 0.12.0 ``configuration_decoderonly.py`` and ``modeling_attention_utils.py``; vllm-rbln 0.12.0
    ``platform/__init__.py``.
    """
    found: dict[str, Setting] = dict(context.config)
    for name in (*parameters, *LM_FIELDS):
        setting = context.setting(name)
        if setting is not None:
            found[name] = setting
    origin = _origin(context, "optimum_rbln", "optimum-rbln")
    vllm_origin = _origin(context, "vllm_rbln", "vllm-rbln")
    for name, rule in _COMPUTED:
        if name not in found:
            value = rule(_Known(context, found))
            if value is not None:
                found[name] = Setting(value, None, vllm_origin if rule is _budget else origin)
    for name, parameter in parameters.items():
        value = parameter.default.get(context.family or "", parameter.default.get("any"))
        if name not in found and value is not None and name not in _RULED and _applies(parameter, context):
            vllm = parameter.level == "vllm"
            found[name] = Setting(value, None, vllm_origin if vllm else origin)
    return found


def _applies(parameter: Parameter, context: RunContext) -> bool:
    """A vision default only where there is a vision submodule; a vLLM default not in a pure optimum run."""
    if parameter.level == "vision":
        return context.vision_prefix is not None
    return parameter.level != "vllm" or context.form not in ("optimum-python", "optimum-cli")


def _origin(context: RunContext, key: str, name: str) -> str:
    version = context.versions.get(key)
    return f"default of {name} {version}" if version else f"default of {name} (release unknown, {NEWEST} assumed)"


def _attn_impl(known: _Known) -> Value:
    return "eager" if known.value("kvcache_partition_len") is None else "flash_attn"


def _partition(known: _Known) -> Value:
    if known.value("attn_impl") != "flash_attn":
        return None
    if before(known.optimum, _PARTITION_BY_NPU):
        return 16384
    return {"ATOM": 16384, "REBEL": 8192}.get(known.context.family or "")


def _block(known: _Known) -> Value:
    flash = known.value("attn_impl") == "flash_attn"
    return known.value("kvcache_partition_len" if flash else "max_seq_len")


def _chunk(known: _Known) -> Value:
    stem = (known.context.model_class or "").removeprefix("RBLN")
    if stem.startswith("Gemma3For"):
        return _GEMMA3_CHUNK
    if stem.startswith("PaliGemma"):
        return known.value("max_seq_len")
    if before(known.optimum, _CHUNK_BY_NPU):
        return 128
    return {"ATOM": 128, "REBEL": 512}.get(known.context.family or "")


def _decoders(known: _Known) -> Value:
    size = known.value("batch_size")
    return [size] if isinstance(size, int) else None


def _budget(known: _Known) -> Value:
    """vllm-rbln's share of the DRAM. Up to 0.11 the optimum path did not pass it on, so it is no value
    there.
    """
    context = known.context
    plugin = context.versions.get("vllm_rbln")
    if plugin is None or context.form not in ("vllm-serve", "python-llm"):
        return None
    if context.path != "vllm" and before(plugin, "0.12.0"):
        return None
    return next(share for first, share in _UTILIZATION.items() if not before(plugin, first))


def _one(_: _Known) -> Value:
    return 1


_COMPUTED: tuple[tuple[str, Callable[[_Known], Value]], ...] = (
    ("batch_size", _one),
    ("num_devices", _one),
    ("attn_impl", _attn_impl),
    ("kvcache_partition_len", _partition),
    ("kvcache_block_size", _block),
    ("prefill_chunk_size", _chunk),
    ("decoder_batch_sizes", _decoders),
    ("memory_budget", _budget),
)
"""In the order in which one rests on another."""
_RULED = frozenset(name for name, _ in _COMPUTED)
