"""Where a model is put and what is fixed in its artifact: devices, runtimes, overrides, decoders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from diagnose.model import Setting
from diagnose.remedies import prescribe
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, changes, entry, run, solve, spec
from tests.remedies.test_solvers_other import gemma

LLAMA: dict[str, Any] = {
    "max_seq_len": 131072,
    "kvcache_partition_len": 16384,
    "batch_size": 4,
    "num_devices": 4,
    "kvcache_num_blocks": 24,
}
LLAMA_RUN: dict[str, Any] = {"npu": "RBLN-CA25", "vlm": False, "model": "Llama-3.1-8B-Instruct"}

# --------------------------------------------------------------------------- artifacts


def test_the_pool_of_an_artifact_is_not_unset_at_load() -> None:
    loaded = run({**ATOM, "kvcache_num_blocks": 69}, npu="RBLN-CA25", phases=["load"])
    assert solve("kv_automatic_pool", {}, loaded) is None


def test_a_shorter_context_for_an_artifact_does_not_pin_its_pool() -> None:
    loaded = run({**ATOM, "kvcache_num_blocks": 69}, npu="RBLN-CA25", phases=["load"])
    remedies = prescribe(entry(spec("shorter", solver="context_for_one_device")), {}, loaded, KNOWLEDGE)
    assert [(c.parameter, c.to) for c in remedies[0].changes] == [("max_seq_len", 32768)]
    assert "kvcache_num_blocks" not in remedies[0].commands["python"]


def test_the_pool_of_a_decoder_only_artifact_is_made_smaller_without_a_compile() -> None:
    solution = solve("smaller_pool_in_artifact", {}, run(LLAMA, phases=["load"], **LLAMA_RUN))
    assert solution is not None
    command = "optimum-rbln-cli --model-id Llama-3.1-8B-Instruct --set-memory-budget 0.8"
    assert solution.commands == {"shell": command}
    assert solution.note is not None
    assert "9 are the minimum" in solution.note.en


@pytest.mark.parametrize(
    ("config", "more"),
    [
        (LLAMA, {**LLAMA_RUN, "phases": ["compile"]}),
        (LLAMA, {**LLAMA_RUN, "phases": ["load"], "versions": {"optimum_rbln": "0.11.1"}}),
        ({**ATOM, "kvcache_num_blocks": 69}, {"npu": "RBLN-CA25", "phases": ["load"]}),
        ({**LLAMA, "kvcache_num_blocks": 9}, {**LLAMA_RUN, "phases": ["load"]}),
    ],
)
def test_other_artifacts_cannot_be_made_smaller(config: Any, more: Any) -> None:
    assert solve("smaller_pool_in_artifact", {}, run(config, **more)) is None


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("['num_devices']", {"num_devices": None}),
        ("['batch_size', 'max_seq_len']", {"batch_size": None, "max_seq_len": None}),
    ],
)
def test_the_refused_keys_are_removed(keys: str, expected: Any) -> None:
    context = run({**ATOM, "device": list(range(8))}, npu="RBLN-CA25", phases=["load"])
    assert changes("device_overrides_only", {"keys": keys}, context) == expected


# --------------------------------------------------------------------------- runtimes


@pytest.mark.parametrize("more", [{"form": "vllm-serve"}, {"form": "python-llm"}, {"path": "optimum"}])
def test_a_server_is_not_left_without_runtimes(more: Any) -> None:
    assert solve("compile_without_runtimes", {}, run(REBEL, phases=["compile"], **more)) is None


def test_runtimes_are_switched_off_at_the_top_of_a_nested_class_too() -> None:
    context = gemma({"language_model.max_seq_len": 131072})
    (remedy,) = prescribe(entry(spec(solver="compile_without_runtimes")), {}, context, KNOWLEDGE)
    expected = ["create_runtimes", "language_model.create_runtimes", "vision_tower.create_runtimes"]
    assert [c.parameter for c in remedy.changes] == expected
    text = remedy.commands["python"]
    assert text.count('"create_runtimes": False') == 3
    assert '\n+     "create_runtimes": False' in text


def test_another_process_comes_first_where_there_is_no_vision_submodule() -> None:
    plain, vision = solve("free_devices", {}, run(REBEL, vlm=False)), solve("free_devices", {}, run(REBEL))
    assert plain is not None
    assert vision is not None
    assert (plain.applicability, plain.first) == ("advice", True)
    assert (vision.applicability, vision.first) == ("advice", False)


# --------------------------------------------------------------------------- devices


def test_ids_that_the_log_shows_are_taken_before_ids_nobody_has_seen() -> None:
    both = list(range(8, 16))
    solution = solve("disjoint_devices", {}, run({**ATOM, "device": both, "visual.device": both}, npu="RBLN-CA25"))
    assert solution is not None
    assert solution.changes["visual.device"] == list(range(8))
    assert solution.applicability == "exact"


def test_ids_nobody_has_seen_are_an_estimate_that_names_the_number_of_npus() -> None:
    context = run({**ATOM, "device": list(range(4, 12))}, npu="RBLN-CA25")
    solution = solve("disjoint_devices", {}, context)
    assert solution is not None
    assert solution.applicability == "estimate"
    assert solution.bound is not None
    assert "20 NPUs" in solution.bound.en
    seen = solve("disjoint_devices", {}, run({**ATOM, "devices_available": 16}, npu="RBLN-CA25"))
    assert seen is not None
    assert seen.applicability == "exact"


def test_the_list_of_a_vision_submodule_without_a_count_of_its_own() -> None:
    config = {**ATOM, "device": list(range(8)), "visual.device": [8, 9, 10, 11]}
    numbers = {"devices_given": 4, "num_devices": 8}
    context = run(config, npu="RBLN-CA25")
    assert changes("device_list_for_num_devices", numbers, context) == {"visual.device": list(range(8, 16))}
    assert changes("device_list_for_num_devices", numbers, context, change="num_devices") == {"visual.num_devices": 4}
    inferred = Setting(4, 3, "rbln_config, device list (inferred)")
    context = type(context)(npu="RBLN-CA25", config={**context.config, "visual.num_devices": inferred})
    assert changes("device_list_for_num_devices", numbers, context, change="num_devices") == {"visual.num_devices": 4}
    rebel = run({**REBEL, "device": 0, "visual.device": [1, 2]})
    assert changes("device_list_for_num_devices", {"devices_given": 2, "num_devices": 1}, rebel) == {"visual.device": 1}


def test_the_count_of_an_artifact_is_fixed() -> None:
    context = run({**ATOM, "device": [0, 1, 2, 3]}, npu="RBLN-CA25", phases=["load"])
    numbers = {"devices_given": 4, "num_devices": 8}
    assert solve("device_list_for_num_devices", numbers, context, change="num_devices") is None


# --------------------------------------------------------------------------- decoders, Gemma 4


def test_a_batch_without_a_decoder_is_padded_split_or_compiled() -> None:
    three, seven = {"batch_given": 3, "compiled_batches": [4, 2, 1]}, {"batch_given": 7, "compiled_batches": [4]}
    padded, split = solve("padded_batch", three), solve("split_batch", seven)
    assert padded is not None
    assert split is not None
    assert padded.arithmetic == "min([4]) = 4; 4 - 3 = 1"
    assert split.arithmetic == "ceil(7 / 4) = 2"
    assert solve("padded_batch", seven) is None
    assert solve("split_batch", three) is None
    written = run({"batch_size": 4, "decoder_batch_sizes": [1, 2, 4]})
    assert changes("decoder_size_added", three, written) == {"decoder_batch_sizes": [1, 2, 3, 4]}
    assert changes("decoder_size_added", seven, run({"batch_size": 4})) == {
        "batch_size": 7,
        "decoder_batch_sizes": [4, 7],
    }


def test_the_vision_tower_is_compiled_for_a_further_token_count() -> None:
    numbers = {"soft_tokens": 560, "compiled_soft_tokens": [280]}
    assert changes("gemma4_soft_tokens_added", numbers, gemma({"vision_tower.max_soft_tokens": [280]})) == {
        "visual.max_soft_tokens": [280, 560]
    }
    chunked = gemma({"vision_tower.max_soft_tokens": [280], "language_model.image_prefill_chunk_size": [384]})
    assert changes("gemma4_soft_tokens_added", numbers, chunked) == {
        "visual.max_soft_tokens": [280, 560],
        "image_prefill_chunk_size": [384, 640],
    }
    assert solve("gemma4_soft_tokens_added", {**numbers, "soft_tokens": 300}, gemma({})) is None


def test_the_same_change_written_as_a_list_is_offered_once() -> None:
    context = gemma({"language_model.image_prefill_chunk_size": 256, "vision_tower.max_soft_tokens": [280]})
    both = entry(spec("least", solver="gemma4_smallest_change"), spec("derive", solver="gemma4_derive_chunks"))
    assert [r.id for r in prescribe(both, {}, context, KNOWLEDGE)] == ["least"]


# --------------------------------------------------------------------------- devices in place of ranks


@pytest.mark.parametrize(
    ("ranks", "model", "npu", "count", "sure"),
    [
        (8, None, "RBLN-CA25", 8, "exact"),
        (8, None, None, 8, "estimate"),
        (3, "Qwen/Qwen3-8B", "RBLN-CA25", 2, "estimate"),
        (64, None, "RBLN-CA25", 32, "estimate"),
    ],
)
def test_ranks_become_a_number_of_devices_that_can_be(
    ranks: int, model: str | None, npu: str | None, count: int, sure: str
) -> None:
    context = replace(run({"tensor_parallel_size": ranks}, npu=npu, vlm=False), model=model)
    solution = solve("devices_for_ranks", {}, context)
    assert solution is not None
    assert (solution.changes["num_devices"], solution.applicability) == (count, sure)
    assert (solution.bound is None) is (sure == "exact")
