"""What calls itself an error is one, whatever logger's object or pairs it stands in."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from bench.metamorphic.transforms import BY_NAME
from diagnose import diagnose_bytes
from diagnose.matching import is_error
from diagnose.records import reports_error
from diagnose.records.levelled import MAX_DEEP, MAX_VALUES, levelled, logfmt
from tests.records.feeding import records_of

KNOWN = "RuntimeError: SYS_EBUSY: Lack of device memory. (code: -16)"
STRANGE = "acme.lanes.Gate: lane 3 never drained"
CALM = "INFO 11-29 07:00:13 [model.py:2030] Using max model len 40960\nLoading   ███████ 100%  00:41\n"


def trace(last: str) -> str:
    return f'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in <module>\n    go()\n{last}'


def objects(said: str) -> dict[str, Any]:
    """Objects of many loggers that report ``said``."""
    return {
        "plain": {"level": "error", "error": said},
        "structlog": {"event": "load failed", "level": "error", "exception": trace(said)},
        "structlog, a dictionary": {"event": "x", "level": "error", "exception": [{"exc_value": said}]},
        "ECS": {"log.level": "ERROR", "message": "x", "error": {"message": said, "stack_trace": trace(said)}},
        "ECS, nested": {"@timestamp": "2026-11-29T09:00:00Z", "log": {"level": "error"}, "message": said},
        "Google Cloud": {"severity": "ERROR", "jsonPayload": {"message": said}},
        "Google Cloud, plain": {"severity": "ERROR", "message": said},
        "Google Cloud, a bare line": {"severity": "ERROR", "timestamp": "2026-11-29T09:00:00Z", "textPayload": said},
        "loguru": {
            "text": f"load failed\n{trace(said)}",
            "record": {"level": {"name": "ERROR", "no": 40}, "message": "load failed"},
        },
        "bunyan": {"level": 50, "msg": "failed", "err": {"message": said, "stack": trace(said)}},
        "OpenTelemetry": {"SeverityText": "ERROR", "Body": said, "Attributes": {"exception.stacktrace": trace(said)}},
        "OpenTelemetry by number": {"severityNumber": 17, "body": {"stringValue": said}},
        "OpenTelemetry's export": {
            "resourceLogs": [
                {
                    "scopeLogs": [
                        {
                            "logRecords": [
                                {"severityText": "INFO", "body": {"stringValue": "fine"}},
                                {"severityText": "ERROR", "body": {"stringValue": "load failed"}},
                                {
                                    "severityText": "ERROR",
                                    "attributes": [{"key": "exception.message", "value": {"stringValue": said}}],
                                },
                            ]
                        }
                    ]
                }
            ]
        },
        "GELF": {"version": "1.1", "short_message": said, "full_message": trace(said), "level": 3},
        "zap": {"L": "ERROR", "T": "2026", "M": "load failed", "S": said},
        "kserve": {"severity": "error", "details": said},
        "a result": {"result": {"status": "failed", "reason": said}},
        "docker around another": {"log": json.dumps({"level": "error", "error": said}) + "\n", "stream": "stderr"},
        "a list": [{"level": "info", "message": "fine"}, {"level": "error", "message": said}],
    }


@pytest.mark.parametrize("shape", objects(""))
@pytest.mark.parametrize("spaces", [None, (",", ":")], ids=["spaced", "tight"])
def test_an_error_nobody_knows_is_an_error_in_any_object(shape: str, spaces: tuple[str, str] | None) -> None:
    line = json.dumps(objects(STRANGE)[shape], separators=spaces)
    found = diagnose_bytes((CALM + line + "\n").encode())
    assert found.outcome == "unknown"
    assert any(STRANGE in one.text for one in found.unknown)
    assert {one.line for one in found.unknown} == {3}


@pytest.mark.parametrize("shape", objects(""))
def test_a_known_error_is_known_in_any_object_with_its_words(shape: str) -> None:
    found = diagnose_bytes((CALM + json.dumps(objects(KNOWN)[shape]) + "\n").encode())
    assert [(one.entry, one.line) for one in found.findings] == [("runtime.create-failed", 3)]
    assert found.findings[0].numbers["error_code"] == "SYS_EBUSY"


@pytest.mark.parametrize(
    "line",
    [
        f'ts=2026-11-29T09:00:00Z level=error msg="load failed" err="{KNOWN}"',
        f'level=error msg="{KNOWN}"',
        f'time="2026-11-29T09:00:00Z" level=fatal msg="{KNOWN}" id=7',
        f'2026-11-29T09:00:00.123456789Z stderr F {{"level":"error","err":"{KNOWN}"}}',
        f'vllm-1  | {{"level":"error","err":"{KNOWN}"}}',
    ],
)
def test_pairs_and_what_a_transport_carries_are_read_so_too(line: str) -> None:
    assert [one.entry for one in diagnose_bytes((CALM + line).encode()).findings] == ["runtime.create-failed"]
    strange = diagnose_bytes((CALM + line.replace(KNOWN, STRANGE)).encode())
    assert strange.outcome == "unknown"
    assert any(STRANGE in one.text for one in strange.unknown)


@pytest.mark.parametrize(
    "line",
    [
        {"level": "info", "msg": "request", "prompt": KNOWN},
        {"level": "info", "event": "asked", "text": KNOWN},
        {"level": "info", "message": f'the user wrote: "{KNOWN}"'},
        {"level": "error", "status": 500, "path": "/v1/models"},
        {"level": "error", "error": None},
        {"level": 3},
        {"level": 3, "message": "depth"},
        {"level": 50, "name": "water"},
        {"version": "1.1", "short_message": "an error was mended", "level": 6},
        {"log_level": "error", "model": "Qwen/Qwen3-8B", "dtype": "bfloat16"},
        {"severity": "INFO", "jsonPayload": {"message": "no error"}},
        {"severity": "ERROR", "timestamp": "2026-11-29T09:00:00Z", "textPayload": "Loading weights:  50%|█████     |"},
        {"result": {"status": "completed", "reason": "no failure"}},
        {"object": "error", "message": "max_tokens is too large", "type": "BadRequestError", "code": 400},
    ],
    ids=str,
)
def test_what_calls_itself_no_error_or_says_nothing_is_none(line: dict[str, Any]) -> None:
    assert diagnose_bytes((CALM + json.dumps(line) + "\n").encode()).outcome == "healthy"


def test_a_prompt_of_many_lines_may_hold_an_object_that_is_an_error() -> None:
    log = (
        "(APIServer pid=7) INFO 11-29 12:00:00 [logger.py:39] Received request cmpl-1: prompt: 'What is this?\n"
        + json.dumps({"level": "error", "error": STRANGE})
        + "\nThanks', params: SamplingParams(n=1), prompt_token_ids: None\n"
    )
    assert diagnose_bytes((CALM + log).encode()).outcome == "healthy"


def test_two_errors_that_follow_each_other_are_two() -> None:
    lines = [json.dumps({"level": "error", "error": one}) for one in (trace("ValueError: a"), STRANGE, STRANGE)]
    found = [record for record in records_of("\n".join(lines)) if is_error(record)]
    assert [(record.text, record.line) for record in found] == [("ValueError: a", 1), (STRANGE, 2), (STRANGE, 3)]


def test_what_a_traceback_ends_with_is_not_said_twice() -> None:
    said = levelled({"level": "error", "msg": "x", "err": {"message": "lane 3", "stack": trace("E: lane 3")}})
    assert said is not None
    assert said.text == "x\n" + trace("E: lane 3")


def test_a_message_stands_behind_its_type_where_they_are_apart() -> None:
    said = levelled({"level": "fatal", "error": {"type": "OSError", "message": "gone"}})
    assert said == ("CRITICAL", "OSError: gone")


def test_pairs_are_a_whole_line_of_them() -> None:
    assert logfmt(r'level=error msg="a \"b\"" n=1') == {"level": "error", "msg": 'a "b"', "n": "1"}
    assert logfmt("level=error and so on") is None
    assert logfmt("level=error " * 20_000 + '"') is None


def test_an_object_is_looked_at_as_deep_and_as_far_as_this() -> None:
    deep: dict[str, Any] = {"error": {"message": STRANGE}}
    for _ in range(MAX_DEEP - 1):
        deep = {"error": deep}
    assert levelled({"level": "error", **deep}) is not None
    assert levelled({"level": "error", "error": deep}) is None
    many = {f"k{n}": n for n in range(MAX_VALUES - 2)}
    assert levelled({"level": "error", **many, "msg": STRANGE}) is not None
    assert levelled({"level": "error", **many, "one": 1, "more": 1, "msg": STRANGE}) is None


def test_a_row_reports_its_own_error_and_no_other() -> None:
    row = "vllm-1  | " + json.dumps({"level": "error", "body": STRANGE, "prompt": KNOWN})
    assert reports_error(row, STRANGE)
    assert not reports_error(row, KNOWN)
    assert not reports_error("no object", STRANGE)


@pytest.mark.parametrize("name", ["docker_json", "cri_partial", "csv_grafana", "fluent_bit", "json_lines_twice"])
def test_pairs_that_something_carries_are_opened_as_those_that_stand_alone(name: str) -> None:
    text = 'time="2026-11-29T09:00:00Z" level=error msg="runtime device rbln0 not found in /var/run/cdi"\n'
    plain = diagnose_bytes(text.encode())
    carried = diagnose_bytes(BY_NAME[name].change(text, Random(1)).encode())
    assert [(f.entry, dict(f.numbers)) for f in carried.findings] == [
        (f.entry, dict(f.numbers)) for f in plain.findings
    ]
    assert plain.findings[0].numbers["directory"] == "/var/run/cdi"
