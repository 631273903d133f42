"""Numbers of a printed configuration are read whole or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.literals import read_dict, read_pairs, reads_whole
from tests.context.log_kit import raw, record, said


@given(st.integers(1000, 10**9), st.sampled_from(["dict", "pairs"]))
def test_separators_are_part_of_any_number(number: int, form: str) -> None:
    if form == "dict":
        assert read_dict(f'{{"max_seq_len": {number:,}, "batch_size": 2}}') == {"max_seq_len": number, "batch_size": 2}
    else:
        assert read_pairs(f"max_seq_len={number:,}, batch_size=2") == {"max_seq_len": number, "batch_size": 2}


@given(st.integers(10, 10**9), st.data())
def test_a_number_broken_anywhere_is_whole_again(number: int, data: st.DataObject) -> None:
    digits = str(number)
    at = data.draw(st.integers(1, len(digits) - 1))
    text = f'{{"a": {digits[:at]}\n{digits[at:]}, "visual": {{"b": {digits[:at]}\n{digits[at:]}}}, "c": False}}'
    assert read_dict(text) == {"a": number, "visual": {"b": number}, "c": False}


@pytest.mark.parametrize(
    "text",
    [
        '{"max_seq_len": 2,62,144, "batch_size": 8}',
        '{"max_seq_len": 40,96, "batch_size": 8}',
        '{"max_seq_len": 2621\n  "batch_size": 8}',
        '{\n  "max_seq_len": 2621\n  "batch_size": 8\n}',
    ],
)
def test_a_number_that_cannot_be_told_is_left_out_and_said(text: str) -> None:
    assert read_dict(text) == {"batch_size": 8}
    assert not reads_whole(text)
    assert reads_whole('{"max_seq_len": 262,144, "batch_size": 8}')


def test_what_is_left_out_is_left_out_below_as_well() -> None:
    text = '{"visual": {"max_seq_len": 1,63,84, "num_devices": 8}, "batch_size": 8}'
    assert read_dict(text) == {"visual": {"num_devices": 8}, "batch_size": 8}
    assert not reads_whole(text)


@pytest.mark.parametrize("number", ["40.960", "40'960", "40\u00a0960", "4,0960", "4,09,60"])
@pytest.mark.parametrize("form", ["script", "plugin"])
def test_a_printed_number_in_another_form_is_no_value_and_the_rest_is_not_all(number: str, form: str) -> None:
    body = f'{{"max_seq_len": {number}, "batch_size": 8, "kvcache_partition_len": 16384}}'
    found: dict[str, Any]
    if form == "script":
        found = said(raw(f"rbln_config = {body}"))
    else:
        found = said(record(f"Compiling a/b via optimum-rbln (RBLNLlamaForCausalLM) with rbln_config:\n{body}"))
    assert (found["batch_size"], found["kvcache_partition_len"]) == (8, 16384)
    assert "max_seq_len" not in found
    assert "whole" not in found
