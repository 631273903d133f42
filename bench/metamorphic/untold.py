"""Texts that lost what would tell them from another log: a list that may only shrink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_CAPITAL = "two lines, the second of which begins with a capital letter: without a full stop a sentence ends so too"
UNTOLD: Final[Mapping[tuple[str, str], str]] = {
    ("word_wrap_80", "config.speculative-method[1]"): _CAPITAL,
    ("word_wrap_80", "foreign.aws-neuron[0]"): _CAPITAL,
    ("word_wrap", "foreign.aws-neuron[0]"): _CAPITAL,
}
"""(Transformation, log) → what else the text can be. The same bytes are a log nobody touched, and are read so."""
