"""Solvers of devices, images, attention limits, Gemma 4 and decoders."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.model import RunContext
from diagnose.remedies.solvers import SOLVERS
from tests.remedies.kit import ATOM, QWEN, REBEL, changes, run, solve

TOKENS = [70, 140, 280, 560, 1120]


def gemma(config: dict[str, Any]) -> RunContext:
    return run(
        config,
        vlm=False,
        model="google/gemma-4-31B-it",
        model_class="RBLNGemma4ForConditionalGeneration",
        lm_prefix="language_model",
        vision_prefix="vision_tower",
    )


def windowed(config: dict[str, Any]) -> RunContext:
    return run(config, vlm=False, model_class="RBLNQwen2_5_VLForConditionalGeneration", vision_prefix="visual")


def test_every_solver_in_the_table_can_be_loaded_and_bears_an_empty_run() -> None:
    for name in SOLVERS:
        if name != "serve_with_vllm":
            solution = solve(name)
            assert solution is None or solution.applicability in ("exact", "estimate", "needs-value", "advice")


# --------------------------------------------------------------------------- runtimes and devices


def test_runtimes_are_switched_off_at_every_level() -> None:
    assert changes("compile_without_runtimes", {}, run(REBEL)) == {
        "create_runtimes": False,
        "visual.create_runtimes": False,
    }
    assert changes("compile_without_runtimes", {}, run(REBEL, vlm=False)) == {"create_runtimes": False}


def test_submodules_get_devices_of_their_own() -> None:
    assert changes("disjoint_devices", {}, run(REBEL)) == {"device": 0, "visual.device": 1}
    assert changes("disjoint_devices", {}, run(ATOM, npu="RBLN-CA25")) == {
        "device": [0, 1, 2, 3, 4, 5, 6, 7],
        "visual.device": [8, 9, 10, 11, 12, 13, 14, 15],
    }


def test_a_vision_tower_that_cannot_be_sharded_gets_one_device() -> None:
    context = run(
        {**ATOM},
        npu="RBLN-CA25",
        vlm=False,
        model_class="RBLNLlavaForConditionalGeneration",
        vision_prefix="vision_tower",
    )
    assert changes("disjoint_devices", {}, context)["visual.device"] == 8


def test_the_own_devices_of_the_language_model_are_kept() -> None:
    config = {**ATOM, "num_devices": 2, "device": [4, 5], "visual.num_devices": 2}
    assert changes("disjoint_devices", {}, run(config, npu="RBLN-CA25")) == {
        "device": [4, 5],
        "visual.device": [0, 1],
    }


def test_nothing_is_moved_where_nothing_is_shared() -> None:
    assert solve("disjoint_devices", {}, run(REBEL, vlm=False)) is None
    assert solve("disjoint_devices", {}, run({**REBEL, "device": 0, "visual.device": 1})) is None
    assert solve("disjoint_devices", {}, run({**REBEL, "devices_available": 1})) is None


def test_a_count_nobody_gave_is_not_assumed_on_atom() -> None:
    from diagnose.model import Setting

    guessed = RunContext(
        config={"num_devices": Setting(1, None, "default of optimum-rbln 0.12.0")},
        npu="RBLN-CA25",
        vision_prefix="visual",
    )
    solution = solve("disjoint_devices", {}, guessed)
    assert solution is not None
    assert (solution.applicability, solution.missing) == ("needs-value", ("num_devices",))


def test_a_device_list_gets_the_right_length() -> None:
    numbers = {"devices_given": 4, "num_devices": 8}
    context = run({"num_devices": 8, "device": [0, 1, 2, 3]}, npu="RBLN-CA25")
    assert changes("device_list_for_num_devices", numbers, context) == {"device": list(range(8))}
    assert changes("device_list_for_num_devices", numbers, context, change="num_devices") == {"num_devices": 4}
    longer = run({"num_devices": 1, "device": [2, 3]})
    assert changes("device_list_for_num_devices", {"devices_given": 2, "num_devices": 1}, longer) == {"device": 2}
    assert changes("device_list_for_num_devices", numbers) == {"device": list(range(8))}


def test_the_list_the_message_means_is_found() -> None:
    config = {"num_devices": 8, "device": list(range(8)), "visual.num_devices": 4, "visual.device": [8, 9]}
    context = run(config, npu="RBLN-CA25")
    found = changes("device_list_for_num_devices", {"devices_given": 2, "num_devices": 4}, context)
    assert found == {"visual.device": [8, 9, 10, 11]}


def test_an_artifact_keeps_only_device_overrides() -> None:
    config = {"num_devices": 8, "device": [0, 1], "visual.num_devices": 8, "visual.device": list(range(8, 16))}
    found = changes("device_overrides_only", {"arguments": ["max_seq_len", "device"]}, run(config, npu="RBLN-CA25"))
    assert found == {"max_seq_len": None, "device": list(range(8))}
    assert solve("device_overrides_only", {}, run(REBEL)) is None


# --------------------------------------------------------------------------- images


def test_a_larger_image_gets_a_further_bucket() -> None:
    numbers = {"required_patches": 20000, "available_patches": [3136, 16384]}
    assert changes("vision_bucket_for_image", numbers, run()) == {"visual.max_seq_len": [3136, 16384, 20000]}
    windows = {"required_patches": 8465, "available_patches": [6400]}
    assert changes("vision_bucket_for_image", windows, windowed({})) == {"visual.max_seq_len": [6400, 8512]}


def test_the_processor_is_limited_to_the_bucket() -> None:
    numbers = {"required_patches": 65536, "available_patches": [16384]}
    assert changes("processor_limit_for_bucket", numbers, run()) == {"processor.max_pixels": 4194304}
    assert changes("processor_limit_for_bucket", {"available_patches": [6400]}, windowed({})) == {
        "processor.max_pixels": 1069376
    }
    by_name = run(vlm=False, model=QWEN)
    assert changes("processor_limit_for_bucket", numbers, by_name) == {"processor.max_pixels": 4194304}


def test_an_unknown_patch_size_is_asked_for() -> None:
    solution = solve("processor_limit_for_bucket", {"available_patches": [16384]}, run(vlm=False))
    assert solution is not None
    assert (solution.applicability, solution.missing) == ("needs-value", ("patch_size",))
    assert solution.arithmetic == "16384 * patch_size ** 2"
    given = run(vlm=False, architecture={"patch_size": 16})
    assert changes("processor_limit_for_bucket", {"available_patches": [16384]}, given) == {
        "processor.max_pixels": 4194304
    }


def test_a_limit_that_is_low_enough_already_is_not_repeated() -> None:
    context = run({"processor.max_pixels": 896 * 896})
    assert solve("processor_limit_for_bucket", {"available_patches": [3136]}, context) is None


def test_the_video_budget_holds_two_frames_of_the_bucket() -> None:
    numbers = {"available_patches": [16384]}
    assert changes("video_budget_for_bucket", numbers, run()) == {"processor.size.longest_edge": 8388608}
    assert solve("video_budget_for_bucket", numbers, windowed({})) is None


def test_the_vision_graph_is_sized_for_the_images() -> None:
    pixels = run({"visual.max_seq_len": 16384, "processor.max_pixels": 896 * 896})
    assert changes("right_size_vision", {}, pixels) == {"visual.max_seq_len": 3136}
    images = run({"visual.max_seq_len": 16384}, image_sizes=((1000, 1000), (600, 800)))
    solution = solve("right_size_vision", {}, images)
    assert solution is not None
    assert dict(solution.changes) == {"visual.max_seq_len": 3844}
    assert solution.arithmetic == "1000x1000 -> 992x992: 992/16 * 992/16 = 3844"
    buckets = run({"visual.max_seq_len": [8192, 16384], "processor.max_pixels": 896 * 896})
    assert changes("right_size_vision", {}, buckets) == {"visual.max_seq_len": [3136, 8192, 16384]}
    assert (
        solve("right_size_vision", {}, run({"visual.max_seq_len": [3136, 16384], "processor.max_pixels": 802816}))
        is None
    )


# --------------------------------------------------------------------------- attention


@pytest.mark.parametrize(
    ("seq", "part", "down", "up"),
    [(40000, 16384, 32768, 49152), (16384, 16384, None, 32768), (20000, 16384, None, 32768), (32768, 8192, None, None)],
)
def test_the_nearest_valid_lengths(seq: int, part: int, down: int | None, up: int | None) -> None:
    numbers = {"seq_len": seq, "partition_len": part}
    for direction, expected in (("down", down), ("up", up)):
        found = changes("seq_to_multiple", numbers, direction=direction)
        assert found == (None if expected is None else {"max_seq_len": expected})


@pytest.mark.parametrize(
    ("npu", "seq", "expected"),
    [("RBLN-CA25", 40960, 20480), ("RBLN-CR13", 40960, 10240), (None, 40960, 10240), ("RBLN-CA25", 4099, None)],
)
def test_the_largest_partition_that_divides(npu: str | None, seq: int, expected: int | None) -> None:
    found = changes("partition_for_seq", {"seq_len": seq}, run(npu=npu))
    assert found == (None if expected is None else {"kvcache_partition_len": expected})


@pytest.mark.parametrize(
    ("npu", "seq", "expected"),
    [
        ("RBLN-CR13", 131072, {"kvcache_partition_len": 8192}),
        ("RBLN-CA25", 131072, {"kvcache_partition_len": 16384}),
        ("RBLN-CR13", 20480, {"kvcache_partition_len": 10240}),
        ("RBLN-CR13", 40961, {"max_seq_len": 40960, "kvcache_partition_len": 8192}),
    ],
)
def test_flash_attention_takes_over_above_the_eager_limit(npu: str, seq: int, expected: Any) -> None:
    assert changes("switch_to_flash", {"seq_len": seq, "limit": 16384}, run(npu=npu)) == expected


def test_an_eager_mode_that_was_chosen_is_changed_with_it() -> None:
    context = run({"attn_impl": "eager", "kvcache_block_size": 131072})
    assert changes("switch_to_flash", {"seq_len": 131072}, context) == {
        "kvcache_partition_len": 8192,
        "attn_impl": "flash_attn",
        "kvcache_block_size": None,
    }


# --------------------------------------------------------------------------- Gemma 4, decoders


def test_gemma_buckets_are_derived_from_the_soft_tokens() -> None:
    context = gemma({"vision_tower.max_soft_tokens": TOKENS})
    assert changes("gemma4_derive_chunks", {}, context) == {"image_prefill_chunk_size": [128, 256, 384, 640, 1152]}


@pytest.mark.parametrize(
    ("given", "tokens", "expected"),
    [
        ([300, 640, 1152], TOKENS, [384, 640, 1152]),
        ([384, 640], TOKENS, [384, 640, 1152]),
        ([640, 384], TOKENS, [1152, 640, 384]),
        ([128, 256, 384, 512, 640, 1152], TOKENS, [128, 256, 384, 640, 1152]),
        ([128, 384], [280], [384]),
        (256, [280], [384]),
        ([384, 640, 1152], TOKENS, None),
    ],
)
def test_given_gemma_buckets_are_changed_as_little_as_possible(given: Any, tokens: Any, expected: Any) -> None:
    context = gemma({"language_model.image_prefill_chunk_size": given, "vision_tower.max_soft_tokens": tokens})
    found = changes("gemma4_smallest_change", {}, context)
    if expected is None:
        assert found is None
    elif given == 256:
        assert found == {"image_prefill_chunk_size": 384}
    else:
        assert found == {"image_prefill_chunk_size": expected}


@pytest.mark.parametrize(
    ("given", "batch", "numbers", "expected"),
    [
        ([1, 2, 8], 4, {"decoder_batch": 8, "runtime_batch": 4}, [1, 2, 4]),
        ([8, 2, 1], 4, {"decoder_batch": 8, "runtime_batch": 4}, [4, 2, 1]),
        ([1, 2], 4, {"decoder_batch": 2, "runtime_batch": 4}, [1, 2, 4]),
        ([2], 4, {}, [2, 4]),
        ([8, 4], 8, {"decoder_batch": 3}, [8, 4, 3]),
        ([1, 2, 4], 4, {}, None),
    ],
)
def test_decoder_sizes_are_corrected(given: Any, batch: int, numbers: Any, expected: Any) -> None:
    found = changes("decoder_sizes", numbers, run({"batch_size": batch, "decoder_batch_sizes": given}))
    assert found == (None if expected is None else {"decoder_batch_sizes": expected})


def test_a_model_is_served_with_its_own_configuration() -> None:
    solution = solve("serve_with_vllm", {}, run(REBEL, form="optimum-python"))
    assert solution is not None
    command = solution.commands["vllm"]
    assert command.startswith("vllm serve Qwen/Qwen3-VL-2B-Instruct")
    assert "--max-model-len 262144" in command
    assert "--block-size 8192" in command
    assert "soft_tokens" not in command
    assert solve("serve_with_vllm", {}, run(REBEL, form="vllm-serve")) is None
