"""Bytes of a language model's weights on the device.

The input embedding stays on the host; the output head is on the device at 16 bits, whether tied or not
(optimum-rbln 0.9.3 formula, checked against the documented block counts).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.model import Value
from diagnose.remedies.memory.kv import align

NEEDED = (
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "hidden_size",
    "intermediate_size",
    "vocab_size",
)
"""Hugging Face numbers the count of parameters needs."""

BITS: Mapping[str, int] = {"int4": 4, "fp4": 4, "mxfp4": 4, "int8": 8, "fp8": 8, "fp16": 16, "bf16": 16}
"""``quantization.weights`` → bits per weight of a layer."""


def layer_parameters(model: Mapping[str, Any]) -> int:
    """Parameters of one dense decoder layer: attention, gated MLP, norms. Keys are Hugging Face's."""
    hidden, heads, kv = model["hidden_size"], model["num_attention_heads"], model["num_key_value_heads"]
    dim = model["head_dim"]
    attention = 2 * hidden * heads * dim + 2 * hidden * kv * dim
    bias = (heads + 2 * kv) * dim if model.get("qkv_bias") else 0
    norms = 2 * hidden + (2 * dim if model.get("qk_norm") else 0)
    return int(attention + bias + 3 * hidden * model["intermediate_size"] + norms)


def head_parameters(model: Mapping[str, Any]) -> int:
    """Parameters of the output head, the vocabulary rounded up to 64."""
    return align(model["vocab_size"], 64) * int(model["hidden_size"])


def weight_bytes(model: Mapping[str, Any], bits: int = 16) -> int:
    """Bytes of all layers at ``bits`` per weight and of the head at 16, over all units together."""
    return int(model["num_hidden_layers"]) * layer_parameters(model) * bits // 8 + 2 * head_parameters(model)


def bits_of(quantization: Value) -> int | None:
    """Bits per weight of a ``quantization`` setting; 16 when there is none, None when it is not
    understood."""
    if not quantization:
        return 16
    if isinstance(quantization, Mapping):
        weights = quantization.get("weights")
        return 16 if weights is None else BITS.get(str(weights).lower())
    return None
