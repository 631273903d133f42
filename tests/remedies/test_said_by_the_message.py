"""The old value of a change is the one the message states, where no configuration does."""

from __future__ import annotations

import pytest

import diagnose
from diagnose.model import Value

SAID: list[tuple[str, str, Value, Value]] = [
    ("ValueError: max_seq_len (5000) must be a multiple of window_seq_len (64).", "visual.max_seq_len", 5000, 5056),
    (
        "ValueError: Input length (2750) exceeds `prefill_chunk_size` (2048). This model prefills with bidirectional",
        "prefill_chunk_size",
        2048,
        2752,
    ),
    ("ValueError: The number of devices (4) does not match `num_devices` (8).", "num_devices", 8, 4),
    ("RuntimeError: Batch size mismatch: got 3, expected 4 (compiled batch size).", "batch_size", 4, 3),
    (
        "ValueError: Parameter conflict for 'batch_size': submodule_config has 4, but the parent config requires 1.",
        "visual.batch_size",
        4,
        None,
    ),
    (
        "ValueError: memory_budget (42949672960 bytes) exceeds the target NPU's available DRAM (16877879296 bytes).",
        "memory_budget",
        42949672960,
        None,
    ),
]


@pytest.mark.parametrize(("message", "parameter", "old", "new"), SAID)
def test_a_value_the_message_states_is_not_called_unset(message: str, parameter: str, old: Value, new: Value) -> None:
    finding = diagnose.diagnose_bytes(f"{message}\n".encode()).findings[0]
    found = [(c.from_, c.to) for r in finding.remedies for c in r.changes if c.parameter == parameter]
    assert (old, new) in found
    assert all(was == old for was, _ in found)


def test_a_budget_is_shown_as_it_was_written_and_not_in_the_bytes_of_the_message() -> None:
    message = (
        "ValueError: memory_budget (21474836480 bytes) exceeds the target NPU's available DRAM (16877879296 bytes).\n"
    )
    finding = diagnose.diagnose_bytes(message.encode(), sets=["memory_budget=20GB"]).findings[0]
    assert {c.from_ for r in finding.remedies for c in r.changes} == {"20GB"}


def test_the_prefill_step_of_vllms_own_path_is_the_one_the_log_gives() -> None:
    log = (
        "(APIServer pid=9) INFO 11-30 08:01:06 [utils.py:1] non-default args: {'model': 'Qwen/Qwen3-30B-A3B', "
        "'data_parallel_size': 2, 'max_num_seqs': 48, 'max_num_batched_tokens': 512, 'model_impl': 'vllm'}\n"
        "ValueError: max_num_batched_tokens must be divisible by max_num_seqs when DP enabled.\n"
    )
    found = diagnose.diagnose_bytes(log.encode()).findings[0]
    assert [(c.parameter, c.from_, c.to) for r in found.remedies for c in r.changes] == [("batch_size", 48, 32)]
    assert not any(r.missing for r in found.remedies)
