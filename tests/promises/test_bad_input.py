"""Bad values given by hand are refused before anything is computed for them."""

from __future__ import annotations

import pytest

from diagnose import InputError, diagnose_bytes

LOG = b"ValueError: boom\n"


@pytest.mark.parametrize("more", [{"npu": "H100"}, {"sets": ["npu=foo"]}, {"sets": ["batch_size"]}])
def test_a_bad_value_is_one_line_in_both_languages(more: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        diagnose_bytes(LOG, **more)  # type: ignore[arg-type]
    for text in (caught.value.message.en, caught.value.message.ko):
        assert text
        assert "\n" not in text
