"""A page without colour is the one with colour, without its sequences."""

from __future__ import annotations

import io
import re
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diagnose.report.page import MAX_PROSE, MIN_WIDTH, Page

_SEQUENCE = re.compile(r"\x1b\[[\d;]*m")
_WORDS = st.sampled_from(["the", "컴파일이", "device", "\t", "a" * 60, "max_seq_len", " ", "\n", "→", "🙂", "[b]"])
_TEXTS = st.lists(_WORDS, max_size=30).map(" ".join)


def written(text: str, width: int, *, color: bool) -> str:
    out = io.StringIO()
    page = Page(out, width=width, color=color)
    page.first("a title", "bad")
    page.write(text, "heading", indent=2)
    page.parts([("cause  ", "dim"), (text, "")], indent=2, hang=7)
    page.verbatim(text.replace("\n", " "), "mark", indent=4, lead="+ ")
    return out.getvalue()


@given(_TEXTS, st.integers(MIN_WIDTH, MAX_PROSE + 30))
@example("a\tb 컴파일\tc", 80)
def test_any_page_has_the_same_words_at_the_same_places_with_and_without_colour(text: str, width: int) -> None:
    plain, coloured = (written(text, width, color=color) for color in (False, True))
    assert "\x1b" not in plain
    assert _SEQUENCE.sub("", coloured) == plain


def test_a_page_without_colour_needs_no_console(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert "words that are longer" in written("words that are longer than the page " * 5, 60, color=False)
