"""Values a configuration refuses by itself: a batch for a vision encoder, a LoRA rank, a sub-chunk that does not fit.

``gdn_chunk_size`` has to divide the prefill chunk and be at most 128 (Qwen3.5).
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from oracle import library
from oracle.case import Case
from oracle.families.common import machine

CLASSES = ("RBLNQwen3VLForConditionalGeneration", "RBLNQwen2_5_VLForConditionalGeneration")
RANKS = (4, 8, 16, 32, 64)


def configure(case: Case) -> None:
    """Builds the whole model's configuration object, submodules included."""
    from optimum import rbln

    getattr(rbln, f"{case.rbln_class}Config")(**library.copied(case.config))


def encoder(case: Case) -> None:
    """Builds the vision encoder's configuration object, as a person who compiles it alone does."""
    from optimum import rbln

    rbln.RBLNQwen3VLVisionModelConfig(**library.copied(case.config["visual"]))


def adapters(case: Case) -> None:
    """Builds the LoRA configuration over adapters of the ranks of the request."""
    from optimum.rbln import RBLNLoRAConfig

    with tempfile.TemporaryDirectory() as directory:
        listed = []
        for number, rank in enumerate(case.request["ranks"], 1):
            place = Path(directory) / f"a{number}"
            place.mkdir()
            described = {"r": rank, "lora_alpha": rank, "target_modules": ["q_proj"], "peft_type": "LORA"}
            (place / "adapter_config.json").write_text(json.dumps(described))
            listed.append({"lora_int_id": number, "lora_name": f"a{number}", "lora_path": str(place), "r": rank})
        RBLNLoRAConfig(adapters=listed, **library.copied(case.config.get("lora_config", {})))


def _vision(rng: random.Random) -> Case:
    visual: dict[str, Any] = {"max_seq_len": 1024, "batch_size": rng.choice((1, 2, 4))}
    if rng.random() < 0.5:
        return Case("configs", encoder, {"visual": visual}, machine(rng, "RBLN-CA25"), rbln_class=CLASSES[0])
    config = {"max_seq_len": 32768, "kvcache_partition_len": 16384, "visual": visual}
    return Case("configs", configure, config, machine(rng, "RBLN-CA25"), rbln_class=rng.choice(CLASSES))


def _lora(rng: random.Random) -> Case:
    ranks = [rng.choice(RANKS) for _ in range(rng.randint(1, 3))]
    config: dict[str, Any] = {"max_seq_len": 4096, "lora_config": {"max_lora_rank": rng.choice(RANKS)}}
    return Case(
        "configs", adapters, config, machine(rng, "RBLN-CA25"), request={"ranks": ranks}, forms=("script", "artifact")
    )


def sub_chunks(case: Case) -> None:
    """Qwen3.5's check of its sub-chunk, without the compile around it."""
    from optimum.rbln import RBLNDecoderOnlyModelForCausalLM, RBLNQwen3_5ForCausalLM, RBLNQwen3_5ForCausalLMConfig

    def passed_on(_cls: type, **named: Any) -> Any:
        return named["rbln_config"]

    config = RBLNQwen3_5ForCausalLMConfig(**library.copied(case.config))
    model_config = SimpleNamespace(layer_types=["full_attention", "linear_attention"], num_hidden_layers=2)
    model_config.get_text_config = lambda: model_config
    parent = RBLNDecoderOnlyModelForCausalLM.__mro__[1]
    with mock.patch.object(parent, "_update_rbln_config", classmethod(passed_on)):
        RBLNQwen3_5ForCausalLM._update_rbln_config(model_config=model_config, rbln_config=config)


def _sub_chunk(rng: random.Random) -> Case:
    config = {
        "max_seq_len": 32768,
        "kvcache_partition_len": 16384,
        "prefill_chunk_size": rng.choice((64, 128, 192, 256, 320, 512)),
        "gdn_chunk_size": rng.choice((32, 64, 96, 100, 128, 192, 256)),
    }
    return Case("configs", sub_chunks, config, machine(rng, "RBLN-CA25"), rbln_class="RBLNQwen3_5ForCausalLM")


DRAWS: tuple[Callable[[random.Random], Case], ...] = (_vision, _lora, _sub_chunk)


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        yield rng.choice(DRAWS)(rng)
