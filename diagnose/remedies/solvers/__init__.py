"""What an expression cannot compute: one function per named computation, in a table, loaded when first
used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

from diagnose.knowledge.schema import Parameter
from diagnose.model import RunContext
from diagnose.remedies.plausible import BEYOND, beyond
from diagnose.remedies.problem import Problem, Solution, Solver
from diagnose.remedies.refused import not_positive

_HOMES: Mapping[str, tuple[str, ...]] = {
    "pool": (
        "kv_pool_that_fits",
        "kv_full_or_fitting_pool",
        "kv_automatic_pool",
        "kv_pool_fits_already",
        "kv_no_pool_fits",
        "kv_largest_already",
    ),
    "pool_limits": ("kv_minimum", "kv_full", "kv_unset_below_minimum", "kv_drop_blocks", "kv_context_for_minimum"),
    "shrink": (
        "kv_shorter_context",
        "kv_context_and_batch",
        "kv_smaller_batch",
        "kv_smaller_partition",
        "context_for_one_device",
        "right_size_context",
    ),
    "room": ("kv_more_devices", "kv_raise_budget"),
    "vllm_room": ("vllm_raise_share", "vllm_more_devices", "vllm_more_ranks"),
    "runtimes": ("compile_without_runtimes", "disjoint_devices", "smaller_pool_in_artifact", "free_devices"),
    "devices": ("device_list_for_num_devices", "device_overrides_only", "devices_for_ranks"),
    "serving": ("serve_with_vllm",),
    "vision": (
        "vision_bucket_for_image",
        "processor_limit_for_bucket",
        "processor_limit_for_whole_windows",
        "video_budget_for_bucket",
        "right_size_vision",
    ),
    "attention": (
        "seq_to_multiple",
        "partition_for_seq",
        "eager_block",
        "context_for_blocks",
        "switch_to_flash",
        "below_compiler_limit",
    ),
    "gemma4": ("gemma4_derive_chunks", "gemma4_smallest_change", "gemma4_soft_tokens_added"),
    "dynamic_kv": ("dynamic_kv_share",),
    "budget": ("readable_budget",),
    "written": ("device_as_number", "speculative_power", "bucket_for_input"),
    "grown": (
        "context_for_request",
        "context_for_block",
        "batch_for_rows",
        "fewer_new_tokens",
        "truncated_input",
    ),
    "decoder": ("decoder_sizes", "decoder_size_added", "padded_batch", "split_batch"),
}
"""Module → the solvers it holds."""


_NOTHING = Solution(applicability="advice", note=BEYOND)


_READ_AS_WRITTEN = ("written", "budget")
"""Modules whose solvers take a setting in every form a person gives it."""


def _in_numbers(context: RunContext, parameters: Mapping[str, Parameter]) -> RunContext:
    """Without settings that nothing can be computed with: ``auto`` of vLLM, the buckets of an encoder where a decoder
    has one length, a word out of a damaged log. A solver asks for what is missing."""
    config = {
        name: setting
        for name, setting in context.config.items()
        if not (
            isinstance(setting.value, (str, list, tuple))
            and (parameter := parameters.get(name)) is not None
            and parameter.type == "int"
        )
    }
    return context if len(config) == len(context.config) else replace(context, config=config)


def _lazily(module: str, name: str) -> Solver:
    def solve(problem: Problem) -> Solution | None:
        parameters = problem.knowledge.parameters
        settings = {n: s.value for n, s in problem.context.config.items()}
        if beyond(problem.numbers, parameters) or beyond(settings, parameters):
            return _NOTHING
        wrong = not_positive(problem.context)
        if wrong is not None:
            return Solution(applicability="advice", note=wrong)
        if module not in _READ_AS_WRITTEN:
            problem = replace(problem, context=_in_numbers(problem.context, parameters))
        solver: Solver = getattr(import_module(f"{__name__}.{module}"), name)
        try:
            return solver(problem)
        except (ArithmeticError, ValueError):
            return _NOTHING  # a size of zero or less, an image without a side

    return solve


SOLVERS: Mapping[str, Solver] = {name: _lazily(module, name) for module, names in _HOMES.items() for name in names}
"""Name in an entry → computation."""
