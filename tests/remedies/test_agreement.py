"""A message about the pool against itself and against the configuration."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.remedies import prescribe
from diagnose.remedies.agreement import Disagreement, agree
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, entry, env, run, spec


@pytest.mark.parametrize(
    ("numbers", "config"),
    [
        ({"available_blocks": 12, "required_blocks": 17, "batch_size": 8}, ATOM),
        ({"available_blocks": 12, "required_blocks": 17}, {"max_seq_len": 262144, "kvcache_partition_len": 16384}),
        ({"available_blocks": 0, "required_blocks": 17, "batch_size": 8}, {}),
        ({"blocks_set": -5, "blocks_min": 33}, REBEL),
        ({"blocks_set": 400, "blocks_full": 256}, REBEL),
        ({"blocks_min": 5}, {**REBEL, "max_seq_len": 32768, "batch_size": 16}),  # the formula without the batch
        ({"blocks_min": 17}, {**REBEL, "max_seq_len": 32768, "batch_size": 16}),
    ],
)
def test_numbers_that_can_be_right_pass(numbers: Any, config: Any) -> None:
    agree(env(numbers, run(config, npu="RBLN-CA25")))


@pytest.mark.parametrize(
    ("numbers", "config", "names"),
    [
        ({"available_blocks": 17, "required_blocks": 17}, {}, {"max_seq_len", "kvcache_partition_len"}),
        ({"available_blocks": 12, "required_blocks": 17, "batch_size": 0}, {}, {"batch_size"}),
        ({"blocks_set": 40, "blocks_min": 33}, {}, {"max_seq_len", "kvcache_partition_len"}),
        ({"blocks_set": 200, "blocks_full": 256}, {}, {"max_seq_len", "kvcache_partition_len"}),
        ({"blocks_set": 10**12, "blocks_full": 256}, {}, {"max_seq_len", "kvcache_partition_len"}),
        ({"blocks_min": 33}, {**REBEL, "max_seq_len": 32768}, {"max_seq_len", "kvcache_partition_len", "batch_size"}),
        ({"blocks_set": 400, "blocks_full": 256}, ATOM, {"max_seq_len", "kvcache_partition_len", "batch_size"}),
        (
            {"available_blocks": 5, "required_blocks": 9},
            {"max_seq_len": 262144, "kvcache_partition_len": 16384},
            {"max_seq_len", "kvcache_partition_len"},
        ),
    ],
)
def test_numbers_that_contradict_something_name_what_to_look_at(numbers: Any, config: Any, names: set[str]) -> None:
    with pytest.raises(Disagreement) as caught:
        agree(env(numbers, run(config, npu="RBLN-CA25")))
    assert set(caught.value.names) == names
    assert "nothing is computed" in caught.value.note.en
    assert "계산" in caught.value.note.ko


def test_a_default_batch_size_does_not_tell_the_block() -> None:
    context = run({"max_seq_len": 262144}, npu="RBLN-CA25", vlm=False)
    assert env({"available_blocks": 12, "required_blocks": 16}, context).get("block") is None


def offered(numbers: Any, config: Any) -> list[tuple[Any, Any]]:
    made = entry(spec("down", solver="seq_to_multiple"), spec("partition", set={"kvcache_partition_len": "16384"}))
    found = prescribe(made, numbers, run(config, npu="RBLN-CA25", vlm=False), KNOWLEDGE)
    return [(c.from_, c.to) for r in found for c in r.changes]


def test_where_message_and_configuration_differ_the_change_is_from_what_the_message_says() -> None:
    numbers = {"seq_len": 40000, "partition_len": 16384}
    assert (40000, 32768) in offered(numbers, {"max_seq_len": 50000})
    assert (16384, 8000) in offered(numbers, {"max_seq_len": 32768, "kvcache_partition_len": 512})
    assert offered(numbers, {"max_seq_len": 32768, "kvcache_partition_len": 16384}) == [(16384, 8000)]
