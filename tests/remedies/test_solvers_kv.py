"""Solvers of the KV cache family: the documented numbers, and when nothing is offered."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.model import RunContext
from tests.remedies.kit import ATOM, REBEL, changes, run, solve

REBEL_OOM = {"requested_bytes": 39163045120, "capacity_bytes": 38654705664}
ATOM_OOM = {"requested_bytes": 17639009280, "capacity_bytes": 17179869184}
INSUFFICIENT = {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}


@pytest.mark.parametrize(
    ("config", "npu", "asked", "message", "expected", "naive"),
    [(REBEL, "RBLN-CR13", 256, REBEL_OOM, 150, 252), (ATOM, "RBLN-CA25", 128, ATOM_OOM, 69, 124)],
)
def test_the_pool_that_fits_is_the_documented_one_and_not_the_scaled_one(
    config: Any, npu: str, asked: int, message: Any, expected: int, naive: int
) -> None:
    context = run({**config, "kvcache_num_blocks": asked}, npu=npu)
    solution = solve("kv_pool_that_fits", message, context)
    assert solution is not None
    assert solution.changes == {"kvcache_num_blocks": expected} != {"kvcache_num_blocks": naive}
    assert solution.applicability == "estimate"
    assert solution.bound is not None
    assert str(expected) in solution.arithmetic
    assert "153" in solution.arithmetic or "69" in solution.arithmetic


def test_the_npu_may_be_told_by_the_capacity_alone() -> None:
    context = run({**REBEL, "kvcache_num_blocks": 256}, npu=None)
    assert changes("kv_pool_that_fits", REBEL_OOM, context) == {"kvcache_num_blocks": 150}


def test_without_the_model_the_pool_needs_its_numbers() -> None:
    solution = solve("kv_pool_that_fits", REBEL_OOM, run({**REBEL, "kvcache_num_blocks": 256}, vlm=False))
    assert solution is not None
    assert solution.applicability == "needs-value"
    assert "num_hidden_layers" in solution.missing
    assert solution.arithmetic == "N = floor((available - weights - workspace) / KV(1)); 33 <= N <= 256"
    assert solution.note is not None
    assert "--config" in solution.note.en


def test_a_pool_that_fits_by_the_model_is_not_lowered() -> None:
    assert solve("kv_pool_that_fits", {}, run({**REBEL, "kvcache_num_blocks": 100})) is None


def test_the_automatic_pool_of_an_artifact_is_not_replaced_by_a_number() -> None:
    assert solve("kv_pool_that_fits", REBEL_OOM, run(REBEL, phases=["load"])) is None


def test_an_exhausted_pool_is_made_full_or_as_large_as_fits() -> None:
    solution = solve("kv_full_or_fitting_pool", {}, run(REBEL))
    assert solution is not None
    assert solution.changes == {"kvcache_num_blocks": 150}
    for figure in ("= 33", "= 256", "= 150"):
        assert figure in solution.arithmetic
    short = solve("kv_full_or_fitting_pool", {}, run({**REBEL, "max_seq_len": 32768}))
    assert short is not None
    assert (dict(short.changes), short.applicability) == ({"kvcache_num_blocks": 32}, "exact")
    assert solve("kv_full_or_fitting_pool", {}, run({**REBEL, "kvcache_num_blocks": 150})) is None


def test_a_full_pool_of_an_unknown_model_says_that_it_is_not_proven() -> None:
    solution = solve("kv_full_or_fitting_pool", {}, run(REBEL, vlm=False))
    assert solution is not None
    assert dict(solution.changes) == {"kvcache_num_blocks": 256}
    assert solution.applicability == "estimate"
    assert solution.bound is not None
    assert "33..256" in solution.arithmetic


@pytest.mark.parametrize(("config", "low", "full"), [(REBEL, 33, 256), (ATOM, 17, 128)])
def test_both_limits_are_shown_whichever_is_broken(config: Any, low: int, full: int) -> None:
    below = solve("kv_minimum", {"blocks_set": 10, "blocks_min": low}, run(config))
    above = solve("kv_full", {"blocks_set": 300, "blocks_full": full}, run(config))
    assert below is not None
    assert above is not None
    assert dict(below.changes) == {"kvcache_num_blocks": low}
    assert dict(above.changes) == {"kvcache_num_blocks": full}
    for solution in (below, above):
        assert f"= {low}" in solution.arithmetic
        assert f"= {full}" in solution.arithmetic


def test_the_minimum_is_shown_as_its_formula() -> None:
    solution = solve("kv_minimum", {"blocks_min": 33}, run(REBEL))
    assert solution is not None
    assert "max(262144/8192, 8) + 1 = 33" in solution.arithmetic
    assert "8 * 262144/8192 = 256" in solution.arithmetic


def test_a_minimum_the_configuration_does_not_make_gives_no_value() -> None:
    solution = solve("kv_minimum", {"blocks_min": 40}, run(REBEL))
    assert solution is not None
    assert not solution.changes
    assert set(solution.missing) >= {"max_seq_len", "kvcache_partition_len"}
    assert solution.doubt is not None
    assert "40" in solution.doubt.en
    assert "33" in solution.doubt.ko
    assert changes("kv_minimum", {"blocks_min": 40}) == {"kvcache_num_blocks": 40}


def test_the_older_minimum_has_no_batch_term() -> None:
    config = {**REBEL, "max_seq_len": 32768, "batch_size": 16}
    older = run(config, versions={"optimum_rbln": "0.11.0"})
    assert changes("kv_minimum", {}, older) == {"kvcache_num_blocks": 5}
    assert changes("kv_minimum", {}, run(config)) == {"kvcache_num_blocks": 17}


def test_a_shorter_context_is_exact_from_the_message() -> None:
    solution = solve("kv_shorter_context", INSUFFICIENT, run(ATOM, npu="RBLN-CA25"))
    assert solution is not None
    assert dict(solution.changes) == {"max_seq_len": 180224}
    assert solution.arithmetic == "(12 - 1) * 16384 = 180224"
    assert solution.applicability == "exact"


def test_one_sequence_may_use_every_block() -> None:
    numbers = {"available_blocks": 5, "required_blocks": 8, "batch_size": 1}
    context = run({"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 1}, npu="RBLN-CA25")
    solution = solve("kv_shorter_context", numbers, context)
    assert solution is not None
    assert dict(solution.changes) == {"max_seq_len": 81920}
    assert solution.arithmetic == "5 * 16384 = 81920"


def test_no_context_is_short_enough_when_the_batch_decides() -> None:
    numbers = {"available_blocks": 12, "required_blocks": 17, "batch_size": 16}
    context = run({**REBEL, "max_seq_len": 32768, "batch_size": 16})
    assert solve("kv_shorter_context", numbers, context) is None
    assert changes("kv_smaller_batch", numbers, context) == {"batch_size": 11}


def test_one_block_leaves_no_context() -> None:
    assert solve("kv_shorter_context", {**INSUFFICIENT, "available_blocks": 1}, run(ATOM)) is None
    assert solve("kv_shorter_context", {**INSUFFICIENT, "available_blocks": 2}, run(ATOM)) is None


def test_no_batch_is_small_enough_when_the_sequence_decides() -> None:
    assert solve("kv_smaller_batch", INSUFFICIENT, run(ATOM, npu="RBLN-CA25")) is None
    one = {"available_blocks": 5, "required_blocks": 9, "batch_size": 8}
    assert changes("kv_smaller_batch", one, run({**REBEL, "max_seq_len": 40960})) == {"batch_size": 1}


def test_a_smaller_partition_is_offered_only_where_it_helps() -> None:
    assert solve("kv_smaller_partition", INSUFFICIENT, run(ATOM, npu="RBLN-CA25")) is None
    numbers = {"available_blocks": 12, "required_blocks": 17, "batch_size": 16}
    context = run({**REBEL, "max_seq_len": 32768, "batch_size": 16})
    found = changes("kv_smaller_partition", numbers, context)
    assert found == {"kvcache_partition_len": 4096}  # 24 blocks of half the size, 17 are needed


def test_the_older_wording_without_numbers_rests_on_the_memory_model() -> None:
    config = {**ATOM, "num_devices": 2, "batch_size": 1, "max_seq_len": 524288}
    solution = solve("kv_shorter_context", {}, run(config, npu="RBLN-CA25"))
    assert solution is not None
    assert solution.applicability == "estimate"
    assert dict(solution.changes) == {"max_seq_len": 15 * 16384}  # 16,096 - 1,640.9 - 128 MiB at 896 MiB a block


def test_the_model_never_says_more_than_the_failure_did() -> None:
    """By the model 65 blocks fit; the library found fewer than the 17 it needed."""
    solution = solve("kv_shorter_context", {}, run(ATOM, npu="RBLN-CA25"))
    assert solution is not None
    assert dict(solution.changes) == {"max_seq_len": (16 - 1) * 16384}


def test_a_debug_line_of_the_run_makes_it_exact() -> None:
    context = run({**ATOM, "measured.kv_probe": [16, -1]}, npu="RBLN-CA25")
    solution = solve("kv_shorter_context", {}, context)
    assert solution is not None
    assert solution.applicability == "exact"
    assert solution.arithmetic == "(15 - 1) * 16384 = 229376"


def test_more_devices_double_on_atom_and_never_on_rebel() -> None:
    config = {**ATOM, "num_devices": 1, "batch_size": 1}
    assert changes("kv_more_devices", {}, run(config, npu="RBLN-CA25")) == {"num_devices": 4}
    unknown = {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 8, "num_devices": 4}
    said = {"available_blocks": 5, "required_blocks": 9, "batch_size": 8}
    assert changes("kv_more_devices", said, run(unknown, npu="RBLN-CA25", vlm=False)) == {"num_devices": 8}
    assert solve("kv_more_devices", INSUFFICIENT, run(REBEL)) is None


def test_more_devices_than_there_are_are_not_offered() -> None:
    config = {**ATOM, "num_devices": 4, "devices_available": 4}
    assert solve("kv_more_devices", INSUFFICIENT, run(config, npu="RBLN-CA25")) is None


def test_devices_that_only_repeat_the_heads_are_not_offered() -> None:
    """128 blocks of eight heads need the same per device on 16 devices as on eight."""
    context = run({**ATOM, "kvcache_num_blocks": 128}, npu="RBLN-CA25")
    assert solve("kv_more_devices", ATOM_OOM, context) is None


def test_an_unknown_npu_or_count_is_asked_for() -> None:
    solution = solve("kv_more_devices", INSUFFICIENT, RunContext())
    assert solution is not None
    assert solution.applicability == "needs-value"
    assert solution.arithmetic == "num_devices * 2"


def test_a_budget_below_one_is_raised_by_what_is_missing() -> None:
    numbers = {"available_blocks": 30, "required_blocks": 33, "batch_size": 8}
    solution = solve("kv_raise_budget", numbers, run({**REBEL, "memory_budget": 0.25}))
    assert solution is not None
    assert dict(solution.changes) == {"memory_budget": 0.27}  # 0.25 + 3 * 224 MiB / 35,840 MiB = 0.26875
    assert "0.26875" in solution.arithmetic
    unknown = solve("kv_raise_budget", numbers, run({**REBEL, "memory_budget": "80%"}, vlm=False))
    assert unknown is not None
    assert (dict(unknown.changes), unknown.arithmetic) == ({"memory_budget": 0.88}, "0.8 * 33 / 30 = 0.88000")


def test_a_budget_the_message_cannot_prove_enough_is_all_of_it() -> None:
    numbers = {"available_blocks": 20, "required_blocks": 33, "batch_size": 8}
    unknown = solve("kv_raise_budget", numbers, run({**REBEL, "memory_budget": "80%"}, vlm=False))
    assert unknown is not None
    assert dict(unknown.changes) == {"memory_budget": 1.0}
    assert unknown.bound is not None
    assert "not computed" in unknown.bound.en


def test_no_budget_is_raised_when_none_was_set_or_all_is_not_enough() -> None:
    assert solve("kv_raise_budget", INSUFFICIENT, run(REBEL)) is None
    assert solve("kv_raise_budget", INSUFFICIENT, run({**REBEL, "memory_budget": 1.0})) is None
    far = {"available_blocks": 2, "required_blocks": 33, "batch_size": 8}
    assert solve("kv_raise_budget", far, run({**REBEL, "memory_budget": 0.95})) is None


@pytest.mark.parametrize(("config", "npu", "full"), [(REBEL, "RBLN-CR13", 32), (ATOM, "RBLN-CA25", 16)])
def test_the_context_for_one_device_is_the_documented_one(config: Any, npu: str, full: int) -> None:
    solution = solve("context_for_one_device", {}, run(config, npu=npu))
    assert solution is not None
    assert dict(solution.changes) == {"max_seq_len": 32768}
    assert solution.applicability == "estimate"
    assert solution.arithmetic.startswith("262144 / 8 = 32768")
    assert f"= {full}" in solution.arithmetic


def test_the_context_for_one_device_keeps_two_partitions_and_halves_a_batch_of_one() -> None:
    assert changes("context_for_one_device", {}, run({**REBEL, "batch_size": 64})) == {"max_seq_len": 16384}
    assert changes("context_for_one_device", {}, run({**REBEL, "batch_size": 1})) == {"max_seq_len": 131072}
    assert solve("context_for_one_device", {}, run({**REBEL, "max_seq_len": 16384})) is None


def test_a_context_is_sized_for_the_longest_request() -> None:
    context = run({**REBEL, "request_tokens": 9000})
    assert changes("right_size_context", {}, context) == {"max_seq_len": 16384}
    advice = solve("right_size_context", {}, run(REBEL))
    assert advice is not None
    assert advice.applicability == "advice"
    assert advice.arithmetic == "ceil(longest_request / 8192) * 8192"
