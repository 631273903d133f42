"""What a log went through on its way leaves no trace in a record."""

from __future__ import annotations

import json

import pytest

from diagnose.analyzer import Analyzer
from diagnose.model import RecordKind
from diagnose.records.terminal import strip_colours
from tests.records.feeding import only, records_of

RECORD = "(EngineCore pid=77) ERROR 11-29 12:00:01 [core.py:1366] EngineCore failed to start."


@pytest.mark.parametrize(
    "prefix",
    [
        "Nov 29 12:00:01 node-3 vllm[812]: ",
        "Nov  9 12:00:01 node-3 vllm.service[812]: ",
        "2026-11-29T12:00:01+0900 node-3 vllm[812]: ",
        "2026-11-29T12:00:01.123456789Z stdout F ",
        "2026-11-29T12:00:01.123456+09:00 stderr F ",
        "2026-11-29T12:00:01.1234567Z ",
        "2026-11-29T12:00:01.123456789Z ",
        "2026-11-29T12:00:01.123456Z 01O ",
        "server-1  | ",
        "vllm-openai  | ",
        "server-1  | 2026-11-29T12:00:01.123456789Z ",
        "[pod/serve-5d9/main] ",
        "[2026-11-29T12:00:01.123Z] ",
        "build\trun tests\t2026-11-29T12:00:01.1234567Z ",
        "2026-11-29T12:00:01.123456789+09:00 ",
        '2026-11-29T12:00:01+09:00 {app="vllm", pod="serve-0"} ',
        "2026-11-29T12:00:01.123000+00:00 serve/main/0123abcd ",
        "[1,0]<stderr>:",
        "[prterun-node3-812@1,0]<stdout>: ",
        "[ 1234.000001] node-3 vllm[812]: ",
        "Sun 2026-11-29 12:00:01 KST node-3 vllm.service[812]: ",
        "Sun 2026-11-29 12:00:01.123456 +09 node-3 vllm[812]: ",
        "1796025600.123456 node-3 vllm[812]: ",
        "Nov 29 12:00:01 <host-1> vllm: ",
        "2026-11-29T12:00:01+0900 <host-1> vllm[812]: ",
        "[ 1234.000001] <host-1> vllm[812]: ",
        "Sun 2026-11-29 12:00:01 KST <host-1> vllm.service[812]: ",
        "1796025600.123456 <host-1> vllm[812]: ",
        "serve-6f7c9d8b5-x2x4z main ",
        "serve-6f7c9d8b5-x2x4z main 2026-11-29T12:00:01.123456789Z ",
        "\x1b_bk;t=1700000000123\x07",
        "\ufeff2026-11-29T12:00:01.1234567Z ",
    ],
)
def test_every_transport_prefix_is_taken_off(prefix: str) -> None:
    record = only(prefix + RECORD)
    assert record.text == "EngineCore failed to start."
    assert (record.process, record.pid, record.level) == ("EngineCore", 77, "ERROR")
    assert (record.source, record.time) == ("core.py:1366", "11-29 12:00:01")


def test_the_transport_gives_the_time_when_nothing_else_does() -> None:
    assert only("2026-11-29T12:00:01.1234567Z Segmentation fault").time == "2026-11-29T12:00:01.1234567Z"


def test_a_kernel_line_begins_with_its_message() -> None:
    record = only("Nov 29 12:00:01 node-3 kernel: [  812.123456] rebellions rbln0: queue stopped")
    assert record.text == "rebellions rbln0: queue stopped"
    assert record.kind is RecordKind.RAW


@pytest.mark.parametrize(
    "coloured",
    [
        "\x1b[0;36m(EngineCore pid=77)\x1b[0;0m \x1b[31mERROR\x1b[0m \x1b[90m11-29 12:00:01\x1b[0m "
        "\x1b[90m[core.py:1366]\x1b[0m EngineCore failed to start.",
        "^[[1;36m(EngineCore pid=77)^[[0;0m ERROR 11-29 12:00:01 [core.py:1366] EngineCore failed to start.",
        "\ufffd[1;36m(EngineCore pid=77)\ufffd[0;0m ERROR 11-29 12:00:01 [core.py:1366] EngineCore failed to start.",
        "#033[1m(EngineCore pid=77)#033[0m ERROR 11-29 12:00:01 [core.py:1366] EngineCore failed to start.",
        "[1;36m(EngineCore pid=77)[0;0m ERROR 11-29 12:00:01 [core.py:1366] EngineCore failed to start.",
        "\x1b[2Kserver-1  | " + RECORD,
    ],
)
def test_colours_in_every_spelling_are_taken_off(coloured: str) -> None:
    record = only(coloured)
    assert record.text == "EngineCore failed to start."
    assert record.pid == 77


def test_a_repainted_line_keeps_what_was_painted_last() -> None:
    assert only("Loading: 10%\rLoading: 50%\rLoading: done\r").text == "Loading: done"


def test_a_record_behind_a_repainted_bar_keeps_its_own_process() -> None:
    record = only(f"(Worker pid=5) \rLoading:  50%|###  | 1/2\r{RECORD}")
    assert (record.text, record.pid) == ("EngineCore failed to start.", 77)


def test_a_repainted_line_keeps_the_process_named_once_before_it() -> None:
    assert only("(Worker pid=5) step 1\rstep 2").pid == 5


def test_docker_json_lines_are_opened() -> None:
    line = json.dumps({"log": RECORD + "\n", "stream": "stdout", "time": "2026-11-29T12:00:01.1Z"})
    record = only(line)
    assert (record.text, record.pid, record.line) == ("EngineCore failed to start.", 77, 1)


def test_a_line_docker_cut_at_its_buffer_is_one_line() -> None:
    long = "RuntimeError: " + "x" * 17_000
    entries = [
        json.dumps({"log": long[:16_384], "stream": "stderr", "time": "t"}),
        json.dumps({"log": "other\n", "stream": "stdout", "time": "t"}),
        json.dumps({"log": long[16_384:] + "\n", "stream": "stderr", "time": "t"}),
    ]
    joined = next(r for r in records_of("\n".join(entries)) if r.kind is RecordKind.EXCEPTION)
    assert joined.text == long
    assert joined.place(100).line == 1
    assert joined.place(16_500).line == 3


def test_cri_partial_lines_are_joined_per_stream() -> None:
    stamp = "2026-11-29T12:00:01.1Z"
    found = records_of(f"{stamp} stderr P ValueError: first \n{stamp} stdout F between\n{stamp} stderr F second half")
    assert [record.text for record in found] == ["ValueError: first second half", "between"]
    assert found[0].place(0).line == 1
    assert found[0].place(found[0].text.index("second")).line == 3


def test_places_are_right_when_a_prefix_was_cut_from_a_joined_line() -> None:
    stamp = "2026-11-29T12:00:01.1Z"
    record = only(
        f"{stamp} stdout P (EngineCore pid=7) ERROR 11-29 12:00:01 [core.py:9] first \n{stamp} stdout F second"
    )
    assert record.text == "first second"
    assert [record.place(index).line for index in (0, 5, 6, 11)] == [1, 1, 2, 2]


def test_a_partial_line_at_the_end_of_input_is_not_lost() -> None:
    assert only("2026-11-29T12:00:01.1Z stderr P ValueError: cut").text == "ValueError: cut"


def test_journald_json_is_opened_and_its_bytes_decoded() -> None:
    text = json.dumps({"MESSAGE": RECORD, "SYSLOG_IDENTIFIER": "vllm", "__REALTIME_TIMESTAMP": "0"})
    assert only(text).text == "EngineCore failed to start."
    record = only(json.dumps({"MESSAGE": list(b"Killed"), "__REALTIME_TIMESTAMP": "1000000"}))
    assert (record.text, record.time) == ("Killed", "1970-01-01T00:00:01+00:00")


def test_a_json_logger_gives_level_and_message() -> None:
    record = only('{"level": "error", "message": "device is not serviceable", "time": "t1"}')
    assert (record.kind, record.level, record.text) == (RecordKind.LOG, "ERROR", "device is not serviceable")


def test_a_traceback_in_one_json_line_is_read_as_a_traceback() -> None:
    trace = 'Traceback (most recent call last):\n  File "/a/b.py", line 3, in f\n    g()\nKeyError: 4'
    found = records_of(json.dumps({"log": f"{trace}\n", "stream": "stderr", "time": "t"}))
    assert [record.text for record in found] == ["KeyError: 4"]


@pytest.mark.parametrize("text", ['{"log": "cut off', "{}", '{"log": 4}', '{"MESSAGE": [999]}', "{not json"])
def test_json_that_is_no_envelope_stays_as_it_is(text: str) -> None:
    assert only(text).text == text


def test_a_github_error_marker_is_an_error() -> None:
    record = only("2026-11-29T12:00:01.1234567Z ##[error]Process completed with exit code 1.")
    assert (record.level, record.text) == ("ERROR", "Process completed with exit code 1.")
    assert only("::error file=a.py,line=3::bad value").text == "bad value"


def test_two_containers_never_share_a_traceback() -> None:
    text = "\n".join(
        [
            "a-1  | Traceback (most recent call last):",
            "b-1  | Traceback (most recent call last):",
            'a-1  |   File "/x/one.py", line 1, in f',
            'b-1  |   File "/x/two.py", line 2, in g',
            "a-1  | KeyError: 'a'",
            "b-1  | KeyError: 'b'",
        ]
    )
    found = records_of(text)
    assert [record.text for record in found] == ["KeyError: 'a'", "KeyError: 'b'"]
    assert [record.exception.frames for record in found if record.exception] == [
        ("one.py:1 in f",),
        ("two.py:2 in g",),
    ]


def test_an_error_whose_level_was_coloured_is_found_where_the_escape_character_was_replaced() -> None:
    text = "2026-11-29 11:02:09,402 \ufffd[31mERROR\ufffd[0m [rebel-compiler] tile planner gave up\n"
    analyzer = Analyzer(repair=False)
    analyzer.feed(text.encode())
    assert [unknown.text for unknown in analyzer.finish().unknown] == ["tile planner gave up"]


@pytest.mark.parametrize("text", ["\ufffd[INFO] up", "\ufffd[128K context", "\ufffd[model]", "\ufffd[0] up"])
def test_a_broken_character_before_a_bracket_is_no_colour(text: str) -> None:
    assert strip_colours(text) == text
