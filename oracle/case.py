"""One trial: a machine, a model, a configuration and what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Machine:
    """What the stand-in pretends to be; see ``rebel.host.Host``."""

    npu: str = "RBLN-CA25"
    devices: int = 8
    workspace_bytes: int = 128 * MIB
    held_bytes: int = 0


@dataclass(frozen=True, slots=True)
class TextShape:
    """Numbers of a language model, under Hugging Face's names; the weights are never allocated."""

    num_hidden_layers: int = 2
    num_attention_heads: int = 8
    num_key_value_heads: int = 8
    head_dim: int = 64
    hidden_size: int = 64
    intermediate_size: int = 128
    vocab_size: int = 256
    max_position_embeddings: int = 1 << 20
    sliding_window: int | None = None


@dataclass(frozen=True, slots=True)
class VisionShape:
    """Numbers of a vision encoder. ``window_patches`` is 1 where attention is not windowed."""

    kind: str
    """``qwen3_vl``, ``qwen2_5_vl`` or ``qwen2_vl``."""
    patch: int
    merge: int = 2


@dataclass(frozen=True, slots=True)
class Case:
    """``attempt`` runs the library with everything else in here and raises what the library raises."""

    family: str
    attempt: Callable[[Case], None]
    config: Mapping[str, Any]
    """rbln_config as the person writes it, submodules nested."""
    machine: Machine = field(default_factory=Machine)
    model: TextShape | VisionShape | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    """What is asked of the model (``images``, ``prompt_tokens`` …) and ``processor.*`` settings."""
    rbln_class: str = "RBLNLlamaForCausalLM"
    extra_sets: tuple[str, ...] = ()
    """``--set`` texts a person adds to what the log and the files say."""
    hf_config: Mapping[str, Any] | None = None
    """Given as config.json."""
    forms: tuple[str, ...] = ("sets", "script", "artifact")
    """How this configuration can be given; see ``oracle.given``."""
