"""Rules between parameters: judged when known, repaired when a small move repairs."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.model import RunContext
from diagnose.remedies.constraints import adjust, decoder_sizes, violations
from diagnose.remedies.expressions import names_in, parse
from diagnose.remedies.syntax import HELPERS
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, run


def broken(changes: dict[str, Any], context: RunContext) -> set[str]:
    return {c.id for c in violations(changes, context, KNOWLEDGE)}


def adjusted(changes: dict[str, Any], context: RunContext) -> dict[str, Any] | None:
    return adjust(changes, context, KNOWLEDGE)


def test_every_rule_is_an_expression_with_both_languages_and_a_source() -> None:
    assert len(KNOWLEDGE.constraints) >= 30
    for constraint in KNOWLEDGE.constraints:
        parse(constraint.rule)
        names_in(constraint.when or "True")
        assert constraint.touches
        assert constraint.text.en
        assert constraint.text.ko
        assert constraint.source
        assert not HELPERS.keys() & set(constraint.touches)


def test_the_documented_configurations_break_no_rule() -> None:
    for config, npu in ((REBEL, "RBLN-CR13"), (ATOM, "RBLN-CA25")):
        assert broken(dict(config), run(config, npu=npu)) == set()


@pytest.mark.parametrize(
    ("changes", "config", "npu", "rule"),
    [
        ({"max_seq_len": 200000}, REBEL, "RBLN-CR13", "flash-multiple"),
        ({"max_seq_len": 8192}, REBEL, "RBLN-CR13", "flash-two-partitions"),
        ({"kvcache_partition_len": 32768}, REBEL, "RBLN-CR13", "partition-range"),
        ({"max_seq_len": 32768, "attn_impl": "eager"}, {}, "RBLN-CR13", "eager-limit"),
        ({"kvcache_block_size": 4096}, REBEL, "RBLN-CR13", "block-equals-partition"),
        ({"prefill_chunk_size": 100}, REBEL, "RBLN-CR13", "prefill-chunk"),
        ({"kvcache_num_blocks": 32}, REBEL, "RBLN-CR13", "blocks-minimum"),
        ({"kvcache_num_blocks": 257}, REBEL, "RBLN-CR13", "blocks-full"),
        ({"kvcache_num_blocks": 40}, {**REBEL, "memory_budget": 0.9}, "RBLN-CR13", "budget-or-blocks"),
        ({"memory_budget": 1.5}, REBEL, "RBLN-CR13", "budget-range"),
        ({"decoder_batch_sizes": [1, 2, 16]}, REBEL, "RBLN-CR13", "decoder-sizes"),
        ({"decoder_batch_sizes": [1, 2]}, REBEL, "RBLN-CR13", "decoder-sizes"),
        ({"device": [0, 1]}, REBEL, "RBLN-CR13", "device-count"),
        ({"visual.device": 3}, {"visual.num_devices": 8}, "RBLN-CA25", "visual-device-count"),
        ({"num_devices": 2}, REBEL, "RBLN-CR13", "rebel-one-device"),
        ({"sub_block_size": 3000}, REBEL, "RBLN-CR13", "sub-block-partition"),
        ({"sub_block_size": 256}, {**REBEL, "prefill_chunk_size": 512}, "RBLN-CR13", "sub-block-chunk"),
        ({"visual.max_seq_len": [0, 64]}, {}, "RBLN-CR13", "visual-positive"),
        ({"processor.max_pixels": 4194305}, {"visual.max_seq_len": 16384}, "RBLN-CR13", "pixels-fit-bucket"),
        ({"num_devices": 8}, {"devices_available": 4}, "RBLN-CA25", "devices-there"),
        ({"tensor_parallel_size": 8}, {"devices_available": 4}, "RBLN-CR13", "devices-there"),
        ({"num_devices": 4}, {"devices_available": 4, "tensor_parallel_size": 2}, "RBLN-CA25", "devices-there"),
        ({"sliding_window": 32700}, {"prefill_chunk_size": 128}, "RBLN-CR13", "sliding-window"),
    ],
)
def test_each_rule_finds_what_breaks_it(changes: Any, config: Any, npu: str, rule: str) -> None:
    assert rule in broken(changes, run(config, npu=npu))


@pytest.mark.parametrize(
    ("chunks", "tokens", "rule"),
    [
        ([300], [280], "gemma4-chunk-multiple"),
        ([256], [280], "gemma4-chunk-holds-image"),
        ([128, 384], [280], "gemma4-chunk-used"),
        ([384], [100], "gemma4-soft-tokens"),
    ],
)
def test_each_gemma_rule_finds_what_breaks_it(chunks: Any, tokens: Any, rule: str) -> None:
    context = run(vlm=False, model_class="RBLNGemma4ForConditionalGeneration", vision_prefix="vision_tower")
    assert rule in broken({"image_prefill_chunk_size": chunks, "visual.max_soft_tokens": tokens}, context)


def test_the_documented_gemma_buckets_break_no_rule() -> None:
    context = run(vlm=False, model_class="RBLNGemma4ForConditionalGeneration", vision_prefix="vision_tower")
    for chunks in ([384, 640, 1152], [128, 256, 384, 640, 1152]):
        after = {"image_prefill_chunk_size": chunks, "visual.max_soft_tokens": [70, 140, 280, 560, 1120]}
        assert broken(after, context) == set()


def test_windows_of_the_class_are_whole() -> None:
    context = run({}, vlm=False, model_class="RBLNQwen2_5_VLForConditionalGeneration")
    assert "visual-window" in broken({"visual.max_seq_len": 6401}, context)
    assert adjusted({"visual.max_seq_len": [3137, 6400]}, context) == {"visual.max_seq_len": [3200, 6400]}


def test_an_unknown_name_is_not_called_wrong() -> None:
    assert broken({"max_seq_len": 200000}, run(vlm=False, npu=None)) == set()
    assert broken({"kvcache_partition_len": 32768}, run(npu=None)) == set()


def test_the_positions_of_the_model_bind_a_server() -> None:
    assert broken({"max_seq_len": 270336}, run(REBEL, form="vllm-serve")) == {"positions"}
    assert broken({"max_seq_len": 270336}, run(REBEL, form="optimum-python")) == set()


def test_a_rule_nobody_touched_is_not_judged() -> None:
    assert broken({"batch_size": 4}, run({**REBEL, "max_seq_len": 200000})) == set()


def test_a_length_moves_down_to_whole_partitions() -> None:
    assert adjusted({"max_seq_len": 200000}, run(REBEL)) == {"max_seq_len": 196608}
    assert adjusted({"max_seq_len": 10000}, run(REBEL)) is None


def test_a_pool_moves_into_its_limits() -> None:
    assert adjusted({"kvcache_num_blocks": 10}, run(REBEL)) == {"kvcache_num_blocks": 33}
    assert adjusted({"kvcache_num_blocks": 400}, run(REBEL)) == {"kvcache_num_blocks": 256}
    shorter = adjusted({"max_seq_len": 32768}, run({**REBEL, "kvcache_num_blocks": 256}))
    assert shorter == {"max_seq_len": 32768, "kvcache_num_blocks": 32}


def test_what_hangs_on_a_changed_value_follows() -> None:
    context = run({**ATOM, "device": list(range(8)), "kvcache_block_size": 16384}, npu="RBLN-CA25")
    assert adjusted({"num_devices": 4}, context) == {"num_devices": 4, "device": [0, 1, 2, 3]}
    assert adjusted({"kvcache_partition_len": 8192}, context) == {
        "kvcache_partition_len": 8192,
        "kvcache_block_size": None,
    }
    decoders = run({**REBEL, "decoder_batch_sizes": [8, 4, 2, 1]})
    assert adjusted({"batch_size": 4}, decoders) == {"batch_size": 4, "decoder_batch_sizes": [4, 2, 1]}


def test_a_change_no_move_repairs_is_refused() -> None:
    assert adjusted({"num_devices": 2}, run(REBEL)) is None


def test_decoder_sizes_keep_the_order_they_were_written_in() -> None:
    assert decoder_sizes([1, 2, 4, 8], 4) == [1, 2, 4]
    assert decoder_sizes([8, 2, 1], 4) == [4, 2, 1]
    assert decoder_sizes([2], 4) == [2, 4]
