"""Every cap is reached here, and nothing is lost silently but what lies beyond it."""

from __future__ import annotations

from diagnose.model import RecordKind
from diagnose.records import Assembler, fingerprint_text, limits, log_draft, shapes, template, transport
from tests.records.feeding import exceptions, lines_of, records_of

HEADER = "Traceback (most recent call last):"
FRAME = '  File "/a.py", line 1, in f'


def test_the_process_silent_for_longest_is_closed_first() -> None:
    assembler = Assembler()
    out = []
    for number in range(limits.MAX_STREAMS + 3):
        for line in lines_of(f"(W pid={number}) {HEADER}", first=number + 1)[:1]:
            out += assembler.feed(line)
    assert [record.pid for record in out] == [0, 1, 2]
    assert len(assembler.flush()) == limits.MAX_STREAMS


def test_the_oldest_unfinished_container_line_is_given_up_first() -> None:
    unit = "2026-11-29T12:00:01.1Z stderr P "
    lines = [f"s{number}-1  | {unit}ValueError: {number}" for number in range(limits.MAX_PARTIALS + 2)]
    assembler = Assembler()
    early = [record for line in lines_of("\n".join(lines)) for record in assembler.feed(line)]
    rest = assembler.flush()
    assert len(early) + len(rest) == limits.MAX_PARTIALS + 2


def test_an_unfinished_container_line_stops_growing() -> None:
    part = "2026-11-29T12:00:01.1Z stderr P " + "x" * 10_000
    found = records_of("\n".join([part] * 40))
    assert len(found) == 1
    assert len(found[0].text) <= limits.MAX_RECORD_CHARS


def test_a_traceback_waits_for_its_end_only_so_long() -> None:
    near = "\n".join([HEADER, FRAME, *["foreign output"] * limits.MAX_FOREIGN, "Odd: end"])
    far = "\n".join([HEADER, FRAME, *["foreign output"] * (limits.MAX_FOREIGN + 1), "Odd: end"])
    assert [record.text for record in exceptions(near)] == ["Odd: end"]
    assert exceptions(far) == []


def test_blank_lines_inside_a_message_are_few() -> None:
    body = f"{HEADER}\n{FRAME}\nOSError: a\n"
    assert exceptions(body + "\n" * limits.MAX_BLANKS + "b")[0].text.endswith("b")
    assert exceptions(body + "\n" * (limits.MAX_BLANKS + 1) + "b")[0].text == "OSError: a"


def test_a_chain_keeps_at_most_so_many_exceptions() -> None:
    link = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
    found = exceptions(link.join([f"{HEADER}\n{FRAME}\nOSError: a"] * (limits.MAX_CHAIN + 5)))
    assert len(found) == limits.MAX_CHAIN


def test_a_usage_text_ends_somewhere() -> None:
    options = "\n".join(["  --x"] * (limits.MAX_USAGE_LINES + 10))
    found = records_of("usage: vllm serve\n" + options)
    assert {record.kind for record in found} == {RecordKind.RAW}
    assert 0 < len(found) <= 12


def test_a_frame_keeps_so_much_of_its_source() -> None:
    found = exceptions(f"{HEADER}\n{FRAME}\n    {'x' * 5_000}\nKeyError: 1")
    assert found[0].exception is not None
    assert len(found[0].exception.frames[0]) < limits.MAX_SOURCE_CHARS + 20


def test_hostile_lines_are_read_to_their_end() -> None:
    size = 200_000
    hostile = [
        "a." * (size // 2),
        "a@" * (size // 2),
        "a-1" * (size // 3),
        "(A " + " =" * (size // 2),
        "^" + " " * size + "x",
        f'{HEADER}\n  File "/a.py", line 1, in f' + " " * size + "x\n    ^" + " " * size + "x\nKeyError: 1",
        "2026-11-29 11:57:53,295 INFO" + " " * size,
        "x.py:" * (size // 5),
        "INFO 11-29 12:00:00 " * (size // 20) + ".py:",
        "\r" * size,
        "[1;" * (size // 3) + "[0m",
        "{" * size,
        '{"log": ' + "[" * size,
        '"' * size,
        "  | " * (size // 4),
        "Error" * (size // 5),
        '{"event":"rbln.worker.fatal","' + '\\"' * (size // 2),
        "usage: x\n" + "a/" * (size // 2) + ": error",
        "Process " + "a.1:1" * (size // 5),
    ]
    for text in hostile:
        lines = 1 + text.count("\n") + text.count("\r")
        assert len(records_of(text)) <= lines
        assert len(records_of(f"{HEADER}\n{FRAME}\nKeyError: 1\n{text}")) <= 3 + lines


def test_a_prompt_that_never_ends_does_not_swallow_the_log() -> None:
    head = "INFO 11-29 12:00:00 [logger.py:39] Received request a: prompt: 'first"
    said = ["ValueError: said by a user"] * (log_draft._MAX_PROMPT_LINES - 1)
    assert exceptions("\n".join([head, *said])) == []
    found = exceptions("\n".join([head, *said, "ValueError: real"]))
    assert [record.text for record in found] == ["ValueError: real"]


def test_a_line_shows_early_that_it_is_an_exception() -> None:
    def name(length: int) -> str:
        return "a" * (length - len(".Error: ")) + ".Error"

    fits, beyond = name(shapes._MAX_HEAD), name(shapes._MAX_HEAD + 40)
    assert shapes.exception_type(f"{fits}: x") == shapes.closing_type(f"{fits}: x") == fits
    assert shapes.exception_type(f"{beyond}: x") is shapes.closing_type(f"{beyond}: x") is None


def test_what_tells_errors_apart_stands_early_in_them() -> None:
    same = "x " * (template._MAX_CHARS // 2)
    assert fingerprint_text(f"{same}a") == fingerprint_text(f"{same}b")
    assert fingerprint_text(f"{same[2:]}a") != fingerprint_text(f"{same[2:]}b")


def test_a_line_was_carried_so_often() -> None:
    layer, message = "web-1  | ", "ValueError: x"
    most = transport._MAX_LAYERS
    assert transport.read_transport(layer * most + message).end == len(layer) * most
    assert transport.read_transport(layer * (most + 1) + message).end == len(layer) * most
