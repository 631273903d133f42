"""The estimate vllm-rbln makes on its own path (``--model-impl vllm``) before it compiles.

Source: vllm-rbln 0.12.0 ``v1/worker/utils.py`` (``estimate_model_kernel_size``,
``estimate_available_memory``).
"""

from __future__ import annotations

from diagnose.light import dataclass
from diagnose.remedies.facts import Family
from diagnose.remedies.memory.kv import MIB, align, align_2mib

BUFFER_BYTES = 256 * MIB
"""Kept per runtime and unit."""


@dataclass(frozen=True, slots=True)
class VllmModel:
    """One rank's model: bytes of all its parameters, layers, and what the output head and KV cache need."""

    n_model_bytes: int
    layers: int
    vocab_size: int
    hidden_size: int
    kv_heads: int
    """Per rank."""
    tensor_parallel: int = 1


@dataclass(frozen=True, slots=True)
class VllmEstimate:
    """Bytes over one rank's devices together."""

    budget: int
    kernel: int
    buffer: int
    available: int
    """For the KV cache; zero or less makes the worker give up."""


def kernel_bytes(model: VllmModel) -> int:
    """Weights as the plugin counts them: per layer rounded up to 2 MiB, and the head."""
    head = align(model.vocab_size, 64) * model.hidden_size * 2
    # true division as in the plugin; the sum of ceilings differs from the ceiling of the sum
    layer = align_2mib(-(-(model.n_model_bytes - 2 * head) // model.layers))
    share = align_2mib(-(-head // model.tensor_parallel))
    return layer * model.layers + share * model.tensor_parallel


def vllm_estimate(model: VllmModel, family: Family, *, devices: int, share: float, runtimes: int) -> VllmEstimate:
    """What is left for the KV cache on ``devices`` NPUs of one rank (1 on REBEL).

    ``share`` is gpu_memory_utilization, ``runtimes`` one for prefill and one per decode bucket. The released
    figure: a KV cache with fewer heads than units is repeated, but a remainder is not counted.
    """
    units = devices * family.chiplets
    budget = int(family.device_available * devices * share)
    kernel, buffer = kernel_bytes(model), BUFFER_BYTES * runtimes * units
    repeated = max(1, units // max(1, model.kv_heads))
    return VllmEstimate(budget, kernel, buffer, (budget - kernel - buffer) // repeated)
