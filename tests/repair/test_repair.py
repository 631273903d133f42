"""A repaired text points into the input, is bounded, and never makes an error of what is none."""

from __future__ import annotations

import random
import tracemalloc
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.healthy import lines as healthy_lines
from bench.metamorphic.encodings import ENCODINGS
from bench.metamorphic.transforms import BY_NAME, word_wrap_at, wrap_at
from diagnose import diagnose_bytes
from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import Knowledge, load
from diagnose.model import Diagnosis, Piece
from diagnose.records.span import Span
from diagnose.repair import PASTE_BYTES, SMALL_BYTES, Paste, readings, shows_shape
from diagnose.repair.page import MAX_ROWS, nul_ends, text_of
from diagnose.repair.readings import _AROUND, _FIRST, _MAYBE, MAX_READINGS
from diagnose.report.repaired import SHAPES
from diagnose.scan import Engine

FAILURE = (
    "INFO 11-29 08:07:01 [utils.py:325] a first line\n"
    "ValueError: Insufficient memory for the required KV cache: only 12 blocks can be allocated, but at least 17 "
    "blocks are required. Consider reducing `max_seq_len` or `batch_size` (currently 8) to lower the "
    "memory requirement.\n"
)


@cache
def tools() -> tuple[Knowledge, Engine]:
    knowledge = load()
    return knowledge, engine_for(knowledge)


def diagnosed(data: bytes, *, cut: int = 0, repair: bool = True) -> Diagnosis:
    knowledge, engine = tools()
    analyzer = Analyzer(knowledge=knowledge, engine=engine, repair=repair)
    for start in range(0, len(data), cut or max(len(data), 1)):
        analyzer.feed(data[start : start + (cut or len(data))])
    return analyzer.finish()


@pytest.mark.parametrize("width", [40, 57, 80, 120, 200])
@pytest.mark.parametrize("around", ["quote", "cat_n", "less_n", "escape", "code_block", "crlf"])
def test_line_and_offset_of_a_repaired_text_are_those_of_the_input(width: int, around: str) -> None:
    text = BY_NAME[around].change(wrap_at(FAILURE, width), random.Random(1))
    found = diagnosed(text.encode()).findings[0]
    assert found.numbers == {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}
    first = next(n for n, line in enumerate(text.split("\n"), 1) if "ValueError" in line)
    assert first <= found.line <= first + 1
    assert text.encode()[: found.offset].count(b"\n") == found.line - 1


@pytest.mark.parametrize("code", ["utf16_le", "utf16_be", "utf16_le_unmarked", "utf32_le", "utf32_be", "utf8_marked"])
@pytest.mark.parametrize("korean", [False, True])
def test_offsets_count_bytes_of_the_input_in_any_encoding(code: str, korean: bool) -> None:
    head = "INFO 11-29 08:07:00 [a.py:1] 모델을 불러옵니다\n" if korean else ""
    data = ENCODINGS[code](head + FAILURE, random.Random(1))
    assert data is not None
    found = diagnosed(data).findings[0]
    name = {"utf8_marked": "utf-8"}.get(code, code.replace("utf", "utf-").removesuffix("_unmarked").replace("_", "-"))
    assert found.line == 2 + korean
    assert data[found.offset :].decode(name).startswith("ValueError: Insufficient")


def test_text_without_line_ends_points_at_the_byte_of_the_message() -> None:
    data = FAILURE.replace("\n", " ").encode()
    found = diagnosed(data).findings[0]
    assert found.line == 1
    assert data[found.offset :].startswith(b"ValueError: Insufficient")


@pytest.mark.parametrize("name", ["wrap", "quote", "cat_n", "escape", "joined_by_blanks", "cri_partial", "caret_m"])
def test_single_bytes_give_the_same_as_the_whole(name: str) -> None:
    data = BY_NAME[name].change(FAILURE, random.Random(2)).encode()
    assert diagnosed(data, cut=1) == diagnosed(data, cut=7) == diagnosed(data)


def healthy(seed: int) -> str:
    knowledge, _ = tools()
    examples = [x.text for e in knowledge.entries.values() for x in e.examples if e.role != "noise"]
    return "".join(healthy_lines(seed, 250, examples))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "name",
    [
        *("", "quote", "cat_n", "less_n", "escape", "code_block", "github", "compose", "crlf"),
        *("diff_added", "listed", "commented", "html_lines", "html_in_a_row", "smart_quotes", "dashes", "hard_blanks"),
    ],
)
def test_a_healthy_server_stays_healthy_however_it_was_pasted(name: str, seed: int) -> None:
    text = healthy(seed)
    if name:
        text = BY_NAME[name].change(text, random.Random(seed))
    assert diagnosed(text.encode()).outcome == "healthy"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", [60, 80, 173])
def test_prompts_that_quote_errors_stay_prompts_when_a_terminal_wraps_them(seed: int, width: int) -> None:
    found = diagnosed(wrap_at(healthy(seed), width).encode())
    assert found.outcome == "healthy", [(f.entry, f.line, f.text) for f in found.findings]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", [60, 80, 173])
def test_prompts_that_quote_errors_stay_prompts_when_a_mail_program_wraps_them(seed: int, width: int) -> None:
    found = diagnosed(word_wrap_at(healthy(seed), width).encode())
    assert found.outcome == "healthy", [(f.entry, f.line, f.text) for f in found.findings]


def test_the_prompt_in_one_line_without_its_end_is_not_told_apart() -> None:
    line = (
        "INFO 11-29 12:00:00 [logger.py:39] Received request cmpl-1: prompt: 'What does this mean?\\n"
        "Traceback (most recent call last):\\nValueError: Insufficient memory for the required KV cache: only 12 "
        "blocks can be allocated, but at least 17 blocks are required', params: SamplingParams(n=1)"
    )
    assert diagnosed(line.encode()).outcome == "healthy"


def test_a_separator_line_of_full_width_is_not_glued_to_the_error_below_it() -> None:
    text = f"{'=' * 80}\n{'_' * 30} test_a {'_' * 42}\n{FAILURE.splitlines()[1]}\n"
    assert diagnosed(text.encode()).findings[0].line == 3


def test_the_path_in_the_longest_line_does_not_swallow_the_next_line() -> None:
    text = (
        "FileNotFoundError: Could not find any rbln model file in /models/llama\nmake: *** [Makefile:3: run] Error 1\n"
    )
    assert diagnosed(text.encode()).findings[0].numbers == {"directory": "/models/llama"}


@pytest.mark.parametrize("following", ["08:07:36 down", "2 of 3 are down", "further lines", "(APIServer pid=1) down"])
@pytest.mark.parametrize("lead", ["08:07:36  ", "    ", "   12 ", "12\t", "> "])
def test_a_number_at_the_end_of_the_longest_line_is_not_made_longer_by_the_next_line(lead: str, following: str) -> None:
    message = "ValueError: The last manual bucket must be equal to the max batch size, max batch "
    message += "size: 32, last manual bucket: 16"
    text = f"{lead}first\n{lead}{message}\n{lead}{following}\n"
    assert diagnosed(text.encode()).findings[0].numbers["last_bucket"] == 16


def test_a_live_log_and_a_large_one_are_not_repaired() -> None:
    quoted = BY_NAME["quote"].change(wrap_at(FAILURE, 60), random.Random(1)).encode()
    assert diagnosed(quoted).outcome == "diagnosed"
    assert diagnosed(quoted, repair=False).outcome != "diagnosed"
    assert diagnosed(quoted + b"\n> INFO all is well" * (PASTE_BYTES // 16)).outcome != "diagnosed"


def test_a_paste_is_let_go_of_when_it_grows_too_large() -> None:
    paste = Paste(10)
    paste.feed(b"12345")
    paste.feed(b"678901")
    paste.feed(b"1")
    assert paste.take() is None


HOSTILE = {
    "one word": b"aA",
    "quotations": b"> ",
    "returns": b"a\r",
    "line ends": b"\n",
    "entities": b"&#39;",
    "escapes": b"^[[",
    "written out": b"\\n",
    "types": b"Error: ",
    "digits": b"1",
    "full rows": b"a" * 79 + b"\n",
}


def test_restarts_that_fail_alike_are_no_wrapped_lines() -> None:
    start = "(APIServer pid=1{n}) INFO 11-29 11:57:05 [api_utils.py:286] vLLM server version 0.30.0, serving model X\n"
    error = "ValueError: The set `kvcache_num_blocks` (1{n}) is less than the minimum number of blocks (33)\n"
    log = "".join((start + error + "INFO 11-29 11:58:00 [loggers.py:12] going on\n").format(n=n) for n in range(3))
    found = diagnose_bytes(log.encode())
    assert [(f.entry, f.line) for f in found.findings] == [("kv-cache.below-minimum", 8)]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_made_to_annoy_gives_a_bounded_number_of_readings(name: str) -> None:
    unit = HOSTILE[name]
    count = sum(1 for _ in readings(b'"' * (name == "written out") + unit * ((PASTE_BYTES - 2) // len(unit))))
    assert count <= MAX_READINGS


def test_the_readings_that_come_before_any_guess_count_as_well() -> None:
    said = (
        "```",
        "cated,ompt inputs",
        "",
        "ValueError: Insufficient memory for the KV cache: only \0o",
        "```console",
        "",
    )
    rows = [f'"2026-11-29T08:07:35.00{9 - n}Z","npu-host-3","vllm","> >    {text}"' for n, text in enumerate(said)]
    rows[-1] += '\n"2026-11-29T08:07:35.000Z","npu-host-3","vllm\x1b,"> > This is what I get:"'
    rows[2] = rows[2].replace("    ", "")
    rows[5] = rows[5].replace('    "\n', '"\n')
    holed = '"Date","Host","Service","Content"\n' + "\n".join(rows) + "\n"
    assert sum(1 for _ in readings(holed.encode())) == MAX_READINGS


@pytest.mark.parametrize("dash", ["–", "—"])
def test_a_dash_that_was_two_hyphens_may_be_all_that_shows_a_change(dash: str) -> None:
    text = f"RuntimeError: is still open {dash} exit its with-block\n"
    assert [f.entry for f in diagnosed(text.encode()).findings] == ["torch-rbln.explain-region"]


LONG = 10_000_000


@pytest.mark.parametrize("unit", [b"a", b"0123456789abcdef ", b"Error: ", b"> ", b"\r 5%|"])
def test_a_line_of_ten_million_bytes_hides_nothing_and_takes_little_memory(unit: bytes) -> None:
    tools()
    data = b"INFO 11-29 08:07:35 [core.py:1] " + unit * (LONG // len(unit)) + b"\n" + FAILURE.encode()
    tracemalloc.start()
    found = diagnosed(data, cut=1 << 16)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [(f.entry, f.line) for f in found.findings] == [("kv-cache.insufficient-memory", 3)]
    assert data[found.findings[0].offset :].startswith(b"ValueError: Insufficient")
    assert peak < 16 << 20  # measured: 2 MiB


def calm(size: int) -> str:
    knowledge, _ = tools()
    examples = [x.text for e in knowledge.entries.values() for x in e.examples if e.role != "noise"]
    out: list[str] = []
    for line in healthy_lines(3, 10_000, examples):
        out.append(line)
        size -= len(line)
        if size < 0:
            break
    return "".join(out)


@pytest.mark.parametrize(
    "name",
    [
        *("quote", "code_block", "cat_n", "grep_n", "escape", "wrap", "caret_m", "ansi"),
        *("diff_removed", "commented_slashes", "html_lines", "html_breaks", "hyphens", "hard_blanks", "word_wrap_80"),
    ],
)
def test_a_log_that_is_large_for_a_paste_is_put_right_too(name: str) -> None:
    text = BY_NAME[name].change(calm(2 * SMALL_BYTES) + FAILURE, random.Random(1))
    found = diagnosed(text.encode())
    assert [f.entry for f in found.findings] == ["kv-cache.insufficient-memory"]
    assert found.findings[0].numbers == {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}


@pytest.mark.parametrize("name", ["", "compose", "github", "kubectl_timestamps", "crlf", "syslog"])
@pytest.mark.parametrize("failed", [False, True])
def test_a_plain_large_log_shows_no_shape_and_is_read_once(name: str, failed: bool) -> None:
    text = calm(2 * SMALL_BYTES) + failed * FAILURE
    data = (BY_NAME[name].change(text, random.Random(1)) if name else text).encode()
    assert not shows_shape(data, troubled=failed)


def test_what_was_undone_is_said_and_a_text_read_as_it_stands_says_nothing() -> None:
    quoted = BY_NAME["quote"].change(wrap_at(FAILURE, 60), random.Random(1)).encode()
    assert diagnosed(quoted).input.repaired == ("quotation", "wrapped")
    assert diagnosed(FAILURE.encode()).input.repaired == ()
    assert diagnosed(FAILURE.replace("\n", "\r\n").encode()).input.repaired == ()


def test_nul_bytes_end_lines_where_nothing_else_does_and_are_a_hole_where_many_stand_together() -> None:
    text = calm(800) + FAILURE
    ended, plain = diagnosed(text.replace("\n", "\0").encode()), diagnosed(text.encode())
    assert [(f.entry, f.numbers) for f in ended.findings] == [(f.entry, f.numbers) for f in plain.findings]
    assert ended.input.repaired == ("nul_ends",)
    assert (ended.findings[0].line, ended.findings[0].offset) == (1, plain.findings[0].offset)
    assert nul_ends(b"a\0b\0c\0d") is not None
    assert nul_ends(b"a\0b\0" + bytes(8) + b"c\0d") is None
    assert nul_ends(b"a\0b") is None
    assert nul_ends(b"a\0\n" * (MAX_ROWS + 1)) is None


def test_every_shape_has_its_words() -> None:
    undone = {strip.__name__ for strip in (*_FIRST, *_AROUND, *_MAYBE)}
    assert set(SHAPES) == undone | {"wrapped", "wrapped_at_blanks", "holes", "nul_ends"}


@settings(max_examples=150)
@given(st.lists(st.text(st.sampled_from("> \t12:|`a가E&;\\n\r\"'{}[]^M"), max_size=90), max_size=8))
def test_any_text_is_read_in_ways_that_lead_back_into_it(rows: list[str]) -> None:
    data = "\n".join(rows).encode()
    for reading in readings(data):
        count = reading.data.count(b"\n")
        for number in range(1, count + 1):
            assert 1 <= reading.origin.of_line(number) <= len(rows)
        for offset in range(0, len(reading.data), 5):
            line, place = reading.origin.of_offset(offset)
            assert 1 <= line <= len(rows)
            assert 0 <= place <= len(data)
            assert data[:place].count(b"\n") in (line - 1, line)


FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.log"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_a_plain_log_cut_off_anywhere_is_read_as_it_stands(path: Path) -> None:
    data = path.read_bytes()
    for share in (0.25, 0.5, 0.75, 1):
        found = []
        for repair in (True, False):
            analyzer = Analyzer(all_runs=True, repair=repair)
            analyzer.feed(data[: int(len(data) * share)])
            found.append(analyzer.finish())
        assert found[0] == found[1]


def test_of_a_line_whose_first_part_is_empty_the_place_is_that_of_the_rest() -> None:
    """A runtime cut the line right behind what another one had put in front."""
    page = [Span("ValueError: x", (Piece(0, 1, 0), Piece(0, 2, 60), Piece(11, 3, 130)))]
    data, origin = text_of(page)
    assert data == b"ValueError: x\n"
    assert origin.of_line(1) == origin.of_offset(0)[0] == 2


@pytest.mark.parametrize("between", ["   \x1c386 ", "\x1f", "\x1d 7", "\x85 12 \x1e"])
def test_separators_that_python_takes_for_blanks_stop_no_reading(between: str) -> None:
    text = "\n".join(f"{number}\n{'a b ' * 20}x\n{between}" for number in range(1, 9))
    assert [reading for reading in readings(text.encode()) if not reading.data.decode()] == []
