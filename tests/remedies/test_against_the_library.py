"""What the oracle found: offers that optimum-rbln 0.12.0 itself refused, or that were too large."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import Setting, Value
from diagnose.remedies.constraints import adjust
from diagnose.remedies.images import resized, windowed_pixels_for
from diagnose.remedies.solvers.devices import fitted
from tests.remedies.kit import ATOM, KNOWLEDGE, changes, run, solve

WINDOW_SIDE, STEP = 112, 28
"""Qwen2.5-VL: pixels of an attention window's side, and of a merged patch."""


@pytest.mark.parametrize("keys", ["['num_devices']", ["num_devices"]])
def test_a_refused_device_count_is_removed_and_no_list_is_measured_by_it(keys: Value) -> None:
    context = run({"num_devices": 4, "device": [0, 1]}, npu="RBLN-CA25")
    assert changes("device_overrides_only", {"keys": keys}, context) == {"num_devices": None}


@pytest.mark.parametrize(
    ("npu", "seq", "partition", "direction", "expected"),
    [
        ("RBLN-CR13", 46336, 20480, "down", {"max_seq_len": 32768, "kvcache_partition_len": 16384}),
        ("RBLN-CA25", 24640, 512, "up", {"max_seq_len": 25600, "kvcache_partition_len": 1024}),
        ("RBLN-CA25", 40960, 16384, "down", {"max_seq_len": 32768}),
    ],
)
def test_a_length_is_never_rounded_to_a_partition_the_npu_refuses(
    npu: str, seq: int, partition: int, direction: str, expected: dict[str, Value]
) -> None:
    context = run({"max_seq_len": seq, "kvcache_partition_len": partition}, npu=npu)
    numbers = {"seq_len": seq, "partition_len": partition}
    assert changes("seq_to_multiple", numbers, context, direction=direction) == expected


def test_an_unknown_npu_keeps_the_partition() -> None:
    numbers = {"seq_len": 70000, "partition_len": 32768}
    assert changes("seq_to_multiple", numbers, run(npu=None), direction="down") == {"max_seq_len": 65536}


@pytest.mark.parametrize(
    ("given_ids", "count", "expected"),
    [([6, 1], 8, [6, 1, 0, 2, 3, 4, 5, 7]), ([4, 5], 4, [4, 5, 6, 7]), ([3, 4], 4, [3, 4, 5, 6]), ([], 2, [0, 1])],
)
def test_a_device_list_is_completed_within_its_group(given_ids: list[int], count: int, expected: list[int]) -> None:
    assert fitted(given_ids, count) == expected


@given(st.sets(st.integers(0, 7), min_size=1), st.sampled_from([1, 2, 4, 8]))
def test_a_completed_list_of_any_ids_of_one_group_needs_no_id_beyond_it(ids: set[int], count: int) -> None:
    """A machine with eight NPUs has every id that is added, when the ids it started from lie in one group."""
    kept = sorted(ids)[:count]
    found = fitted(kept, count)
    listed = found if isinstance(found, list) else [found]
    assert len(set(listed)) == len(listed) == count
    if len({i // count for i in kept}) == 1:
        assert max(listed) < 8


def test_more_devices_take_the_vision_list_along() -> None:
    context = run({**ATOM, "num_devices": 2, "device": [0, 1], "visual.device": [0, 1]}, npu="RBLN-CA25")
    found = adjust({"num_devices": 4}, context, KNOWLEDGE)
    assert found == {"num_devices": 4, "device": [0, 1, 2, 3], "visual.device": [0, 1, 2, 3]}
    inferred = {"visual.num_devices": Setting(2, None, "--set, device list (inferred)")}
    guessed = replace(context, config={**context.config, **inferred})
    assert adjust({"num_devices": 4}, guessed, KNOWLEDGE) == found
    apart = run({**ATOM, "num_devices": 2, "device": [0, 1], "visual.device": [2, 3]}, npu="RBLN-CA25")
    found = adjust({"num_devices": 4}, apart, KNOWLEDGE)
    assert found == {"num_devices": 4, "device": [0, 1, 2, 3], "visual.device": [4, 5, 6, 7]}


def test_dropping_the_budget_leaves_no_pool_below_the_minimum() -> None:
    config = {"max_seq_len": 8192, "kvcache_partition_len": 4096, "batch_size": 4, "kvcache_num_blocks": 2}
    context = run({**config, "memory_budget": "10GB"}, npu="RBLN-CR13")
    assert adjust({"memory_budget": None}, context, KNOWLEDGE) == {"memory_budget": None, "kvcache_num_blocks": 5}


def test_dropping_the_blocks_does_not_leave_a_budget_that_is_refused() -> None:
    context = run({**ATOM, "kvcache_num_blocks": 69, "memory_budget": 1.5}, npu="RBLN-CA25")
    assert adjust({"kvcache_num_blocks": None}, context, KNOWLEDGE) is None


def test_one_byte_of_budget_is_raised_and_one_block_proves_nothing() -> None:
    numbers = {"available_blocks": 1, "required_blocks": 17}
    solution = solve("kv_raise_budget", numbers, run({**ATOM, "memory_budget": 1}, npu="RBLN-CA25"))
    assert solution is not None
    assert solution.changes == {"memory_budget": 0.33}  # weights 3,282/8 + workspace 1,024 + KV(17) 3,808 of 16,096 MiB
    solution = solve("kv_raise_budget", numbers, run({**ATOM, "memory_budget": 0.3}, npu="RBLN-CA25"))
    assert solution is not None
    assert solution.changes == {"memory_budget": 0.33}


def test_a_shorter_context_is_not_offered_where_the_weights_alone_are_too_large() -> None:
    numbers: dict[str, Value] = {
        "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
        "hidden_size": 4096, "intermediate_size": 12288, "vocab_size": 151936, "tie_word_embeddings": False,
    }  # fmt: skip
    config = {"max_seq_len": 262144, "kvcache_partition_len": 16384, "batch_size": 2, "num_devices": 1}
    context = run(config, npu="RBLN-CA25", vlm=False, architecture=numbers)
    assert solve("context_for_one_device", {}, context) is None


def test_gemma4_buckets_use_the_default_soft_tokens_of_a_configuration_that_sets_none() -> None:
    context = run({"image_prefill_chunk_size": [200]}, vlm=False, model_class="RBLNGemma4ForConditionalGeneration")
    assert changes("gemma4_derive_chunks", {}, context) == {"image_prefill_chunk_size": [384]}


@given(st.integers(1, 120), st.integers(56, 3000), st.floats(0.25, 4.0))
def test_any_image_of_up_to_four_to_one_stays_in_its_windows(windows: int, height: int, ratio: float) -> None:
    top = 64 * windows
    limit = windowed_pixels_for(top, 14, 64)
    high, wide = resized(height, max(56, int(height * ratio)), factor=STEP, max_pixels=limit)
    if max(high, wide) <= 4 * min(high, wide):
        assert math.ceil(high / WINDOW_SIDE) * math.ceil(wide / WINDOW_SIDE) <= windows


@pytest.mark.parametrize("top", [-64, 0, 63, 10**25])
def test_a_bucket_no_encoder_has_gives_no_limit(top: int) -> None:
    assert windowed_pixels_for(top, 14, 64) == 0


@pytest.mark.parametrize(("top", "limit"), [(64, 7056), (192, 18816), (1728, 254016), (2048, 332416)])
def test_one_step_more_and_some_image_goes_over(top: int, limit: int) -> None:
    assert windowed_pixels_for(top, 14, 64) == limit
    sides = [(h, w) for h in range(STEP, 2000, STEP) for w in range(h, 4 * h + 1, STEP) if h * w <= limit + STEP**2]
    assert any(math.ceil(h / WINDOW_SIDE) * math.ceil(w / WINDOW_SIDE) * 64 > top for h, w in sides)
