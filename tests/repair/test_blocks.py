"""A log below a sentence, in a printed JSON document or behind one text on every line; other texts stay as they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.repair.blocks import MOST_OUTSIDE, indented_block, printed_json
from diagnose.repair.page import page_of
from diagnose.repair.prefix import LEAST_ROWS, LONGEST, same_prefix
from diagnose.repair.strips import colours
from tests.repair.kit import rows

LOG = (
    "INFO 11-29 08:07:01 [core.py:12] starting\n"
    "Traceback (most recent call last):\n"
    '  File "a.py", line 3, in run\n'
    "    x - 1\n"
    "ValueError: too small\n"
)


def behind(prefix: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in LOG.splitlines())


@pytest.mark.parametrize(
    "above", ["This is what I get:\n\n", "Log::\n\n", "log: |\n", "- log: >-\n", "도와주세요.\n\n"]
)
@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
@pytest.mark.parametrize("below", ["", "\nThanks!\n"])
def test_a_log_indented_below_a_sentence_loses_the_indentation(above: str, indent: str, below: str) -> None:
    text = above + behind(indent) + below
    assert (rows(indented_block(page_of(text.encode()))) or "") == above + LOG + below


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        f"INFO 11-29 08:07:00 [a.py:1] a request came:\n\n{behind('    ')}",
        f"def test():\n\n{behind('    ')}",
        f"One:\n\n{behind('    ')}\nTwo:\n\n{behind('    ')}",
        "Errors to know:\n\n    ValueError: too small\n    RuntimeError: too large\n",
    ],
    ids=["a log", "in a log", "source", "two blocks", "a list of errors"],
)
def test_an_indentation_that_is_the_texts_own_stays(text: str) -> None:
    assert indented_block(page_of(text.encode())) is None


@pytest.mark.parametrize(
    "document",
    [LOG.splitlines(), {"hits": [{"_source": {"message": line, "n": 1}} for line in LOG.splitlines()]}],
    ids=["list", "search result"],
)
def test_the_lines_in_a_printed_document_are_the_log(document: object) -> None:
    assert rows(printed_json(page_of(json.dumps(document, indent=2).encode()))) == LOG


@given(st.dictionaries(st.text(max_size=8), st.integers() | st.booleans() | st.text(max_size=20), max_size=6))
def test_any_other_document_is_no_log(document: dict[str, object]) -> None:
    assert printed_json(page_of(json.dumps(document, indent=2).encode())) is None


def test_what_people_said_in_a_document_is_no_log() -> None:
    said = {"messages": [{"role": "user", "text": LOG, "content": LOG}]}
    assert printed_json(page_of(json.dumps(said, indent=2).encode())) is None


@pytest.mark.parametrize("prefix", ["[test-npu] ", "0|server  | ", "│ ", "| ", "job-abcd: ", ".  "])
def test_one_text_before_every_line_comes_off(prefix: str) -> None:
    assert rows(same_prefix(page_of(behind(prefix).encode()))) == LOG


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        behind("(EngineCore pid=42) "),
        "[x] ValueError: one\n[x] RuntimeError: two\n[x] three\n[x] four\n",
        f"{behind('[x] ')}and a line without\n",
    ],
    ids=["a log", "a process", "sentences", "not all"],
)
def test_what_lines_begin_with_by_themselves_stays(text: str) -> None:
    assert same_prefix(page_of(text.encode())) is None


def test_colours_as_less_shows_them_come_off() -> None:
    assert rows(colours(page_of(b"ESC[0;36mINFOESC[0m ready\n"))) == "INFO ready\n"


def test_a_page_with_more_words_than_a_person_writes_is_left() -> None:
    for lines, taken in ((MOST_OUTSIDE, True), (MOST_OUTSIDE + 1, False)):
        page = page_of(("a word\n" * lines + "\n" + behind("    ")).encode())
        assert (indented_block(page) is not None) is taken


def test_a_prefix_needs_lines_that_show_it_and_an_end() -> None:
    for lines, taken in ((LEAST_ROWS, True), (LEAST_ROWS - 1, False)):
        text = "".join(f"[x] {line}\n" for line in LOG.splitlines()[:lines])
        assert (same_prefix(page_of(text.encode())) is not None) is taken
    for size, taken in ((LONGEST, True), (LONGEST + 1, False)):
        assert (same_prefix(page_of(behind("x" * (size - 2) + ": ").encode())) is not None) is taken
