"""Where a row was broken is told by the words on both sides, and only where they tell it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.repair.joints import LONGEST_WORD, is_between_words, is_broken_off

WORDS = frozenset({"no", "such", "file", "key", "was", "rejected", "by", "service", "input", "context", "blocks", "a"})


def between(text: str, following: str) -> bool:
    return is_between_words(text, following, lambda: WORDS)


@pytest.mark.parametrize(
    ("text", "following"),
    [
        ("[Errno 2] No such", "file"),
        ("Key was rejected", "by service"),
        ("its context", "K/V write"),
        ("only 12", "blocks can be allocated"),
        ("values ({0: 150323855360, 1:", "37580963840});"),
        ("(found via rebel package):", "libstdc++.so.6"),
        ("on kernel: 6.8.0-40-generic", "(x86_64)"),
        ("needs size=720 % 64", "== 0"),
        ("this KV producer is", "recycled."),
        ("{'model': 'm',", "'max_num_seqs': 8}"),
        ("message=rejected", "by service"),
        ("line 1 column 1", "(char 0)"),
        ("Error('rejected", "by service')"),
    ],
)
def test_a_blank_was_lost_between_two_words(text: str, following: str) -> None:
    assert between(text, following)


@pytest.mark.parametrize(
    ("text", "following"),
    [
        ("Invalid model inpu", "t names"),
        ("used=9000000", "000 kv_resident=0"),
        ("reduce the max", "_model_len"),
        ("/opt/venv/lib", "/python3.11"),
        ("class: RBLNFooForC", "ausalLM"),
        ("header: MetadataIncomplete", "Buffer"),
        ("ERROR 11-29 08:", "07:35 [core.py:1]"),
        ("[core.py:", "1366] text"),
        ("in", "put"),
        ("such ", "file"),
        ("such", " file"),
        ("", "file"),
        ("such", ""),
    ],
)
def test_a_word_was_cut_or_no_blank_is_missing(text: str, following: str) -> None:
    assert not between(text, following)


def test_letters_longer_than_any_word_are_two() -> None:
    left, right = "q" * 9, "q" * (LONGEST_WORD - 9)
    assert not between(left, right)
    assert between(left, f"{right}q")


@pytest.mark.parametrize(
    ("text", "following"),
    [
        ("Error while deserializing header:", "HeaderTooLarge"),
        ("ValueError: a message that is long enough to be wrapped", "and goes on"),
        ("see the", "Manual"),
    ],
)
def test_an_unfinished_sentence_goes_on(text: str, following: str) -> None:
    assert is_broken_off(text, following)


@pytest.mark.parametrize(
    ("text", "following"),
    [
        ("ValueError: max batch size: 32, and the last manual bucket: 16", "further lines"),
        ("FileNotFoundError: Could not find any rbln model file in /models/llama", "going on"),
        ("ValueError: a message that is long enough to be wrapped", "Another sentence"),
        ("ValueError: a message that is long enough to be wrapped", "pydantic_core.ValidationError: 1 error"),
        ("short", "and small"),
    ],
)
def test_a_value_at_the_end_of_a_row_is_whole_as_it_stands(text: str, following: str) -> None:
    assert not is_broken_off(text, following)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_rows_are_judged(text: str, following: str) -> None:
    assert between(text, following) in (True, False)
    assert is_broken_off(text, following) in (True, False)
