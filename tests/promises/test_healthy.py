"""Nothing is found in what a healthy server prints, however much its users ask about errors.

The full run of a million lines is ``python -m bench healthy``.
"""

from __future__ import annotations

import pytest

from bench.healthy import diagnosed
from diagnose.knowledge import load


@pytest.mark.parametrize("seed", [1, 2])
def test_prompts_that_quote_every_known_error_give_no_finding(seed: int) -> None:
    found = diagnosed(load(), 8_000, seed)
    assert found.outcome == "healthy"
    assert [f.entry for f in (*found.findings, *found.notes)] == []
    assert found.unknown == ()
    assert found.input.lines == 8_000
