r"""Backslashes, running times, boxes and literals around a log come off; a log that has its own keeps them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metamorphic import escapes
from diagnose import diagnose_bytes
from diagnose.repair import literals, readings
from diagnose.repair.backslashes import backslashes, breaks, few_backslashes
from diagnose.repair.boxes import boxes
from diagnose.repair.literals import MAX_INSIDE, literal_rows, whole_literals, written_out
from diagnose.repair.page import Page
from diagnose.repair.prefix import few_barred
from diagnose.repair.running import few_running, running
from tests.repair.kit import of, rows

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.log"))
NEW = ("backslashes", "breaks", "boxes", "literal_rows", "whole_literals", "running", "newest_first")
LOG = (
    "(EngineCore pid=7) INFO 11-29 08:07:35 [core.py:12] num_blocks: 12\n"
    "Traceback (most recent call last):\n"
    '  File "a_b.py", line 3, in run\n'
    "    x - 1\n"
    "ValueError: max_seq_len (262_144) is not a multiple of 1.5\n"
)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_no_log_as_it_stands_is_taken_for_one_of_these(path: Path) -> None:
    shapes = {shape for reading in readings(path.read_bytes()) if reading.sure for shape in reading.shapes}
    assert not shapes & set(NEW)


# ------------------------------------------------------------------------------------------------- backslashes


@pytest.mark.parametrize("change", escapes.BACKSLASHES, ids=lambda change: change.__name__)
def test_backslashes_of_markdown_come_off(change: escapes.Change) -> None:
    assert rows(backslashes(of(change(LOG, Random(1))))) == LOG


@given(st.text(st.sampled_from("ab1 _*[]()<>#.-\\"), max_size=40))
def test_any_text_comes_back_from_an_escaped_page(text: str) -> None:
    page = f"max_seq_len is {text.strip()}\n"
    assert rows(backslashes(of(escapes.backslashed(page, Random(1))))) == page


@pytest.mark.parametrize(
    "text",
    [
        r"pattern '\d+\.\d+' does not match",
        r"re.search('\[.*]', max_seq_len)",
        r"C:\Users\me\.venv\Lib\site-packages\vllm\_core.pyd not found",
        r'{"message": "said \"no\""}',
        r"a \ b",
        "no backslash at all_of_them",
    ],
)
def test_backslashes_of_the_log_are_no_escapes(text: str) -> None:
    found = backslashes(of(f"{text}\n"))
    assert found is None or "pyd" in text  # a name that begins with an underscore looks like an escape


def test_one_sign_alone_is_a_guess() -> None:
    text = "it was \\[killed\n"
    assert backslashes(of(text)) is None
    assert rows(few_backslashes(of(text))) == "it was [killed\n"
    assert few_backslashes(of("a\\b\n")) is None


@pytest.mark.parametrize("inner", ["'layers', 'h'", '"x"', "1, 8, 16"])
def test_brackets_around_a_list_tell_by_themselves(inner: str) -> None:
    assert rows(backslashes(of(f"one of \\[{inner}\\] is missing\n"))) == f"one of [{inner}] is missing\n"


def test_line_ends_written_as_backslashes_come_off() -> None:
    assert rows(breaks(of(LOG.replace("\n", "\\\n").removesuffix("\\\n")))) == LOG
    assert breaks(of("docker run \\\n  image\nand\nmore\nlines\n")) is None


# ------------------------------------------------------------------------------------------------- running times


@pytest.mark.parametrize(
    "name", ["seconds", "seconds_padded", "seconds_bracketed", "elapsed", "since_last", "buildkit", "same_number"]
)
def test_a_running_time_before_every_line_comes_off(name: str) -> None:
    assert rows(running(of(getattr(escapes, name)(LOG, Random(1))))) == LOG


@pytest.mark.parametrize(
    "text",
    [
        "12 blocks\n14 blocks\n16 blocks\n18 blocks\n",
        "1.5 a\n2.5 b\n(EngineCore pid=7) c\n3.5 d\n",
        LOG,
        "1.5 a\nb\n2.5 c\nd\n",
    ],
    ids=["counts", "a line begins without", "log", "every other"],
)
def test_numbers_of_the_log_are_no_running_time(text: str) -> None:
    assert running(of(text)) is None


def test_a_few_lines_that_look_like_nothing_are_a_guess() -> None:
    assert rows(few_running(of("[ 1.2s] no tools found\n"))) == "no tools found\n"
    assert few_running(of("12 blocks are too few\n")) is None
    assert rows(few_barred(of("stdout | no tools found\n"))) == "no tools found\n"
    assert few_barred(of("a | b\nc | d\n")) is None


# ------------------------------------------------------------------------------------------------- boxes


def test_a_box_comes_off_and_a_table_stays() -> None:
    assert rows(boxes(of(escapes.boxed(LOG, Random(1))))) == LOG
    assert boxes(of("+----+\n| a  |\n+----+\n")) is None
    assert boxes(of("words\n│ a │ b │\nwords\n")) is None


# ------------------------------------------------------------------------------------------------- literals


@given(st.text(max_size=40).filter(lambda text: not text.lstrip().startswith(('"', "'", "[", "{", "b'", 'b"'))))
def test_any_text_comes_back_from_any_literal(text: str) -> None:
    text = "".join(text.split("\r"))
    expected = [line.replace("\n", " ") for line in text.rstrip("\n").split("\n")]
    for literal in (repr(text), repr(text.encode("utf-8", "replace")), json.dumps(text)):
        if "?" not in literal:  # half a surrogate has no bytes
            found = written_out(of(literal + "\n"))
            assert found is None or [row.text for row in found] == expected


def test_literals_in_literals_are_opened_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    def inside(count: int) -> Page:
        text = "ValueError: a\nb"
        for _ in range(count):
            text = json.dumps(text)
        return of(f"{text}\n")

    assert rows(written_out(inside(MAX_INSIDE))) == "ValueError: a\nb\n"
    assert rows(written_out(inside(MAX_INSIDE + 1))) != "ValueError: a\nb\n"
    monkeypatch.setattr(literals, "MAX_INSIDE", 1)
    assert rows(written_out(inside(2))) != "ValueError: a\nb\n"


def test_what_a_program_printed_line_by_line_as_literals_is_read() -> None:
    assert rows(literal_rows(of("".join(f"got {line.encode()!r}\n" for line in LOG.splitlines(True))))) == LOG
    assert literal_rows(of('"a","b"\n"c","d"\n')) is None


@pytest.mark.parametrize("text", ["Received request x: prompt: 'ValueError: a\\nb'", '"prompt": "a\\nb"'])
def test_a_prompt_is_no_log(text: str) -> None:
    assert written_out(of(text)) is None
    assert whole_literals(of(text)) is None


def test_a_value_does_not_keep_the_end_of_the_literal() -> None:
    message = "RuntimeError: Compiled model path does not exist: /models/llama"
    for literal in (repr(f"{message}\n"), repr(f"{message}\n".encode()), json.dumps({"stderr": f"{message}\n"})):
        assert diagnose_bytes(literal.encode()).findings[0].numbers == {"path": "/models/llama"}
