from __future__ import annotations

import pytest

from diagnose.context import parse_npu
from diagnose.model import InputError

HARDWARE = {"products": {"RBLN-CA25": {}, "RBLN-CR13": {}}}


@pytest.mark.parametrize("text", ["RBLN-CA25", "rbln-ca25", "CA25", " ca25 "])
def test_a_name_is_taken_in_any_case_with_or_without_its_prefix(text: str) -> None:
    assert parse_npu(text, HARDWARE) == "RBLN-CA25"


@pytest.mark.parametrize("text", ["RBLN-XX", "", "H100", "RBLN-CA", "RBLN-CB12"])
def test_any_other_name_is_refused_with_the_known_ones(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_npu(text, HARDWARE)
    assert "RBLN-CR13" in caught.value.message.en
    assert "RBLN-CR13" in caught.value.message.ko
