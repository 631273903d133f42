"""What a person gives by hand along with an input."""

from __future__ import annotations

import pytest

from diagnose.context.given import given_sets
from diagnose.model import InputError
from tests.context.log_kit import parameters


@pytest.mark.parametrize("second", ["batch_size=4", "max_num_seqs=4", "--max-num-seqs=4"])
def test_two_values_of_one_parameter_are_refused_under_any_of_its_names(second: str) -> None:
    with pytest.raises(InputError) as refusal:
        given_sets(["batch_size=8", second], parameters(), {})
    for text in (refusal.value.message.en, refusal.value.message.ko):
        assert "batch_size" in text
        assert second in text


def test_the_same_value_twice_is_no_contradiction() -> None:
    assert given_sets(["batch_size=8", "max_num_seqs=8"], parameters(), {}) == {"batch_size": 8}
