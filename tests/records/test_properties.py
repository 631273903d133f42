"""What holds for any input."""

from __future__ import annotations

import re
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.model import Line, Record, RecordKind
from diagnose.records import Assembler, fingerprint_text
from tests.records.feeding import exceptions, lines_of, records_of

NAMES = st.sampled_from(["ValueError", "OSError", "a.b.TimeoutError", "AssertionError", "pkg.Odd"])
WORDS = st.text(alphabet="abc 12한", min_size=1, max_size=12).map(lambda text: "m" + text.strip())
SEPARATORS = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)


@st.composite
def tracebacks(draw: st.DrawFn) -> list[str]:
    """Lines of one chain, without prefixes."""
    lines: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        if number:
            lines += ["", draw(st.sampled_from(SEPARATORS)), ""]
        lines.append("Traceback (most recent call last):")
        for frame in range(draw(st.integers(1, 8))):
            lines.append(f'  File "/x/f{frame}.py", line {frame + 1}, in g')
            lines += draw(st.sampled_from([[], ["    call()"], ["    call()", "    ^^^^^^"]]))
        message = draw(st.lists(WORDS, max_size=3))
        head = draw(NAMES)
        lines.append(f"{head}: {message[0]}" if message else head)
        lines += message[1:]
    return lines


PREFIXES = st.sampled_from(
    [
        ("(EngineCore pid=4) ", "(APIServer pid=1) "),
        ("(Worker_TP0 pid=4) ", "(Worker_TP1 pid=5) "),
        ("[rank0]: ", "[rank1]: "),
        ("a-1  | ", "b-1  | "),
        (
            "(EngineCore pid=4) ERROR 11-29 12:00:00 [core.py:1] ",
            "(EngineCore pid=5) ERROR 11-29 12:00:00 [core.py:1] ",
        ),
    ]
)


def shape(record: Record) -> tuple[object, ...]:
    """Everything about an exception but where it stood and how its chain is numbered."""
    info = record.exception
    assert info is not None
    return (
        record.text,
        record.process,
        record.pid,
        record.level,
        info.type,
        info.position,
        info.link,
        info.last,
        info.frames,
        info.bare,
    )


@given(tracebacks(), tracebacks(), PREFIXES, st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_for_any_interleaving_the_exceptions_are_the_same_as_apart(
    one: list[str], two: list[str], prefixes: tuple[str, str], order: Random
) -> None:
    left = [prefixes[0] + line for line in one]
    right = [prefixes[1] + line for line in two]
    apart = [shape(r) for text in (left, right) for r in exceptions("\n".join(text))]
    sides = [left] * len(left) + [right] * len(right)
    order.shuffle(sides)
    taken = {id(left): iter(left), id(right): iter(right)}
    mixed = [next(taken[id(side)]) for side in sides]
    together = [shape(r) for r in exceptions("\n".join(mixed))]
    assert sorted(map(repr, together)) == sorted(map(repr, apart))


@given(tracebacks(), st.integers(1, 1000), st.integers(0, 3))
@settings(max_examples=60)
def test_any_traceback_tells_type_message_and_order(lines: list[str], first: int, blank: int) -> None:
    feed = lines_of("\n".join([*lines, *([""] * blank)]), first)
    found = exceptions(feed)
    headers = [number for number, line in enumerate(lines) if line.startswith("Traceback")]
    assert [r.exception.position for r in found if r.exception] == list(range(len(headers)))
    for record in found:
        assert record.exception is not None
        assert record.text.startswith(record.exception.type)
        assert lines[record.line - first].rstrip() == record.text.split("\n")[0]


LOOSE = st.sampled_from(
    [
        "",
        "plain output",
        "  indented",
        "Traceback (most recent call last):",
        '  File "/a.py", line 1, in f',
        "    source()",
        "ValueError: bad",
        "AssertionError",
        *SEPARATORS,
        "  + Exception Group Traceback (most recent call last):",
        "  | ExceptionGroup: x (2 sub-exceptions)",
        "  +-+---------------- 1 ----------------",
        "    | KeyError: 1",
        "    +------------------------------------",
        "INFO 11-29 12:00:00 [a.py:1] one:",
        "INFO 11-29 12:00:00 [a.py:1] {",
        "ERROR 11-29 12:00:00 [a.py:2] EngineCore failed to start.\r",
        "ERROR 11-29 12:00:00 [a.py:2] Traceback (most recent call last):\r",
        "2026-11-29 11:57:53,295 WARNING [optimum.rbln] text:",
        'INFO:     127.0.0.1:5 - "GET / HTTP/1.1" 200 OK',
        "usage: vllm serve",
        "vllm serve: error: bad",
        "/a.py:3: UserWarning: x",
        "terminate called after",
        "  what():  bad",
        "E   ValueError: x",
        "Process EngineCore:",
        "Exception ignored in: x",
        'x{"event":"rbln.worker.fatal","exception_type":"A","exception_message":"b\\nc"}y',
        '{"log": "one\\ntwo\\n", "stream": "stderr"}',
        "2026-11-29T12:00:01.1Z stderr P half ",
        "2026-11-29T12:00:01.1Z stderr F whole",
        "a\rb\r",
        "한국어 로그",
    ]
)
OWNERS = st.sampled_from(["", "(A pid=1) ", "(B pid=2) ", "[rank0]: ", "web-1  | "])
ANY_LINE = st.one_of(st.builds(lambda owner, text: owner + text, OWNERS, LOOSE), st.text(max_size=30))


@given(st.lists(st.tuples(ANY_LINE, st.integers(1, 3)), max_size=40))
@settings(max_examples=300)
def test_pieces_lead_back_to_the_right_line_for_any_input(drawn: list[tuple[str, int]]) -> None:
    lines: list[Line] = []
    number, offset = 0, 0
    for text, step in drawn:
        number, offset = number + (1 if step < 3 else step), offset + 100
        lines.append(Line(number, offset, text.replace("\n", " ")))
    by_number = {line.number: line for line in lines}
    for record in records_of(lines):
        starts = [piece.start for piece in record.pieces]
        assert starts and starts[0] == 0 and starts == sorted(starts)
        assert len(record.text.split("\n")) <= len(record.pieces)
        begin = 0
        for part in record.text.split("\n"):
            piece = record.place(begin)
            line = by_number[piece.line]
            assert piece.offset == line.offset
            if record.kind is not RecordKind.FATAL and part.isascii():
                # What stands between the layers may be escaped in JSON or cut by colours, words may not.
                for word in re.findall(r"[A-Za-z]{4,}", part)[:3]:
                    at = record.place(begin + part.index(word))
                    assert word in by_number[at.line].text
            begin += len(part) + 1


@given(st.lists(ANY_LINE, max_size=40))
@settings(max_examples=150)
def test_the_records_depend_on_the_lines_alone(texts: list[str]) -> None:
    lines = [Line(n, n * 10, text.replace("\n", " ")) for n, text in enumerate(texts, 1)]
    assert records_of(lines) == records_of(lines)
    # What is given early never changes later: every prefix of the input gives a prefix of the records.
    assembler = Assembler()
    given_so_far: list[Record] = []
    for line in lines:
        given_so_far += assembler.feed(line)
    half = Assembler()
    early = [record for line in lines[: len(lines) // 2] for record in half.feed(line)]
    assert given_so_far[: len(early)] == early


@given(st.text(max_size=200))
@settings(max_examples=300)
def test_a_fingerprint_of_a_fingerprint_is_itself(text: str) -> None:
    once = fingerprint_text(text)
    assert fingerprint_text(once) == once


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0.1, 10**6, allow_nan=False))
def test_any_numbers_give_one_fingerprint(a: int, b: int, c: float) -> None:
    text = f"needs {a:,} blocks of {b} tokens ({c:.2f} GiB) at 0x{a:08x} in /srv/m{b}/x.rbln pid={b}"
    other = "needs 1,000 blocks of 7 tokens (0.50 GiB) at 0x000000ff in /srv/other/y.rbln pid=9"
    assert fingerprint_text(text) == fingerprint_text(other)
