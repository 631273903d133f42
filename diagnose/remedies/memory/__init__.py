"""The memory model: KV cache, weights, room of a unit, and how many blocks fit."""

from __future__ import annotations

from diagnose.remedies.memory.estimate import (
    Blocks,
    FromOom,
    fits,
    from_headroom,
    from_oom,
    measured,
    predict,
)
from diagnose.remedies.memory.kv import GIB, MIB, KvShape, Pool, align_2mib
from diagnose.remedies.memory.plan import Plan, kv_shape, model_numbers, plan, pool_of, units_of
from diagnose.remedies.memory.vllm_path import VllmEstimate, VllmModel, vllm_estimate

__all__ = [
    "GIB",
    "MIB",
    "Blocks",
    "FromOom",
    "KvShape",
    "Plan",
    "Pool",
    "VllmEstimate",
    "VllmModel",
    "align_2mib",
    "fits",
    "from_headroom",
    "from_oom",
    "kv_shape",
    "measured",
    "model_numbers",
    "plan",
    "pool_of",
    "predict",
    "units_of",
    "vllm_estimate",
]
