"""What the memory model knows about one run: the KV pool, the weights, and the room of a unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.light import dataclass
from diagnose.model import Value
from diagnose.remedies import facts
from diagnose.remedies.agreement import failed_allocation
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.memory.kv import GIB, KvShape, Pool
from diagnose.remedies.memory.weights import NEEDED, bits_of, weight_bytes
from diagnose.remedies.release import at_least

_UNITS: Mapping[str, int] = {"tb": 2**40, "gb": GIB, "mb": 2**20, "kb": 2**10, "b": 1}
_NOT_DENSE = ("num_experts", "num_local_experts", "n_routed_experts", "linear_num_key_heads", "kv_lora_rank")
_NO_FULL_ONLY = ("Gemma2", "Gemma3", "Gemma4", "GptOss", "Exaone4", "Qwen3_5")
"""Class stems whose layers are not all full attention: their layer list has to be known."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Bytes are per unit."""

    pool: Pool
    family: facts.Family
    weight_bytes: int
    available_bytes: int
    """After the system's reserve and memory_budget."""

    def room(self, overhead_bytes: int) -> int:
        """What is left for the KV cache."""
        return self.available_bytes - self.weight_bytes - overhead_bytes


def model_numbers(env: Environment) -> dict[str, Any]:
    """Hugging Face numbers of the language model. The person's config.json wins over the published
    checkpoint."""
    merged = {**facts.checkpoint(env.knowledge, facts.model_name(env.context)), **env.context.architecture}
    heads, hidden = merged.get("num_attention_heads"), merged.get("hidden_size")
    if merged.get("head_dim") is None and heads and hidden:
        merged["head_dim"] = hidden // heads
    return merged


def kv_shape(env: Environment) -> KvShape:
    """The KV cache's shape. Raises MissingValue with the model numbers to supply."""
    model = model_numbers(env)
    _need(model, ("num_hidden_layers", "num_key_value_heads", "head_dim"))
    total, sliding = int(model["num_hidden_layers"]), 0
    types = model.get("layer_types")
    if isinstance(types, list) and types:
        if any(t not in ("full_attention", "sliding_attention") for t in types):
            raise MissingValue(("num_hidden_layers",))
        sliding = sum(t == "sliding_attention" for t in types)
    elif (facts.class_stem(facts.class_of(env.context)) or "").startswith(_NO_FULL_ONLY):
        raise MissingValue(("layer_types",))
    window = model.get("sliding_window")
    if sliding and not window:
        raise MissingValue(("sliding_window",))
    quantization = env.config("quantization")
    fp8 = isinstance(quantization, Mapping) and quantization.get("kv_caches") == "fp8"
    return KvShape(
        layers=total - sliding,
        kv_heads=int(model["num_key_value_heads"]),
        head_dim=int(model["head_dim"]),
        sliding_layers=sliding,
        sliding_window=int(window) if sliding and window else 0,
        dtype_bytes=1 if fp8 else 2,
    )


def _need(model: Mapping[str, Any], names: tuple[str, ...]) -> None:
    missing = tuple(n for n in names if not isinstance(model.get(n), int))
    if missing:
        raise MissingValue(missing)


def pool_of(env: Environment) -> Pool:
    """The KV pool of this run. Raises MissingValue with everything that has to be supplied."""
    missing: list[str] = []
    shape = block = batch = None
    for find in (
        lambda: kv_shape(env),
        lambda: env.require_all("block", "batch_size", "num_devices", "family"),
    ):
        try:
            found = find()
        except MissingValue as error:
            missing += error.names
            continue
        if isinstance(found, KvShape):
            shape = found
        else:
            block, batch = found[0], found[1]
    if missing or shape is None or block is None or batch is None:
        raise MissingValue(tuple(dict.fromkeys(missing)))
    return Pool(shape, block, units_of(env), batch)


def units_of(env: Environment) -> int:
    """Units the language model is spread over: devices times chiplets. Raises MissingValue."""
    family = env.hardware
    devices = env.config("num_devices")
    if family is None or not isinstance(devices, int):
        raise MissingValue(("npu",) if family is None else ("num_devices",))
    return devices * family.chiplets


def plan(env: Environment, *, with_budget: bool = True) -> Plan:
    """Everything the estimate needs. Raises MissingValue with all that is missing (also for MoE: no
    weights known)."""
    model = model_numbers(env)
    missing = [n for n in NEEDED if not isinstance(model.get(n), int)]
    try:
        pool = pool_of(env)
    except MissingValue as error:
        raise MissingValue(tuple(dict.fromkeys([*error.names, *missing]))) from error
    bits = bits_of(env.config("quantization"))
    if any(model.get(n) for n in _NOT_DENSE) or bits is None:
        raise MissingValue(("model weights",))
    if missing:
        raise MissingValue(tuple(missing))
    family = env.hardware
    if family is None:
        raise MissingValue(("npu",))
    failed_allocation(env, family)
    weights = -(-weight_bytes(model, bits) // pool.units)
    budget = budget_bytes(env, family) if with_budget else family.device_available
    return Plan(pool, family, weights, budget // family.chiplets)


def share_in_force(env: Environment) -> Value:
    """memory_budget as optimum-rbln sees it; None means all.

    gpu_memory_utilization reaches the compile from vllm-rbln 0.12 on (as a share); before, it had no effect
    there.
    """
    value = env.config("memory_budget")
    if value is not None and env.context.form in ("vllm-serve", "python-llm"):
        if not at_least(env.context, "vllm_rbln", "0.12.0"):
            return None
        return value if isinstance(value, str) else float(value)
    return value


def budget_bytes(env: Environment, family: facts.Family) -> int:
    """Bytes of one device the language model may use (weights, workspace and KV cache).

    Source: optimum-rbln 0.12.0 ``_resolve_memory_budget``: a float or "80%" is a share, an int is bytes,
    "10GB" binary.
    """
    total = family.device_available
    value = share_in_force(env)
    if value is None:
        return total
    if isinstance(value, float):
        return int(total * value) if 0 < value <= 1 else total
    if isinstance(value, int):
        return min(value, total)
    text = str(value).strip().lower()
    try:
        if text.endswith("%"):
            return int(total * float(text[:-1]) / 100)
        for suffix, factor in _UNITS.items():
            if text.endswith(suffix):
                return min(int(text.removesuffix(suffix)) * factor, total)
        return min(int(text), total)
    except ValueError:
        return total
