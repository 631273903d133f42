"""Work is done once for equal arguments, and anew for any other; what is kept is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import RunContext, Setting
from diagnose.once import MAX_KEPT, Once

VALUES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, -0.0, 1.0, 2.0]), st.text())


def context(value: object, line: int = 1) -> RunContext:
    return RunContext(config={"memory_budget": Setting(value, line, "log")})


def test_the_same_is_not_worked_out_again() -> None:
    once = Once()
    first = once(("a", context(1)), lambda: object())
    assert once(("a", context(1)), lambda: object()) is first


@given(VALUES, VALUES)
def test_every_other_value_is_worked_out_anew(one: object, other: object) -> None:
    """Also ``1``, ``1.0`` and ``True``: one byte, everything, and no number at all."""
    once = Once()
    same = type(one) is type(other) and repr(one) == repr(other)
    once(context(one), lambda: "first")
    assert once(context(other), lambda: "second") == ("first" if same else "second")


def test_a_value_of_another_line_is_another() -> None:
    once = Once()
    assert once(context(1, 7), lambda: 7) == 7
    assert once(context(1, 8), lambda: 8) == 8


def test_at_the_bound_what_was_not_asked_for_the_longest_goes() -> None:
    once = Once()
    for number in range(MAX_KEPT):
        once(number, lambda: "first")
    assert once(0, lambda: "second") == "first"
    once("one more", lambda: "first")
    assert len(once) == MAX_KEPT
    assert once(0, lambda: "second") == "first"
    assert once(1, lambda: "second") == "second"
    assert len(once) == MAX_KEPT


def test_what_failed_is_tried_again() -> None:
    once = Once()
    with pytest.raises(ZeroDivisionError):
        once("a", lambda: 1 // 0)
    assert once("a", lambda: 2) == 2
    assert len(once) == 1


@given(st.text(st.characters(categories=["Cs", "L"])))
def test_any_text_of_a_log_is_an_argument(text: str) -> None:
    """A surrogate that stands alone included."""
    assert Once()(text, lambda: 1) == 1
