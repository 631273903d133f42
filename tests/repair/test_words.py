"""A text broken at blanks is put together again, whatever its width, and nothing that was whole is joined."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.metamorphic.transforms import word_wrap_at, wrap_at
from diagnose.repair.page import page_of
from diagnose.repair.words import MAX_PROMPT_ROWS, _with_prompts, is_word_wrapped, rewrapped

WORD = st.text(st.sampled_from("abcdefghij"), min_size=1, max_size=12)
LINES = st.lists(st.lists(WORD, min_size=14, max_size=40).map(" ".join), min_size=8, max_size=14)


def ways(text: str) -> list[list[str]]:
    page = page_of(text.encode())
    return [[row.text for row in way.page] for way in rewrapped(page, [row.text for row in page])]


@settings(max_examples=60)
@given(LINES, st.integers(60, 120))
def test_lines_with_a_head_come_back_from_any_width(bodies: list[str], width: int) -> None:
    lines = [f"(EngineCore pid=42) INFO 11-29 12:00:00 [core.py:7] {body}" for body in bodies]
    text = word_wrap_at("\n".join(lines) + "\n", width)
    assert lines in ways(text)


@pytest.mark.parametrize("width", [60, 80, 100, 132])
def test_a_width_tells_itself_and_a_terminal_that_breaks_words_is_no_mail_program(width: int) -> None:
    r = Random(width)
    head = "(EngineCore pid=42) INFO 11-29 12:00:00 [core.py:7] "
    bodies = [" ".join("x" * r.randint(1, 12) for _ in range(40)) for _ in range(12)]
    text = "".join(f"{head}{body}\n" for body in bodies)
    assert is_word_wrapped(word_wrap_at(text, width).split("\n"))
    assert not is_word_wrapped(wrap_at(text, width).split("\n"))


@settings(max_examples=60)
@given(LINES)
def test_lines_that_all_begin_as_lines_do_are_never_joined(bodies: list[str]) -> None:
    text = "".join(f"(EngineCore pid=42) INFO 11-29 12:00:00 [core.py:7] {body}\n" for body in bodies)
    assert ways(text) == []
    assert not is_word_wrapped(text.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "+"
        + "-" * 60
        + "+\n| NPU | Name      | Memory (used/total) of the whole card      |\n"
        + "+"
        + "-" * 60
        + "+\n",
        "2026-11-29T08:07:35.1Z a line that ends in the middle of\n2026-11-29T08:07:36.1Z another one of its kind\n",
        "(EngineCore pid=42) a line that ends in the middle of\n(APIServer pid=41) what another process writes\n",
        "one\n",
        "",
    ],
    ids=["table", "transport", "processes", "one", "none"],
)
def test_rows_that_are_lines_of_their_own_stay(text: str) -> None:
    assert ways(text) == []


def test_a_dangling_word_goes_on_even_where_the_next_row_looks_like_a_line() -> None:
    text = "slurmstepd: error: *** JOB 771 ON node03 CANCELLED AT\n2026-01-05T10:00:00 DUE TO TIME LIMIT ***\n"
    assert [text.replace("\n", " ").rstrip()] in ways(text)


RUN = [
    "$ python compile.py",
    'rbln_config = {"max_seq_len": 40960, "kvcache_partition_len": 16384, "num_devices": 4, "npu": "RBLN-CA25"}',
    "Fetching 4 files: 100%|██████████| 4/4 [00:00<00:00, 812.06it/s]",
    "Loading checkpoint shards: 100%|██████████| 4/4 [00:03<00:00,  1.21it/s]",
    "/opt/venv/lib/python3.11/site-packages/transformers/utils/hub.py:110: FutureWarning: Using the old layout.",
    "  warnings.warn(",
    "2026-11-29 09:00:01,295 INFO [optimum.rbln] Preparing RBLNLlamaForCausalLM for compilation with a long line",
    "Traceback (most recent call last):",
    '  File "/home/user/llm/compile.py", line 12, in <module>',
    "ValueError: `max_seq_len` (40960) must be a multiple of `kvcache_partition_len` (16384).",
]


@pytest.mark.parametrize("runs", [1, 2, 3, 5])
def test_the_first_line_of_a_traceback_a_progress_bar_and_a_warning_are_never_glued(runs: int) -> None:
    text = "".join(f"{line}\n" for line in RUN * runs)
    for way in ways(text):
        for row in way:
            for begin in ("Traceback", "Fetching", "/opt/venv"):
                assert begin not in row[1:]
    assert not is_word_wrapped(text.split("\n"))


def test_a_traceback_goes_on_behind_what_a_logger_puts_before_it() -> None:
    head = "(EngineCore pid=42) ERROR 11-29 08:07:35 [a_file_with_a_long_name.py:1366]"
    assert [f"{head} Traceback (most recent call last):"] in ways(f"{head}\nTraceback (most recent call last):\n")


def test_rows_that_go_on_without_showing_it_make_no_width_sure() -> None:
    """Lines of a script that stand apart: none of them ends in mid sentence, and each is followed by a long word."""
    text = "".join(
        f"loaded part {i:02} of the weights in {'1' * (i % 5 + 1)} seconds.\n{'x' * 25}_{i}\n" for i in range(12)
    )
    assert not is_word_wrapped(text.split("\n"))


@pytest.mark.parametrize(("more", "is_one"), [(0, True), (1, False)])
def test_a_prompt_goes_on_to_the_end_of_its_literal_whatever_stands_in_it(more: int, is_one: bool) -> None:
    rows = ["Received request cmpl-1: prompt: 'why", *["ERROR 11-29 08:00:00 x"] * (MAX_PROMPT_ROWS - 2 + more)]
    texts = [*rows, "so?', params: SamplingParams(n=1)", "INFO"]
    goes_on = _with_prompts(texts, [True] * len(texts), [False] * len(texts))
    assert goes_on == [is_one] * len(rows) + [False, False]
