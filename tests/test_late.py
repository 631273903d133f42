from __future__ import annotations

import re

import pytest

from diagnose.late import late


def test_a_late_pattern_is_the_pattern() -> None:
    word = late(r"(?P<a>\w)\d", re.ASCII)
    assert [found["a"] for found in word.finditer("a1 b2")] == ["a", "b"]
    assert word.pattern == r"(?P<a>\w)\d" and word.flags & re.ASCII
    assert late(rb"x+").sub(b"-", b"axxb") == b"a-b"


def test_a_mistake_shows_at_the_first_use() -> None:
    broken = late("(")
    with pytest.raises(re.error):
        broken.search("x")
