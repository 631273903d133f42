"""A remedy is carried out as a person would write it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import Change, Remedy, Text
from oracle.apply import CannotApply, applied, flat, put, with_value
from tests.oracle.kit import case

NAMES = st.sampled_from(["max_seq_len", "device", "visual.device", "visual.max_seq_len", "language_model.batch_size"])
VALUES = st.one_of(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3), st.booleans(), st.text(max_size=3))


def remedy(*changes: Change) -> Remedy:
    return Remedy("r", "exact", Text("", ""), changes)


def test_dotted_names_go_into_submodules_and_none_removes() -> None:
    config = {"visual": {"device": 0}, "batch_size": 4}
    changed = applied(case(config), remedy(Change("visual.device", 0, 1), Change("batch_size", 4, None)))
    assert changed.config == {"visual": {"device": 1}}
    assert config == {"visual": {"device": 0}, "batch_size": 4}


def test_the_last_key_takes_its_submodule_along() -> None:
    target: dict[str, Any] = {"visual": {"device": 0}}
    put(target, ("visual", "device"), None)
    assert target == {}


def test_processor_settings_belong_to_the_request() -> None:
    changed = applied(case({}), remedy(Change("processor.max_pixels", None, 100, "processor")))
    assert (changed.config, changed.request) == ({}, {"processor.max_pixels": 100})


@pytest.mark.parametrize(
    "change",
    [
        Change("port", 8000, 8001, "vllm"),
        Change("RBLN_DEVICES", None, "0", "environment"),
        Change("processor.size.longest_edge", None, 1, "processor"),
    ],
)
def test_a_change_of_another_tool_is_not_pretended(change: Change) -> None:
    with pytest.raises(CannotApply):
        applied(case({}), remedy(change))


def test_a_served_family_takes_vllm_parameters() -> None:
    changed = applied(case({}, family="vllm-x"), remedy(Change("tensor_parallel_size", 1, 2, "vllm")))
    assert changed.config == {"tensor_parallel_size": 2}


@given(st.dictionaries(NAMES, VALUES, max_size=5), NAMES, VALUES)
def test_any_value_that_is_set_is_read_back_and_nothing_else_moves(
    config: dict[str, Any], name: str, value: Any
) -> None:
    nested: dict[str, Any] = {}
    for key, one in config.items():
        put(nested, tuple(key.split(".")), one)
    changed = with_value(case(nested), name, value)
    assert flat(changed.config) == {**config, name: value}
