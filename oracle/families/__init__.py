"""Families of errors: each draws random cases for ever, seeded, most of them wrong in one way and some right."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from oracle.borrow import installed
from oracle.case import Case
from oracle.families import (
    attention,
    budget,
    configs,
    decoder,
    devices,
    encoder,
    gemma4,
    generation,
    loading,
    memory,
    modules,
    pool,
    serving,
    vision,
)

Draw = Callable[[random.Random], Iterator[Case]]

FAMILIES: Mapping[str, Draw] = {
    "attention": attention.cases,
    "budget": budget.cases,
    "configs": configs.cases,
    "decoder": decoder.cases,
    "devices": devices.cases,
    "encoder": encoder.cases,
    "gemma4": gemma4.cases,
    "generation": generation.cases,
    "loading": loading.cases,
    "memory": memory.cases,
    "modules": modules.cases,
    "pool": pool.cases,
    "vision": vision.cases,
    "vllm-buckets": serving.bucketings,
    "vllm-estimate": serving.estimates,
    "vllm-kv-check": serving.checks,
}
"""Name → endless draw."""

NEEDS: Mapping[str, str] = {"vllm-buckets": "vllm_rbln", "vllm-estimate": "vllm_rbln", "vllm-kv-check": "vllm"}
"""Family → package that is installed on wish only."""


def without() -> dict[str, str]:
    """Families that cannot run here, with what they miss."""
    there = installed()
    return {name: package for name, package in NEEDS.items() if package not in there}
