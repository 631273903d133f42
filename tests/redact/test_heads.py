"""What stands before every line is told from the line itself, however many such heads there are."""

from __future__ import annotations

import pytest

from diagnose.redact.heads import MAX_HEADS, heads

LINES = ["first of the lines", "other words of it", "and the last one"]


@pytest.mark.parametrize("depth", range(MAX_HEADS + 1))
def test_so_many_heads_are_told_and_the_words_behind_them_stay(depth: int) -> None:
    made = [" ".join(["2026-11-29T08:00:01Z"] * depth + [line]) for line in LINES]
    assert [text[end:] for text, end in zip(made, heads(made), strict=True)] == LINES


def test_one_head_more_is_a_part_of_the_lines() -> None:
    made = [" ".join(["2026-11-29T08:00:01Z"] * (MAX_HEADS + 1) + [line]) for line in LINES]
    assert all(text[end:].startswith("2026") for text, end in zip(made, heads(made), strict=True))


def test_numbers_that_do_not_count_and_a_letter_that_two_lines_begin_with_are_no_head() -> None:
    assert heads(["12 blocks of it", "12 blocks are free", "17 blocks asked for"]) == [0, 0, 0]
    assert heads(["hf_token", "home"]) == [0, 0]


def test_words_above_a_quotation_have_no_head() -> None:
    assert heads(["this is what I see:", *["> a line of it"] * 5, *["> another of them"] * 5]) == [0, *[2] * 10]


def test_a_container_runtime_names_no_program_behind_its_flag() -> None:
    head = "2026-11-29T08:00:09.123456789Z stdout F "
    assert heads([head + rest for rest in ("a row", "o npuprod:8000 of it", "next: one")]) == [len(head)] * 3
