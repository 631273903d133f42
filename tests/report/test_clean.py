"""Nothing a log holds drives the terminal."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings

from diagnose.report.clean import clean, clean_spans, cleaned, one_line
from tests.report.samples import KV
from tests.report.strategies import diagnoses, strings


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("\x1b[1;31mERROR\x1b[0m x", "ERROR x"),
        ("\x1b]0;owned\x07x", "x"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1;2|q\x1b\\x", "x"),
        ("a\x9b2Jb", "ab"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a b"),
        ("a\tb", "a    b"),
        ("a\u202egnp", "agnp"),
        ("a\x1b", "a"),
        ("\x1b]0;no end\nnext line", "\nnext line"),
        ("가\u2028나", "가\n나"),
        ("\ud800", "\ufffd"),
    ],
)
def test_an_escape_sequence_leaves_nothing_behind(dirty: str, expected: str) -> None:
    assert clean(dirty) == expected


def test_every_printable_character_stays() -> None:
    printable = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isprintable())
    assert clean(f"\a{printable}") == clean(printable) == printable


@given(strings)
def test_any_text_is_free_of_controls_after_cleaning(text: str) -> None:
    assert not [c for c in clean(text) if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"]


@given(strings)
def test_cleaning_any_text_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(strings, strings, strings)
def test_any_span_of_plain_digits_stays_on_its_digits(before: str, after: str, more: str) -> None:
    # A sequence must not swallow the digits, so each part is ended before them.
    before, after = before + "\x1b[0m\x07 ", " " + after
    text, spans = clean_spans(before + "4711" + after + more, [(len(before), len(before) + 4)])
    assert [text[a:b] for a, b in spans] == ["4711"]


def test_a_span_moves_with_the_colour_before_it() -> None:
    text, spans = clean_spans("\x1b[31monly\x1b[0m\t12 blocks", [(14, 16)])
    assert text[slice(*spans[0])] == "12"


def test_a_span_that_vanishes_is_dropped() -> None:
    assert clean_spans("a\x1b[31mb", [(1, 6)]) == ("ab", ())


def test_one_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("a  b\n c", 4) == "a b…"


def test_a_clean_diagnosis_stays_equal() -> None:
    assert cleaned(KV) == KV


@given(diagnoses)
@settings(max_examples=25)
def test_cleaning_any_diagnosis_twice_changes_nothing(diagnosis: object) -> None:
    once = cleaned(diagnosis)  # type: ignore[arg-type]
    # repr: a NaN in a configuration is not equal to itself
    assert repr(cleaned(once)) == repr(once)


@pytest.mark.parametrize("between", ["\u200b", "\x00", "\x1b[0m", "\u2060"])
@pytest.mark.parametrize(
    ("first", "rest", "left"), [(":", ":error ", ": :error "), ("#", "#[command]", "# #[command]")]
)
def test_a_command_that_something_invisible_breaks_is_none_afterwards(
    between: str, first: str, rest: str, left: str
) -> None:
    assert clean(f"{first}{between}{rest}") == left
    assert clean_spans(f"{first}{between}{rest}", ())[0] == left
