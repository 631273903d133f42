"""The two languages say the same."""

from __future__ import annotations

import string
from collections.abc import Mapping

import pytest

from diagnose.cli import words as cli_words
from diagnose.report import words as report_words

TABLES = [pytest.param(report_words.WORDS, id="report"), pytest.param(cli_words.WORDS, id="cli")]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("table", TABLES)
def test_both_languages_have_the_same_keys_in_the_same_order(table: Mapping[str, Mapping[str, str]]) -> None:
    assert list(table["en"]) == list(table["ko"])


@pytest.mark.parametrize("table", TABLES)
def test_both_languages_name_the_same_fields(table: Mapping[str, Mapping[str, str]]) -> None:
    assert {k: fields(v) for k, v in table["en"].items()} == {k: fields(v) for k, v in table["ko"].items()}


@pytest.mark.parametrize("table", TABLES)
def test_no_text_is_empty(table: Mapping[str, Mapping[str, str]]) -> None:
    assert all(text.strip() for texts in table.values() for text in texts.values())
