"""A model with a vision submodule: runtimes on devices that are full."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from oracle import library
from oracle.case import Case, VisionShape
from oracle.families.common import NPUS, devices_for, is_rebel, machine

CLASS = "RBLNQwen3VLForConditionalGeneration"


@lru_cache(maxsize=1)
def model() -> Any:
    """The language model of a 2B checkpoint without memory, and the smallest vision encoder with some."""
    import torch
    from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLConfig
    from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLForConditionalGeneration

    shape = VisionShape("qwen3_vl", 16)
    vision = library.vision_config(shape).to_dict() | {"out_hidden_size": 2048}
    text = {
        "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
        "hidden_size": 2048, "intermediate_size": 6144, "vocab_size": 151936, "max_position_embeddings": 262144,
    }  # fmt: skip
    with torch.device("meta"):
        built = Qwen3VLForConditionalGeneration(Qwen3VLConfig(text_config=text, vision_config=vision)).to(
            torch.bfloat16
        )
    built.model.visual = library.vision_model(shape).to(torch.bfloat16)
    return built


def compile_and_load(case: Case) -> None:
    from optimum import rbln

    with tempfile.TemporaryDirectory() as directory, library.no_graph():
        getattr(rbln, CLASS).from_model(model(), rbln_config=library.copied(case.config), model_save_dir=directory)


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        npu = rng.choice(NPUS)
        partition = 8192 if is_rebel(npu) else 16384
        count = devices_for(rng, npu)
        config: dict[str, Any] = {
            "visual": {"max_seq_len": rng.choice((1024, 4096, 16384))},
            "max_seq_len": partition * rng.choice((2, 4, 8, 16)),
            "kvcache_partition_len": partition,
            "batch_size": rng.choice((1, 2, 8)),
            "num_devices": count,
        }
        if rng.random() < 0.3:
            config["device"] = list(range(count)) if count > 1 else 0
        if rng.random() < 0.3:
            config["visual"]["device"] = list(range(count)) if count > 1 else 0
        yield Case("modules", compile_and_load, config, machine(rng, npu, devices=16), rbln_class=CLASS)
