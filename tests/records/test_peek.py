"""Looking at what is open: it is what a flush would give, and nothing is closed by it."""

from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.model import Line
from diagnose.records.assembler import Assembler

TEXTS = (
    "(EngineCore pid=11) INFO 11-29 11:58:00 [core.py:1] going on",
    "(EngineCore pid=11) ERROR 11-29 11:58:01 [core.py:2] Traceback (most recent call last):",
    '(EngineCore pid=11) ERROR 11-29 11:58:01 [core.py:2]   File "/srv/app/x.py", line 3, in step',
    "(EngineCore pid=11) ERROR 11-29 11:58:01 [core.py:2] ValueError: no room",
    "Traceback (most recent call last):",
    '  File "/srv/app/x.py", line 3, in <module>',
    "    main()",
    "RuntimeError: could not start:",
    "  [1, 2,",
    "",
    "(Worker pid=12) plain words",
    "2026-11-29T11:58:00.000000001Z stdout P half of a line, ",
    "2026-11-29T11:58:00.000000002Z stdout F and its rest",
)


@given(
    st.lists(st.tuples(st.sampled_from(TEXTS), st.integers(1, 2)), max_size=30),
    st.lists(st.sampled_from(TEXTS), max_size=2),
)
@settings(max_examples=150)
def test_a_look_at_any_moment_is_what_the_end_would_give_and_changes_nothing(
    written: list[tuple[str, int]], more: list[str]
) -> None:
    looked, plain = Assembler(), Assembler()
    number = 0
    for text, step in written:
        number += step  # a gap: lines were left out there
        line = Line(number, number * 100, text)
        assert looked.feed(line) == plain.feed(line)
        half = [Line(number + 1 + i, (number + 1 + i) * 100, text) for i, text in enumerate(more)]
        end = copy.deepcopy(plain)
        assert looked.peek() == copy.deepcopy(plain).flush()
        assert looked.peek(half) == [r for one in half for r in end.feed(one)] + end.flush()
    assert looked.flush() == plain.flush()
