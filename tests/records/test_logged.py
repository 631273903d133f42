"""Messages of several lines are one record; messages of one line stay apart."""

from __future__ import annotations

import json

from diagnose.model import RecordKind
from diagnose.records.limits import MAX_RECORD_CHARS, MAX_RECORD_LINES
from tests.records.feeding import exceptions, logged, only, records_of

HEAD = "(EngineCore pid=4) ERROR 11-29 11:57:53 [core.py:1366] "
INFO = "(APIServer pid=1) INFO 11-29 11:57:50 [a.py:5] "


def test_a_wrapped_message_is_one_record() -> None:
    record = records_of(INFO + "start\n" + logged(HEAD, "first", "second", "", "third"))[1]
    assert record.text == "first\nsecond\n\nthird"
    assert [piece.line for piece in record.pieces] == [2, 3, 4, 5]


def test_one_line_messages_of_one_second_stay_apart_when_marks_tell() -> None:
    text = logged(HEAD, "first", "second") + "\n" + f"{HEAD}  indented, but another record"
    assert [r.text for r in records_of(text)] == ["first\nsecond", "  indented, but another record"]


def test_one_line_messages_of_one_second_stay_apart_without_marks() -> None:
    routes = [f"{INFO}Route: /{name}, Methods: POST" for name in ("a", "b", "c")]
    assert len(records_of("\n".join(routes))) == 3


def test_a_json_dump_is_one_record_when_the_marks_were_lost() -> None:
    dump = json.dumps({"batch_size": 4, "visual": {"max_seq_len": [1, 2]}}, indent=2).split("\n")
    record = only(logged(INFO, "Compiling x with rbln_config:", *dump, marks=False))
    assert json.loads(record.text.partition("\n")[2])["visual"]["max_seq_len"] == [1, 2]


def test_a_statement_repeated_in_one_second_is_two_records() -> None:
    found = records_of(f"{HEAD}Failed for:\n{HEAD}Failed for:")
    assert [r.text for r in found] == ["Failed for:", "Failed for:"]


def test_a_file_with_windows_line_ends_marks_nothing() -> None:
    text = "\r\n".join([INFO + "one", INFO + "two", "raw", INFO + "three", ""])
    assert [r.text for r in records_of(text)] == ["one", "two", "raw", "three"]


def test_logged_lines_of_two_processes_may_alternate() -> None:
    one = logged(HEAD, "a1", "a2", "a3").split("\n")
    two = logged(HEAD.replace("pid=4", "pid=5"), "b1", "b2", "b3").split("\n")
    mixed = "\n".join(line for pair in zip(one, two, strict=True) for line in pair)
    assert sorted(r.text for r in records_of(INFO + "x\n" + mixed)) == ["a1\na2\na3", "b1\nb2\nb3", "x"]


def test_a_glog_message_is_joined_by_its_microseconds() -> None:
    head = "E1129 18:21:22.792000 77 torch/a.py:874] "
    record = only(logged(head, "Compilation failed: k", "def k(x):", "    y = x", "", "meta: {}", marks=False))
    assert record.text == "Compilation failed: k\ndef k(x):\n    y = x\n\nmeta: {}"


def test_a_message_of_optimum_goes_on_in_unprefixed_lines() -> None:
    text = (
        "2026-11-29 11:57:53,295 WARNING [optimum.rbln] The following are overruled:\n"
        "  - max_seq_len: 4096\n"
        "  - batch_size: 2\n"
        "Compiling now"
    )
    found = records_of(text)
    assert [r.kind for r in found] == [RecordKind.LOG, RecordKind.RAW]
    assert found[0].text.count("\n") == 2


def test_program_output_after_a_log_line_is_not_swallowed() -> None:
    found = records_of(f"{INFO}hello\nSYS_ENOMEM: Out of memory\n2026-11-29 11:57:53,295 INFO [optimum.rbln] a\nb")
    assert [r.text for r in found] == ["hello", "SYS_ENOMEM: Out of memory", "a", "b"]


def test_the_command_line_error_keeps_its_further_lines() -> None:
    text = "❌ Error during model compilation: Failed to create it:\n  reason: full\ndone"
    assert [r.text for r in records_of(text)] == [
        "Error during model compilation: Failed to create it:\n  reason: full",
        "done",
    ]


def test_a_record_keeps_at_most_so_many_lines() -> None:
    parts = [f"line {number}" for number in range(MAX_RECORD_LINES + 50)]
    record = records_of(INFO + "x\n" + logged(HEAD, *parts))[1]
    assert record.text.split("\n") == parts[:MAX_RECORD_LINES]


def test_a_record_keeps_at_most_so_many_characters() -> None:
    record = records_of(INFO + "x\n" + logged(HEAD, *(["y" * 10_000] * 10)))[1]
    assert MAX_RECORD_CHARS - 2 <= len(record.text) <= MAX_RECORD_CHARS
    assert len(only("z" * (MAX_RECORD_CHARS * 2)).text) <= MAX_RECORD_CHARS


def test_lines_left_out_close_what_is_open() -> None:
    from tests.records.feeding import lines_of

    text = logged(HEAD, "Traceback (most recent call last):", '  File "/a.py", line 1, in f')
    tail = lines_of(f"{HEAD}    g()\n{HEAD}KeyError: 2", first=40)
    found = exceptions([*lines_of(text), *tail])
    assert [(r.text, r.line) for r in found] == [("KeyError: 2", 41)]
    assert found[0].exception is not None and found[0].exception.bare


def test_source_lines_after_a_gap_are_no_statement() -> None:
    text = f'{HEAD}    raise ValueError("`block_size` is required")\n{HEAD}             ^^^^'
    assert records_of(text) == []


def test_a_logged_exception_line_is_an_exception_only_when_it_is_serious() -> None:
    assert only(f"{HEAD}TimeoutError: peer").kind is RecordKind.EXCEPTION
    assert only(f"{INFO}TimeoutError: peer").kind is RecordKind.LOG
    record = only("ERROR:root:ValueError: bad")
    assert record.exception is not None
    assert (record.kind, record.level, record.exception.bare) == (RecordKind.EXCEPTION, "ERROR", True)


def test_a_prompt_echoed_over_several_lines_is_one_record_of_its_server() -> None:
    from tests.records.feeding import records_of

    log = (
        "(APIServer pid=1) INFO 11-29 08:16:30 [logger.py:43] Received request a: prompt: 'I see\n"
        "Traceback (most recent call last):\n"
        '  File "/a/b.py", line 3, in f\n'
        "ValueError: boom\n"
        "What now?', params: SamplingParams(n=1)\n"
        "ValueError: my own\n"
    )
    kinds = [(r.kind.value, r.line, r.last_line) for r in records_of(log)]
    assert kinds == [("log", 1, 5), ("exception", 6, 6)]
