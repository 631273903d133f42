"""A program that tries again with other settings: what the last try met is told, by what was in force then."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.model import Finding


def tried(second: int, have: int, batch: int, need: int) -> str:
    return (
        f"2026-11-30 10:0{second}:00,000 INFO [optimum.rbln] compile with rbln_config={{'batch_size': {batch}, "
        "'max_seq_len': 131072, 'kvcache_partition_len': 16384, 'num_devices': 4}\n" + failed(have, batch, need)
    )


def failed(have: int, batch: int, need: int, process: str = "") -> str:
    return (
        f"{process}Traceback (most recent call last):\n"
        f'{process}  File "/app/compile.py", line 14, in main\n'
        f"{process}    model = RBLNAutoModelForCausalLM.from_pretrained(\n"
        f"{process}ValueError: Insufficient memory for the required KV cache: only {have} blocks can be allocated, "
        f"but at least {need} blocks are required. Consider reducing `max_seq_len` or `batch_size` (currently {batch}) "
        "to lower the memory requirement.\n"
    )


def diagnosed(log: str) -> Finding:
    return diagnose_bytes(log.encode()).findings[0]


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(13, 40), min_size=1, max_size=4, unique=True))
def test_the_last_of_any_tries_is_told(batches: list[int]) -> None:
    every = [*batches, 12]
    found = diagnosed("".join(tried(n, 11, batch, batch + 1) for n, batch in enumerate(every)))
    assert found.count == len(every)
    assert found.line == max(found.lines)
    assert found.numbers["batch_size"] == 12
    change = next(c for r in found.remedies for c in r.changes if c.parameter == "batch_size")
    assert (change.from_, change.to) == (12, 10)


def test_the_report_names_the_try_that_counts() -> None:
    found = diagnosed(tried(0, 12, 32, 33) + tried(1, 11, 12, 13))
    (copy,) = next(r for r in found.remedies if r.changes).copies
    assert copy.line == found.line == found.lines[-1]
    assert copy.numbers["available_blocks"] == 11


def test_a_try_whose_settings_were_cut_away_is_told_by_its_message() -> None:
    log = tried(0, 12, 32, 33) + failed(6, 4, 9, "(EngineCore pid=5242) ")
    found = diagnosed(log)
    assert found.line == found.lines[-1]
    assert found.numbers["available_blocks"] == 6
    assert next(c.to for r in found.remedies for c in r.changes if c.parameter == "max_seq_len") == 5 * 16384


@pytest.mark.parametrize("have", [(7, 5), (5, 7)])
def test_the_same_settings_twice_are_no_second_try(have: tuple[int, int]) -> None:
    found = diagnosed(tried(0, have[0], 4, 9) + tried(1, have[1], 4, 9))
    assert found.line == found.lines[0]
    assert next(c.to for r in found.remedies for c in r.changes if c.parameter == "max_seq_len") == 4 * 16384


def test_a_server_that_spoke_before_the_other_failed_is_no_second_try() -> None:
    one, other = "(EngineCore pid=101) ", "(EngineCore pid=201) "
    said = "INFO 11-30 08:01:25 [model_base.py:242] Updating num_blocks to 9\n"
    log = f"{other}2026-11-30 08:01:35,187 INFO [rebel-compiler] -- Number of devices: 4\n{one}{said}"
    found = diagnosed(log + failed(5, 4, 9, one) + failed(6, 2, 9, other))
    assert found.line == found.lines[0]
