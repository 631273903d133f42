"""Values a person wrote in a form the library does not read, and values with a form of their own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import Change
from diagnose.remedies.expressions import ExpressionError, evaluate
from diagnose.remedies.forms import commands
from tests.remedies.kit import KNOWLEDGE, changes, env, run


@pytest.mark.parametrize(
    ("written", "meant"),
    [("rbln0", 0), ("rbln:3", 3), ("/dev/rbln12", 12), ("'2'", 2), ("0,1", [0, 1]), ("[4, 5]", [4, 5]), ("(6)", 6)],
)
def test_a_device_written_as_text_is_its_number(written: str, meant: Any) -> None:
    assert changes("device_as_number", {"device_text": written}) == {"device": meant}


@pytest.mark.parametrize("written", ["cpu", "cuda:0", "", "rbln", "1.5", "0-7", "all", "99999"])
def test_another_text_is_not_taken_for_a_device(written: str) -> None:
    assert changes("device_as_number", {"device_text": written}) is None


@given(st.integers(1, 10_000))
def test_any_number_of_speculative_tokens_is_lowered_to_a_power_of_two_less_one(asked: int) -> None:
    found = changes("speculative_power", {"draft_tokens": asked})
    if found is None:
        assert asked + 1 & asked == 0
        return
    value = found["num_speculative_tokens"]
    assert value + 1 & value == 0
    assert value < asked < 2 * value + 1


@given(st.integers(1, 1 << 40))
def test_any_number_has_its_power_of_two_below(n: int) -> None:
    found = evaluate("floor_pow2(n)", env({"n": n}))
    assert isinstance(found, int)
    assert found <= n < 2 * found


def test_no_power_of_two_is_below_one() -> None:
    with pytest.raises(ExpressionError):
        evaluate("floor_pow2(0)", env())


def test_an_encoder_gets_a_bucket_up_to_the_positions_it_has() -> None:
    buckets = run({"max_seq_len": [128, 512]}, vlm=False)
    assert changes("bucket_for_input", {"input_len": 700}, buckets) == {"max_seq_len": [128, 512, 700]}
    short = run({"max_seq_len": 512}, vlm=False, architecture={"max_position_embeddings": 512})
    assert changes("bucket_for_input", {"input_len": 700}, short) is None


def test_the_form_of_an_error_is_used_where_the_run_does_not_show_one() -> None:
    change = (Change("max_seq_len", None, 2048),)
    assert next(iter(commands(change, run({}, vlm=False), KNOWLEDGE.parameters, own="vllm"))) == "vllm"
    script = run({}, vlm=False, form="optimum-python")
    assert next(iter(commands(change, script, KNOWLEDGE.parameters, own="vllm"))) == "python"
