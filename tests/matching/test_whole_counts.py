"""Byte counts of a failed allocation are captured whole or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diagnose

HEAD = "❌ Error during model compilation: DRAM OOM: "


def numbers(message: str) -> dict[str, object]:
    (found,) = diagnose.diagnose_bytes(f"$ optimum-rbln-cli --model-id a/b\n{HEAD}{message}\n".encode()).findings
    assert found.entry == "memory.dram-oom"
    return dict(found.numbers)


@settings(max_examples=25, deadline=None)
@given(st.integers(10**7, 10**11), st.sampled_from([".", "'", "’", " ", "\u00a0", "\u202f"]))
def test_a_count_with_any_other_separator_is_not_read_by_half(count: int, sign: str) -> None:
    printed = f"{count:,}".replace(",", sign)
    found = numbers(f"requested {printed} bytes, capacity 17,179,869,184 bytes per device")
    assert found.get("requested_bytes", count) == count


@pytest.mark.parametrize(
    "message",
    [
        "requested [REDACTED] bytes, capacity 17,179,869,184 bytes per device",
        "requested 17,639,009,280 bytes, capacity 17,179,86",
        "requested 17,639,009,280 bytes, capacity 17,179",
        "requested 17,639,0\n09,280 bytes, capacity 17,179,869,184 bytes per device",
    ],
    ids=["hidden", "cut in a group", "cut at a comma", "broken"],
)
def test_a_count_that_is_not_there_is_not_taken_from_elsewhere(message: str) -> None:
    found = numbers(message)
    assert found.get("requested_bytes", 17639009280) == 17639009280
    assert found.get("capacity_bytes", 17179869184) == 17179869184
    assert found.get("requested_bytes") != found.get("capacity_bytes") or not found


def test_whole_counts_are_read() -> None:
    found = numbers("requested 17,639,009,280 bytes, capacity 17,179,869,184 bytes per device")
    assert found == {"requested_bytes": 17639009280, "capacity_bytes": 17179869184}
