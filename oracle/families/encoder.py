"""An encoder without a KV cache: lengths beyond its positions, inputs beyond its buckets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from oracle import library
from oracle.case import Case
from oracle.families.common import machine

LENGTHS = (64, 128, 256, 384, 512, 768, 1024, 2048)


@lru_cache(maxsize=8)
def model(positions: int) -> Any:
    """The smallest BERT with so many positions."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=64, hidden_size=16, num_hidden_layers=1, num_attention_heads=1, intermediate_size=16,
        max_position_embeddings=positions,
    )  # fmt: skip
    return BertModel(config).eval()


def encode(case: Case) -> None:
    """Compiles, and calls the model with the request's input."""
    import torch
    from optimum import rbln

    config = {"model_input_names": ["input_ids", "attention_mask"], **library.copied(case.config)}
    compiled = rbln.RBLNBertModel.from_model(model(case.request["positions"]), rbln_config=config)
    ids = torch.ones((1, case.request["tokens"]), dtype=torch.int64)
    try:
        compiled(input_ids=ids, attention_mask=torch.ones_like(ids))
    except (TypeError, IndexError, RuntimeError, AttributeError):
        return  # the bucket search comes before the graph, and the stand-in's graph computes nothing


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        positions = rng.choice((512, 1024))
        lengths = sorted(rng.sample(LENGTHS[: -1 if rng.random() < 0.7 else None], rng.randint(2, 3)))
        if rng.random() < 0.6:
            lengths = [length for length in lengths if length <= positions] or [positions]
        config: dict[str, Any] = {"max_seq_len": lengths if len(lengths) > 1 else lengths[0]}
        request = {"positions": positions, "tokens": rng.randint(8, positions)}
        yield Case(
            "encoder", encode, config, machine(rng, "RBLN-CA25"), request=request, rbln_class="RBLNBertModel",
            hf_config={"architectures": ["BertModel"], "model_type": "bert", "max_position_embeddings": positions},
        )  # fmt: skip
