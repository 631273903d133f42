"""The numbers that were read are underlined, whatever the width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from diagnose.report.excerpt import MAX_ROWS, Row, cells, rows, window

hangul = st.text(st.one_of(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), st.sampled_from("ab 1.")))


def underlined(found: tuple[Row, ...]) -> str:
    """Characters above carets, a space where a run ends."""
    out = ""
    for row in found:
        column = 0
        for character in row.text:
            mark = row.carets[column : column + 1]
            out += character if mark == "^" else " "
            column += cells(character)
        out += " "
    return " ".join(out.split())


def test_a_short_message_is_one_row() -> None:
    assert rows("only 12 blocks", [(5, 7)], 40) == (Row("only 12 blocks", "     ^^"),)


def test_carets_stand_under_the_number_after_hangul() -> None:
    (row,) = rows("블록 12개", [(3, 5)], 40)
    assert row.carets == "     ^^"


def test_a_hangul_value_is_underlined_over_two_columns_a_character() -> None:
    (row,) = rows("값 없음", [(2, 4)], 40)
    assert row.carets == "   ^^^^"


def test_a_message_is_broken_at_spaces() -> None:
    assert [r.text for r in rows("one two three four", (), 10)] == ["one two", "three four"]


def test_a_number_cut_by_the_width_is_underlined_in_both_rows() -> None:
    assert [r.carets for r in rows("x" * 8 + "1234", [(8, 12)], 10)] == ["        ^^", "^^"]


def test_the_lines_of_a_message_stay_apart_and_blank_ones_go() -> None:
    assert [r.text for r in rows("a\n\nb", (), 10)] == ["a", "b"]


def test_a_long_line_is_cut_to_windows_around_its_numbers() -> None:
    text = "head " + "x " * 5000 + "only 12 blocks" + " y" * 5000
    start = text.index("12")
    found = rows(text, [(start, start + 2)], 60)
    assert len(found) <= MAX_ROWS
    assert underlined(found) == "12"
    assert "only 12 blocks" in " ".join(r.text for r in found)
    assert found[0].text.startswith("head")
    assert found[-1].text.endswith("…")


def test_a_window_says_where_it_left_something_out() -> None:
    text, spans = window("a" * 50 + "77" + "b" * 50, [(50, 52)], head=5, around=3)
    assert text == "aaaaa … aaa77bbb …"
    assert [text[a:b] for a, b in spans] == ["77"]


@pytest.mark.parametrize("width", [10, 33, 57, 100])
@given(text=hangul)
def test_every_row_fits_its_width(width: int, text: str) -> None:
    assert all(cells(row.text) <= width and len(row.carets) <= width for row in rows(text, (), width))


@given(hangul)
def test_cells_agree_with_rich_for_every_syllable(text: str) -> None:
    assert cells(text) == cell_len(text)


@given(hangul, hangul, st.integers(12, 90))
def test_every_number_is_underlined_at_every_width(before: str, after: str, width: int) -> None:
    before = before[:30]
    text = f"{before} 4711 {after[:30]}"
    start = len(before) + 1
    found = rows(text, [(start, start + 4)], width)
    assert underlined(found).replace(" ", "") == "4711"


def test_decomposed_hangul_takes_two_columns_a_syllable() -> None:
    assert cells("\u1112\u1161\u11ab") == 2
