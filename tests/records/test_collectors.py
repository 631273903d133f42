"""What stores of logs, launchers and recorders of a terminal put around lines leaves no trace in a record."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.metamorphic.collectors import CODES, COLLECTORS, Change, fluentd
from diagnose.model import Record, RecordKind
from diagnose.records import envelope, tables
from diagnose.records.terminal import strip_colours
from tests.records.feeding import only, records_of

LOG = (
    "(EngineCore pid=77) INFO 11-29 12:00:00 [core.py:9] Loading, with \"quotes\", a comma and {'a': 1}\n"
    "(EngineCore pid=77) ERROR 11-29 12:00:01 [core.py:1366] EngineCore failed to start.\n"
    "Traceback (most recent call last):\n"
    '  File "/srv/run.py", line 3, in <module>\n'
    "    main(x, y)\n"
    'ValueError: only 12 blocks, at least 17 are required, see "the page"\n'
)


def essence(record: Record) -> tuple[object, ...]:
    return record.kind, record.text, record.process, record.pid, record.level, record.source


@pytest.mark.parametrize("change", [*COLLECTORS, *CODES, fluentd], ids=lambda f: f.__name__)
def test_the_records_are_those_of_the_log_itself(change: Change) -> None:
    found = [essence(r) for r in records_of(change(LOG, random.Random(1)).rstrip("\n"))]
    around = ("Script started on 2026-11-29 08:07:35+09:00", "[\n  {", "[", "  {")
    assert [one for one in found if one[1] not in around] == [essence(r) for r in records_of(LOG.rstrip("\n"))]


@pytest.mark.parametrize("change", [*COLLECTORS, *CODES, fluentd], ids=lambda f: f.__name__)
def test_a_record_stands_on_the_line_of_the_file_that_holds_its_message(change: Change) -> None:
    text = change(LOG, random.Random(1))
    lines = text.split("\n")
    (record,) = [r for r in records_of(text) if r.kind is RecordKind.EXCEPTION]
    told = next(n for n, line in enumerate(lines, 1) if "12 blocks" in line.replace("\b", ""))
    assert record.place(0).line == told
    assert record.line == told


WORDS = st.text(alphabet=st.sampled_from("ab ,;\"'{}[]:=\\/<>|0123\t가"), min_size=1, max_size=60)


@given(WORDS.filter(lambda t: t.strip() == t))
@settings(max_examples=120)
def test_any_message_comes_out_of_a_table_as_it_was(words: str) -> None:
    out = io.StringIO()
    rows = [("Date", "Host", "Message"), ("2026-11-29T12:00:01.000Z", "npu-3", f"ERROR: {words}")]
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    (record,) = records_of(out.getvalue().rstrip("\n"))
    assert (record.text, record.line) == (words, 2)


@pytest.mark.parametrize(
    "row",
    [
        '2026-11-29 12:00:01.123,"{}"',
        '"2026-11-29T12:00:01Z","npu-3","{}"',
        '1796025600123,"{}",web-1',
        '"{}","2026-11-29T12:00:01.000+09:00","npu-3"',
        '"Nov 29, 2026 @ 12:00:01.123","{}"',
        '"{{""app"":""vllm""}}","2026-11-29 12:00:01.123","{}","1796025600123000000"',
    ],
)
def test_a_row_is_known_without_the_header(row: str) -> None:
    message = '(EngineCore pid=77) ERROR 11-29 12:00:01 [core.py:9] cannot load "a", exit'
    record = only(row.format(message.replace('"', '""')))
    assert (record.text, record.pid, record.level) == ('cannot load "a", exit', 77, "ERROR")


def test_a_value_of_several_lines_ends_where_its_quotes_end() -> None:
    text = (
        "@timestamp,@message\n"
        '2026-11-29 12:00:01.123,"Traceback (most recent call last):\n'
        '  File ""/srv/run.py"", line 3, in f\n'
        "    g()\n"
        'KeyError: ""x"""\n'
        "2026-11-29 12:00:02.123,INFO: over"
    )
    first, second = records_of(text)
    assert (first.text, first.line) == ('KeyError: "x"', 5)
    assert second.text == "over"


def test_the_binary_form_of_an_exported_message_is_read_without_its_length() -> None:
    text = (
        "__REALTIME_TIMESTAMP=1000000\nMESSAGE\n"
        ".Traceback (most recent call last):\n"  # the zeros of the length are dropped when a line is read
        '  File "/srv/run.py", line 3, in f\n'
        "KeyError: 4\n_PID=7\n\n"
        "__REALTIME_TIMESTAMP=2000000\nMESSAGE\n\x2c\x01ERROR: over\n_PID=7"
    )
    first, second = records_of(text)
    assert (first.text, first.line, first.time) == ("KeyError: 4", 5, "1970-01-01T00:00:01+00:00")
    assert (second.text, second.level) == ("over", "ERROR")


def test_an_array_in_one_line_is_read_record_by_record() -> None:
    lines = [{"line": line, "timestamp": "1796025600000000000", "fields": {"app": "x"}} for line in LOG.split("\n")]
    assert [essence(r) for r in records_of(json.dumps(lines))] == [essence(r) for r in records_of(LOG)]


@pytest.mark.parametrize(
    "record",
    [
        {"_source": {"message": "ERROR: over", "@timestamp": "t"}},
        {"preview": False, "result": {"_raw": "ERROR: over", "_time": "t"}},
        {"id": "x", "attributes": {"timestamp": "t", "message": "ERROR: over", "tags": []}},
        {"timestamp": "t", "jsonPayload": {"message": "ERROR: over"}},
        {"@timestamp": "t", "@message": "ERROR: over\n"},
    ],
)
def test_a_record_inside_of_a_record_is_found(record: object) -> None:
    assert only(json.dumps(record)).text == "over"


def test_a_record_deeper_than_a_store_keeps_one_and_a_row_of_more_columns_are_left_as_they_are() -> None:
    record: dict[str, object] = {"message": "ERROR: over"}
    for depth in range(1, envelope._MAX_INSIDE + 2):
        text = json.dumps({"time": "t", **record})
        assert only(text).text == ("over" if depth <= envelope._MAX_INSIDE else text)
        record = {"_source": record}
    for columns in (tables._MAX_FIELDS, tables._MAX_FIELDS + 1):
        row = '"2026-11-29T12:00:01Z","ERROR: over"' + ',"a"' * (columns - 2)
        assert only(row).text == ("over" if columns <= tables._MAX_FIELDS else row)


@pytest.mark.parametrize(
    "text",
    [
        "PATH=/usr/bin\nRBLN_DEVICES=0,1\nHF_HOME=/x",
        '{\n  "batch_size": 8,\n  "message": "ERROR: none"\n}',
        "2026-11-29 11:57:53,295\n2026-11-29 11:57:53,295 text",
        'a "word", and another\n"word", and\n"a","b"',
        "12:34:56 is a time\n100:200\nx 0: y",
        '[0] cpu: 12\n[1, 2, 3]\n[{"a": 1}]',
        "Time is up, Line of 3",
    ],
)
def test_what_only_looks_like_it_stays_as_it_is(text: str) -> None:
    assert "\n".join(line for r in records_of(text) for line in r.text.split("\n")) == text


def test_tasks_of_srun_are_told_apart() -> None:
    text = (
        " 0: Traceback (most recent call last):\n12: Traceback (most recent call last):\n"
        ' 0:   File "/srv/a.py", line 1, in f\n12:   File "/srv/b.py", line 2, in g\n'
        " 0: KeyError: 'a'\n12: KeyError: 'b'"
    )
    assert [r.text for r in records_of(text)] == ["KeyError: 'a'", "KeyError: 'b'"]


def test_a_date_in_brackets_before_a_level_belongs_to_the_logger() -> None:
    assert only("[2026-11-29 12:00:01] [error] over").level == "ERROR"
    assert only("[2026-11-29 12:00:01] INFO 11-29 12:00:01 [core.py:9] over").source == "core.py:9"


@given(st.text(alphabet="ab\b", max_size=30))
def test_a_backspace_takes_back_what_was_typed(text: str) -> None:
    shown = ""
    for character in text:
        shown = shown[:-1] if character == "\b" else shown + character
    assert strip_colours(text) == shown
