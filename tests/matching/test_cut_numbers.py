"""A number at which a line was shortened is no number: half of it would be shown, and computed with."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes

WHOLE = "ValueError: `max_seq_len` (4096) is too small for 'flash_attn'. The minimum supported value is 8192"


@pytest.mark.parametrize("end", ["...", "…", "... "])
def test_half_a_number_at_the_end_of_a_shortened_line_is_not_taken(end: str) -> None:
    for cut in range(1, 4):
        found = diagnose_bytes(f"FAILED t.py::t - {WHOLE[:-cut]}{end}\n{WHOLE[:-cut]}{end}\n".encode()).findings
        assert [one.numbers for one in found] == [{"seq_len": 4096}]
        assert "{" not in found[0].cause.en + found[0].cause.ko


def test_a_number_before_the_end_of_a_sentence_is_whole() -> None:
    assert diagnose_bytes(f"{WHOLE}. More\n".encode()).findings[0].numbers == {"seq_len": 4096, "limit": 8192}
