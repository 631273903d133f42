"""The native path of vllm-rbln: its estimate of what is left for the KV cache, and vLLM's check of one request."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from types import SimpleNamespace
from typing import Any
from unittest import mock

from diagnose.knowledge import load
from diagnose.remedies import facts
from diagnose.remedies.memory import VllmModel, vllm_estimate
from oracle.borrow import borrow
from oracle.case import Case, Machine, TextShape
from oracle.families.common import NPUS, SHAPES, hf_numbers, is_rebel

FORMS = ("sets",)


class Disagreement(Exception):
    """The product's copy of a formula gives another number than the library."""


def parameters(shape: TextShape) -> int:
    """Parameters of a dense model with separate embeddings and head."""
    heads = (shape.num_attention_heads + shape.num_key_value_heads) * 2 * shape.head_dim
    layer = shape.hidden_size * (heads + 3 * shape.intermediate_size + 2)
    return shape.num_hidden_layers * layer + 2 * shape.vocab_size * shape.hidden_size


def _shape(case: Case) -> TextShape:
    if not isinstance(case.model, TextShape):
        raise TypeError("a case with a text model")
    return case.model


@lru_cache(maxsize=2)
def _family(name: str) -> facts.Family:
    found = facts.family_by_name(load(), name)
    if found is None:
        raise LookupError(name)
    return found


def estimate(case: Case) -> None:
    """vllm-rbln's own estimate for one rank, then the product's for the same numbers. Raises what the first raises, and
    Disagreement when the two differ."""
    utils, shape, config = borrow("vllm_rbln.v1.worker.utils"), _shape(case), case.config
    ranks, devices = config.get("tensor_parallel_size", 1), config.get("num_devices", 1)
    numbers = VllmModel(
        n_model_bytes=2 * parameters(shape) // ranks,
        layers=shape.num_hidden_layers,
        vocab_size=shape.vocab_size,
        hidden_size=shape.hidden_size,
        kv_heads=max(1, shape.num_key_value_heads // ranks),
        tensor_parallel=ranks,
    )
    model = SimpleNamespace(
        get_num_layers=lambda _parallel: numbers.layers,
        get_vocab_size=lambda: numbers.vocab_size,
        get_hidden_size=lambda: numbers.hidden_size,
        get_num_kv_heads=lambda _parallel: numbers.kv_heads,
    )
    share, runtimes = config["memory_budget"], case.request["runtimes"]
    _say(case, f"Using the manual bucketing. Decode batch buckets: {list(range(1, runtimes))}")
    _say(case, f"n_model_bytes = {numbers.n_model_bytes / 2**30:.2f} GB")
    with mock.patch.object(utils, "current_platform", SimpleNamespace(get_device_name=lambda: case.machine.npu)):
        left = utils.estimate_available_memory(
            model,
            SimpleNamespace(tensor_parallel_size=ranks),
            n_model_bytes=numbers.n_model_bytes,
            num_runtimes=runtimes,
            gpu_memory_utilization=share,
            num_devices_per_local_rank=devices,
        )
    family = _family("REBEL" if is_rebel(case.machine.npu) else "ATOM")
    ours = vllm_estimate(numbers, family, devices=devices, share=share, runtimes=runtimes).available
    if ours != left:
        raise Disagreement(f"vllm_estimate says {ours}, vllm-rbln {left}")


def _say(case: Case, text: str) -> None:
    """A line of the plugin's worker before the estimate; half of the cases have a log that keeps INFO."""
    from rebel.host import host

    if case.request["lines"]:
        host().console(f"[vllm-rbln] INFO 11-29 12:00:00 [rbln_worker.py:347] {text}")


def estimates(rng: random.Random) -> Iterator[Case]:
    while True:
        npu, shape = rng.choice(NPUS), rng.choice(SHAPES)
        lines = rng.random() < 0.5
        config: dict[str, Any] = {
            "memory_budget": round(rng.uniform(0.05, rng.choice((0.2, 0.6, 1.0))), 2),
            "num_devices": 1 if is_rebel(npu) else rng.choice((1, 2, 4)),
            "tensor_parallel_size": rng.choice((1, 1, 2)),
        }
        yield Case(
            "vllm-estimate",
            estimate,
            config,
            Machine(npu=npu),
            shape,
            request={"runtimes": rng.randint(2, 9) if lines else 2, "lines": lines},
            hf_config=hf_numbers(shape),
            forms=FORMS,
        )


def check(case: Case) -> None:
    """vLLM's check that one request of the full length fits what is left, for full-attention layers."""
    import torch

    utils, interface = borrow("vllm.v1.core.kv_cache_utils"), borrow("vllm.v1.kv_cache_interface")
    shape, config = _shape(case), case.config
    spec = interface.FullAttentionSpec(
        config["kvcache_partition_len"],
        num_kv_heads=shape.num_key_value_heads,
        head_size=shape.head_dim,
        dtype=torch.bfloat16,
    )
    specs = {f"model.layers.{i}.self_attn.attn": spec for i in range(shape.num_hidden_layers)}
    blocks = config.get("kvcache_num_blocks")
    fixed = None if blocks is None else blocks * spec.page_size_bytes * len(specs)
    utils.check_enough_kv_cache_memory(
        _vllm_config(config), specs, case.request["available_bytes"] if fixed is None else fixed
    )


def _vllm_config(config: Any) -> Any:
    """As much of a VllmConfig as the check reads."""
    parallel = SimpleNamespace(
        decode_context_parallel_size=1,
        prefill_context_parallel_size=1,
        pipeline_parallel_size=1,
        tensor_parallel_size=1,
    )
    return SimpleNamespace(
        model_config=SimpleNamespace(max_model_len=config["max_seq_len"], use_mla=False, is_hybrid=False),
        parallel_config=parallel,
        cache_config=SimpleNamespace(block_size=config["kvcache_partition_len"], num_gpu_blocks_override=None),
        scheduler_config=SimpleNamespace(disable_hybrid_kv_cache_manager=False, max_num_batched_tokens=512),
        speculative_config=None,
        kv_transfer_config=None,
    )


def checks(rng: random.Random) -> Iterator[Case]:
    while True:
        shape, block = rng.choice(SHAPES), rng.choice((1024, 4096, 8192))
        partitions = rng.choice((2, 4, 8, 16))
        page = 2 * block * shape.num_key_value_heads * shape.head_dim * 2 * shape.num_hidden_layers
        config: dict[str, Any] = {"max_seq_len": block * partitions, "kvcache_partition_len": block}
        if rng.random() < 0.3:
            config["kvcache_num_blocks"] = rng.randint(1, partitions + 2)
        yield Case(
            "vllm-kv-check",
            check,
            config,
            Machine(npu=rng.choice(NPUS)),
            shape,
            request={"available_bytes": int(page * rng.uniform(-0.5, partitions + 2))},
            forms=FORMS,
        )


def buckets(case: Case) -> None:
    """vllm-rbln's decode buckets for the configuration."""
    kind, config = case.request["strategy"], case.config
    package = "vllm_rbln.v1.worker.bucketing"
    module = borrow(f"{package}.{kind}_bucketing_manager")
    maker = getattr(module, f"{kind.capitalize()}BucketingManager")
    if kind == "manual":
        maker(max_batch_size=config["batch_size"], manual_buckets=list(case.request["buckets"]))
        return
    maker(
        max_batch_size=config["batch_size"],
        min_batch_size=config.get("decode_batch_bucket_min", 1),
        limit=config.get("decode_batch_bucket_limit", 1),
        step=config.get("decode_batch_bucket_step", 2),
    )


def bucketings(rng: random.Random) -> Iterator[Case]:
    while True:
        config: dict[str, Any] = {"batch_size": rng.choice((1, 2, 4, 8, 16)), "pipeline_parallel_size": 1}
        kind = rng.choice(("exponential", "linear", "manual"))
        if kind != "manual":
            name, values = rng.choice(
                (
                    ("decode_batch_bucket_min", (0, 1, 2, 8, 32)),
                    ("decode_batch_bucket_limit", (0, 1, 4)),
                    ("decode_batch_bucket_step", (0, 1, 2, 3)),
                )
            )
            config[name] = rng.choice(values)
        drawn = sorted(rng.sample((1, 2, 4, 8, 16), rng.randint(1, 3)))
        yield Case(
            "vllm-buckets",
            buckets,
            config,
            Machine(npu=rng.choice(NPUS)),
            request={"strategy": kind, "buckets": drawn},
            forms=FORMS,
        )
