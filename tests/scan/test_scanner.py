"""Which lines come out of a scan."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.model import Line
from diagnose.scan import STRUCTURAL, Engine, Repeats, Scanner, make_engine
from diagnose.scan.long_lines import CUT_MARK
from diagnose.scan.repeats import MAX_TEXTS
from diagnose.sources import decode_line

LITERALS = ("BOOM", "Error\n", "\nhead", "블록 부족", "xx")
ENGINES = [make_engine(LITERALS, "hyperscan"), make_engine(LITERALS, "standard")]

_lines = st.lists(
    st.one_of(
        st.sampled_from(
            [
                b"",
                b"calm",
                b"BOOM",
                b"a BOOM b BOOM",
                b"BOOM KeyError",
                b"x" * 40,
                b"y" * 300 + b"BOOM",
                b"BOOM" + b"y" * 300,
                b"y" * 70 + b"BOOM" + b"y" * 300,
                b"KeyError",
                b"Error at first",
                b"head of a line",
                b"ahead",
                "KV 블록 부족".encode(),
                "KV 블록 부족".encode("cp949"),
                b"\0\0\r",
                b"\xff\xfe",
            ]
        ),
        st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")),
        st.just(b"calm"),
    ),
    max_size=60,
)


def holds_literal(line: bytes, limit: int) -> bool:
    """Definition of a line of interest, as plainly as it can be written."""
    forms = [form.encode(code) for form in LITERALS for code in ("utf-8", "cp949")]
    whole = [b"\n" + line + b"\n"]
    if len(line) > limit:
        tail = limit // 4
        whole = [b"\n" + line[: limit - tail], line[len(line) - tail :] + b"\n"]
    return any(form in piece for form in forms for piece in whole)


def reference(data: bytes, before: int, after: int, limit: int) -> list[tuple[int, int]]:
    """(number, offset) of the lines a scan must give."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    hits = [number for number, line in enumerate(lines, 1) if holds_literal(line, limit)]
    offset, wanted = 0, []
    for number, line in enumerate(lines, 1):
        if any(hit - before <= number <= hit + after for hit in hits):
            wanted.append((number, offset))
        offset += len(line) + 1
    return wanted


def scan(engine: Engine, feeds: list[bytes], before: int, after: int, limit: int) -> tuple[list[Line], Scanner]:
    scanner = Scanner(engine, before=before, after=after, max_line_bytes=limit)
    out = [line for feed in feeds for line in scanner.feed(feed)]
    out += scanner.finish()
    return out, scanner


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@settings(max_examples=400)
@given(
    lines=_lines,
    closed=st.booleans(),
    before=st.integers(0, 4),
    after=st.integers(0, 4),
    limit=st.sampled_from([64, 100, 10_000]),
    places=st.lists(st.integers(0, 10_000), max_size=8),
)
def test_any_cut_gives_the_lines_of_the_definition(
    engine: Engine, lines: list[bytes], closed: bool, before: int, after: int, limit: int, places: list[int]
) -> None:
    data = b"\n".join(lines) + (b"\n" if closed and lines else b"")
    whole, scanner = scan(engine, [data], before, after, limit)
    assert [(line.number, line.offset) for line in whole] == reference(data, before, after, limit)
    assert scanner.bytes_seen == len(data)
    assert scanner.lines_seen == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    in_pieces, other = scan(engine, cut(data, places), before, after, limit)
    assert in_pieces == whole
    assert (other.bytes_seen, other.lines_seen) == (scanner.bytes_seen, scanner.lines_seen)


@given(lines=_lines, before=st.integers(0, 3), after=st.integers(0, 3), limit=st.sampled_from([64, 10_000]))
def test_any_stream_in_single_bytes_gives_the_same(lines: list[bytes], before: int, after: int, limit: int) -> None:
    data = b"\n".join(lines)
    engine = ENGINES[0]
    single = [data[index : index + 1] for index in range(len(data))]
    assert scan(engine, single, before, after, limit)[0] == scan(engine, [data], before, after, limit)[0]


@given(lines=_lines)
def test_any_given_line_is_the_decoded_line_at_its_offset(lines: list[bytes]) -> None:
    data = b"\n".join(lines)
    for line in scan(ENGINES[0], [data], 2, 2, 10_000)[0]:
        raw = data[line.offset :].split(b"\n", 1)[0]
        assert line.text == decode_line(raw)
        assert line.number == data.count(b"\n", 0, line.offset) + 1


def test_the_result_need_not_be_iterated_over() -> None:
    scanner = Scanner(ENGINES[0], before=1, after=1)
    scanner.feed(b"calm\nBOOM\n")
    assert [line.number for line in scanner.feed(b"after\nfar\n")] == [3]
    assert scanner.lines_seen == 4


def test_windows_that_meet_give_every_line_once() -> None:
    data = b"BOOM\n" + b"calm\n" * 5 + b"BOOM\n"
    assert [line.number for line in scan(ENGINES[0], [data], 3, 2, 100)[0]] == [1, 2, 3, 4, 5, 6, 7]
    assert [line.number for line in scan(ENGINES[0], [data], 2, 2, 100)[0]] == [1, 2, 3, 5, 6, 7]


def test_a_last_line_without_a_newline_ends_like_any_other() -> None:
    assert [line.text for line in scan(ENGINES[0], [b"calm\nKeyError"], 0, 0, 100)[0]] == ["KeyError"]


def test_a_long_line_keeps_its_head_and_its_tail() -> None:
    line = b"head " + b"-" * 5000 + b"\rTraceback BOOM"
    ((only,), _) = scan(ENGINES[0], [line + b"\n"], 0, 0, 400)
    assert only.text.startswith("head ---") and only.text.endswith("\rTraceback BOOM")
    assert CUT_MARK.decode() in only.text and len(only.text) == 400 + len(CUT_MARK)


def test_a_long_line_is_never_cut_inside_a_character() -> None:
    for pad in range(6):
        line = ("-" * pad + "가" * 400 + "BOOM").encode()
        ((only,), _) = scan(ENGINES[0], [line], 0, 0, 256)
        assert "\ufffd" not in only.text
        assert set(only.text) == set("가BOM []." + "-" * pad)


def test_ten_megabytes_without_a_newline_stay_small_and_quick() -> None:
    scanner = Scanner(ENGINES[0])
    largest = 0
    for _ in range(10 * 1024):
        assert not list(scanner.feed(b"#" * 1024))
        largest = max(largest, len(scanner._part))
    assert largest <= 600 * 1024
    lines = [*scanner.feed(b" BOOM\nnext\n"), *scanner.finish()]
    assert [(line.number, line.offset) for line in lines] == [(1, 0), (2, 10 * 1024 * 1024 + 6)]
    assert lines[0].text.endswith("# BOOM")


class CountingEngine:
    """Counts what a scan asks for."""

    name = "counting"

    def __init__(self) -> None:
        self.calls = 0

    def find(self, block: bytes, start: int = 0, end: int | None = None) -> list[int]:
        self.calls += 1
        return []

    def which(self, text: bytes) -> set[int]:
        return set()


def test_a_calm_block_costs_two_searches_whatever_its_number_of_lines() -> None:
    engine = CountingEngine()
    scanner = Scanner(engine)
    scanner.feed(b"calm line of a server\n" * 40_000)
    assert engine.calls == 2
    assert scanner.lines_seen == 40_000


FAILURES = (
    "(EngineCore pid=1) ERROR 11-29 11:57:53 [core.py:1] something new",
    "ERROR 11-29 11:57:53 [core.py:1] something new",
    "\x1b[31mERROR\x1b[0m 11-29 11:57:53 something new",
    "ERROR:    something new",
    "2026-11-29 11:57:53,295 CRITICAL [optimum.rbln] something new",
    "Traceback (most recent call last):",
    '(EngineCore pid=1)   File "/srv/x.py", line 3, in f',
    "torch.OutOfMemoryError",
    "AssertionError\r",
    "NotImplementedError",
    "KeyboardInterrupt",
    "SystemExit: 3",
    "vendor.api.BadNewsError: something new",
    "vllm serve: error: something new",
    "error: something new",
    "fatal: something new",
    '{"event":"rbln.worker.fatal","x":1}',
    "Fatal Python error: Segmentation fault",
    "[1]+  Killed                  vllm serve",
    "Killed",
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "python: x.cc:3: void f(): Assertion `a' failed.",
    "./run.sh: line 3: vllm: command not found",
)
HEALTHY = (
    "calm",
    'INFO:     10.0.0.1:50000 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "INFO 11-29 11:57:53 [loggers.py:1] Engine 000: Avg prompt throughput: 1.0 tokens/s, Running: 1 reqs",
    "INFO 11-29 11:57:53 [logger.py:1] Received request a: prompt: 'does it fail with error: x, warning?'",
    "INFO 11-29 11:57:53 [x.py:1] the error rate and the exit code",
    "\rLoading: 10%|█         | 1/10",
)


@pytest.mark.parametrize("text", FAILURES)
def test_a_failure_no_entry_knows_is_a_line_of_interest(text: str) -> None:
    scanner = Scanner(make_engine(STRUCTURAL), before=0, after=0)
    assert [line.number for line in scanner.feed(f"calm\n{text}\ncalm\n".encode())] == [2]


@pytest.mark.parametrize("text", HEALTHY)
def test_a_healthy_line_is_none(text: str) -> None:
    assert not make_engine(STRUCTURAL).find(b"\n" + text.encode() + b"\n")


def test_the_frames_of_a_traceback_of_any_length_are_given() -> None:
    frames = [f'  File "/srv/m{depth}.py", line 1, in f\n    f()\n' for depth in range(2000)]
    data = "Traceback (most recent call last):\n" + "".join(frames) + "RecursionError: too deep\n"
    assert len([*Scanner(make_engine(STRUCTURAL)).feed(data.encode())]) == 4002


# --------------------------------------------------------------------------- repeats


def numbers(data: bytes, repeats: Repeats, before: int = 0, after: int = 0) -> list[int]:
    scanner = Scanner(ENGINES[0], before=before, after=after, repeats=repeats)
    return [line.number for line in [*scanner.feed(data), *scanner.finish()]]


def test_copies_of_a_line_beyond_the_limit_are_only_counted() -> None:
    data = b"".join(b"11:59:%02d BOOM in request %08x\n" % (n, n * 7919) for n in range(30)) + b"BOOM other\n"
    repeats = Repeats(4)
    assert numbers(data, repeats) == [1, 2, 3, 4, 31]
    assert repeats.left_out() == {1: 26}


def test_a_copy_is_still_given_near_a_line_of_interest() -> None:
    repeats = Repeats(1)
    assert numbers(b"BOOM 1\nBOOM 2\ncalm\nBOOM 3\nBOOM new\n", repeats, before=1) == [1, 4, 5]
    assert repeats.left_out() == {1: 2}


def test_in_a_storm_fewer_copies_of_a_text_are_given() -> None:
    data = b"".join(b"BOOM %s\n" % name for name in (b"x", b"y", b"z")) + b"BOOM x\n" * 20
    repeats = Repeats(15, storm_after=5)
    assert numbers(data, repeats) == [1, 2, 3, 4, 5]
    assert repeats.left_out() == {1: 18}


def test_the_program_line_that_logged_a_message_does_not_make_it_another_one() -> None:
    data = b"(EngineCore pid=7) BOOM [core.py:12] no room\n(EngineCore pid=7) BOOM [loop.py:99] no room\n"
    assert numbers(data, Repeats(1)) == [1]
    assert numbers(data.replace(b"EngineCore pid=7) BOOM [l", b"Worker pid=7) BOOM [l"), Repeats(1)) == [1, 2]


def test_texts_beyond_the_most_that_are_counted_are_always_given() -> None:
    word = str.maketrans("0123456789", "ghijklmnop")
    data = "".join(f"BOOM {number:05d}\n".translate(word) for number in range(MAX_TEXTS)).encode() + b"BOOM new\n" * 3
    assert numbers(data, Repeats(1, storm_after=10**9))[-3:] == [MAX_TEXTS + 1, MAX_TEXTS + 2, MAX_TEXTS + 3]


def test_a_new_start_tells_everything_again() -> None:
    repeats = Repeats(1, starts=[b"BOOM start"])
    data = b"BOOM 1\nBOOM 2\nBOOM start\nBOOM 3\nBOOM 4\n"
    assert numbers(data, repeats) == [1, 3, 4]
    assert repeats.left_out() == {1: 1, 4: 1}


@given(lines=_lines, limit=st.integers(1, 3), places=st.lists(st.integers(0, 10_000), max_size=8))
def test_repeats_do_not_depend_on_any_cut(lines: list[bytes], limit: int, places: list[int]) -> None:
    data = b"\n".join(lines)
    results = []
    for feeds in ([data], cut(data, places), [data[index : index + 1] for index in range(len(data))]):
        repeats = Repeats(limit, starts=[b"head of"])
        scanner = Scanner(ENGINES[0], before=1, after=2, max_line_bytes=100, repeats=repeats)
        given_lines = [line for feed in feeds for line in scanner.feed(feed)]
        results.append(([*given_lines, *scanner.finish()], repeats.left_out()))
    assert results[0] == results[1] == results[2]


_storm_lines = st.lists(
    st.sampled_from(
        [b"BOOM 1", b"BOOM 22", b"12 BOOM x", b"calm", b"", b"head of BOOM", b"BAM", b"BOOM " + b"y" * 120]
    ),
    max_size=60,
)


@given(lines=_storm_lines, limit=st.integers(1, 3), places=st.lists(st.integers(0, 900), max_size=8))
def test_known_lines_looked_for_first_change_nothing_in_any_text(
    lines: list[bytes], limit: int, places: list[int]
) -> None:
    blocks = cut(b"\n".join(lines), places)
    results = []
    for mark in (b"", b"BOOM"):
        repeats = Repeats(limit, starts=[b"head of"], storm_after=7)
        engine = make_engine(["BOOM", "\nBAM"], "hyperscan")
        options = {"before": 1, "after": 2, "max_line_bytes": 100}
        scanner = Scanner(engine, repeats=repeats, mark=mark, dense_hits=0, **options)
        given_lines = [line for block in blocks for line in scanner.feed(block)]
        results.append(([*given_lines, *scanner.finish()], repeats.left_out(), scanner.lines_seen))
    assert results[0] == results[1]


_long_lines = st.lists(
    st.tuples(
        st.sampled_from([0, 40, 99, 150, 260, 700]), st.sampled_from([b"", b"BOOM", b"prompt: '"]), st.floats(0, 1)
    ),
    max_size=12,
)


@given(parts=_long_lines, places=st.lists(st.integers(0, 10_000), max_size=8))
def test_lines_that_lost_a_literal_to_the_cut_are_counted_however_the_input_comes(
    parts: list[tuple[int, bytes, float]], places: list[int]
) -> None:
    limit, lines = 100, []
    for size, word, share in parts:
        at = 0 if word.startswith(b"prompt") else int(size * share)
        lines.append(
            b"y" * at + word + (b"z" * 300 + b"BOOM" + b"z" * 300) * word.startswith(b"prompt") + b"w" * (size - at)
        )
    data = b"\n".join(lines)
    expected = [
        number
        for number, line in enumerate(lines, 1)
        if len(line) > limit and b"BOOM" in line and b"prompt" not in line and not holds_literal(line, limit)
    ]
    for feeds in ([data], cut(data, places), [data[index : index + 1] for index in range(len(data))]):
        scanner = Scanner(ENGINES[0], before=1, after=2, max_line_bytes=limit)
        for feed in feeds:
            list(scanner.feed(feed))
        list(scanner.finish())
        assert (scanner.lines_lost, scanner.lines_lost_to) == (len(expected), expected[-1] if expected else 0)
