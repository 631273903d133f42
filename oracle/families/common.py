"""What the families share: NPUs, model shapes, attempts."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from oracle import library
from oracle.case import MIB, Case, Machine, TextShape

NPUS = ("RBLN-CA22", "RBLN-CA25", "RBLN-CR13")

QWEN3_2B = TextShape(28, 16, 8, 128, 2048, 6144, 151936)
QWEN3_8B = TextShape(36, 32, 8, 128, 4096, 12288, 151936)
LLAMA_1B = TextShape(16, 32, 8, 64, 2048, 8192, 128256)
LLAMA_8B = TextShape(32, 32, 8, 128, 4096, 14336, 128256)
SHAPES = (QWEN3_2B, QWEN3_8B, LLAMA_1B, LLAMA_8B)
"""Numbers of published checkpoints."""
TINY = TextShape()

OVERHEAD_MIB = {"RBLN-CA": (0, 1024), "RBLN-CR": (512, 2304)}
"""What a unit holds beside weights and KV cache; the range rbln-diagnose states."""


def is_rebel(npu: str) -> bool:
    return npu.startswith("RBLN-CR")


def machine(rng: random.Random, npu: str, devices: int = 8) -> Machine:
    """A machine with a workspace drawn from the range of its family."""
    low, high = OVERHEAD_MIB[npu[:7]]
    return Machine(npu=npu, devices=devices, workspace_bytes=rng.randint(low, high) * MIB)


def devices_for(rng: random.Random, npu: str) -> int:
    """REBEL has no RSD: one device."""
    return 1 if is_rebel(npu) else rng.choice((1, 2, 4, 8))


def compile_only(case: Case) -> None:
    """Compiles the text model; runtimes are created unless the configuration says otherwise."""
    library.compile_text(case)


def hf_numbers(shape: TextShape) -> Mapping[str, Any]:
    """The model's config.json, as far as it matters."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "tie_word_embeddings": False,
        **{name: value for name, value in asdict(shape).items() if value is not None},
    }
