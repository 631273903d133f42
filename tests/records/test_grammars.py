"""Every logger's format is read, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from diagnose.model import RecordKind
from tests.records.feeding import only, records_of


@pytest.mark.parametrize(
    ("line", "level", "writer", "source", "text"),
    [
        ("INFO 11-29 12:00:00 [core.py:124] hello", "INFO", "vllm", "core.py:124", "hello"),
        ("INFO 10-15 15:24:09 config.py:350] hello", "INFO", "vllm", "config.py:350", "hello"),
        ("DEBUG 11-29 12:00:00 [v1/…/core.py:124] hello", "DEBUG", "vllm", "v1/…/core.py:124", "hello"),
        ("[vllm-rbln] INFO 11-29 11:59:32 core.py:70] hello", "INFO", "vllm", "core.py:70", "hello"),
        (
            "[vllm-rbln] WARNING 2026-11-29 11:59:32,752 [core.py:70] hello",
            "WARNING",
            "vllm",
            "core.py:70",
            "hello",
        ),
        (
            "[vllm-rbln] ERROR 2026-11-29 11:59:32,752 [rbln_worker.py:70] hello",
            "ERROR",
            "vllm-rbln",
            "rbln_worker.py:70",
            "hello",
        ),
        (
            "[vllm-rbln] INFO 11-29 11:59:33 [config.py:603] hello",
            "INFO",
            "vllm-rbln",
            "config.py:603",
            "hello",
        ),
        ("prod-a ERROR 11-29 12:00:00 [core.py:124] hello", "ERROR", "vllm", "core.py:124", "hello"),
        (
            "2026-11-29 11:57:53,295 WARNING [optimum.rbln] hello",
            "WARNING",
            "optimum",
            None,
            "hello",
        ),
        (
            "2026-11-29 11:57:53,295 INFO [rebel-compiler] -- Target NPU: RBLN-CA22",
            "INFO",
            "rebel-compiler",
            None,
            "-- Target NPU: RBLN-CA22",
        ),
        ("2025-01-01 12:00:00,123 - my.name - ERROR - hello", "ERROR", "my.name", None, "hello"),
        ("2025-01-01 12:00:00,123 - ERROR - hello", "ERROR", None, None, "hello"),
        ("2025-01-01 12:00:00,123 ERROR hello", "ERROR", None, None, "hello"),
        ("2025-01-01 12:00:00,123 [ERROR] pkg.mod: hello", "ERROR", "pkg.mod", None, "hello"),
        ("ERROR:root:hello", "ERROR", "root", None, "hello"),
        ("[2026-01-01 10:00:00,001] ERROR hello", "ERROR", None, None, "hello"),
        ("[2026-01-01 10:00:00.001] [rt] [error] hello", "ERROR", "rt", None, "hello"),
        ("[2026-01-01 10:00:00.001] [warning] hello", "WARNING", None, None, "hello"),
        ("2025-01-01 12:00:00.123 | ERROR    | a.b:fn:12 - hello", "ERROR", None, "a.b:fn:12", "hello"),
        ("2025-01-01 12:00:00,123\tINFO worker.py:1841 -- hello", "INFO", None, "worker.py:1841", "hello"),
        ("E1129 18:21:22.792000 123 a/b.py:10] hello", "ERROR", None, "a/b.py:10", "hello"),
        ("[W301 12:00:01.123456789 a.cpp:12] hello", "WARNING", None, "a.cpp:12", "hello"),
        ("W1129 18:21:22.792000 123 a/b.py:10] [1/0] hello", "WARNING", None, "a/b.py:10", "hello"),
        (
            "[WARNING|tok.py:12] 2025-01-01 12:00:00,123 >> hello",
            "WARNING",
            "transformers",
            "tok.py:12",
            "hello",
        ),
        ("INFO:     Application startup complete.", "INFO", "uvicorn", None, "Application startup complete."),
        (
            "ERROR:    Exception in ASGI application",
            "ERROR",
            "uvicorn",
            None,
            "Exception in ASGI application",
        ),
        (
            "WARNING:  Invalid HTTP request received.",
            "WARNING",
            "uvicorn",
            None,
            "Invalid HTTP request received.",
        ),
        ("ERROR: No matching distribution", "ERROR", None, None, "No matching distribution"),
        ("[ERROR] hello", "ERROR", None, None, "hello"),
        (
            "❌ Error during model compilation: hello",
            "ERROR",
            "optimum",
            None,
            "Error during model compilation: hello",
        ),
        ("❌ Cannot reach any index", "ERROR", None, None, "Cannot reach any index"),
        ('time=2026-11-29T12:00:00Z level=WARN msg="hello"', "WARNING", None, None, 'msg="hello"'),
    ],
)
def test_every_format_is_read(line: str, level: str, writer: str | None, source: str | None, text: str) -> None:
    record = only(line)
    assert record.kind is RecordKind.LOG
    assert (record.level, record.writer, record.source, record.text) == (level, writer, source, text)


def test_times_are_kept_as_printed() -> None:
    assert only("INFO 11-29 12:00:00 [core.py:124] a").time == "11-29 12:00:00"
    assert only("2026-11-29 11:57:53,295 WARNING [optimum.rbln] a").time == "2026-11-29 11:57:53,295"


@pytest.mark.parametrize(
    "line",
    [
        'INFO:     127.0.0.1:58422 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
        '10.0.0.1 - - [29/Nov/2026:12:00:00 +0000] "GET /health HTTP/1.1" 200 2',
    ],
)
def test_access_lines_are_access_records(line: str) -> None:
    assert only(line).kind is RecordKind.ACCESS


@pytest.mark.parametrize(
    "line",
    [
        "srun: error: node-1: task 0: Killed",
        "slurmstepd: error: *** JOB 12 ON node CANCELLED AT 2026-11-29T12:00:00 ***",
        "Out of memory: Killed process 812 (python3) total-vm:1kB",
        "SYS_EBUSY: Lack of device memory",
        "- ValueError is raised when the value is wrong",
        "See ValueError: it is documented",
        'the log said "ERROR 11-29 12:00:00 [core.py:124] bad" and stopped',
        "Exit",
        "a.c:10:5: error: expected ';'",
    ],
)
def test_other_output_stays_raw(line: str) -> None:
    record = only(line)
    assert (record.kind, record.text) == (RecordKind.RAW, line)


def test_a_record_glued_to_a_progress_bar_is_found() -> None:
    record = only("Loading shards:  50%|##  | 1/2 [00:01<00:01,  1.0it/s]ERROR 11-29 12:00:00 [core.py:9] bad")
    assert (record.level, record.text) == ("ERROR", "bad")


def test_independent_output_is_one_record_per_line() -> None:
    assert [r.text for r in records_of("one\ntwo\n\n  three")] == ["one", "two", "  three"]


def test_argparse_gives_its_error_and_not_its_usage() -> None:
    text = (
        "usage: vllm serve [model_tag] [options]\n"
        "                  [--uvicorn-log-level {debug,info,warning,error}]\n"
        "\n"
        "vllm serve: error: unrecognized arguments: --rbln-foo 3"
    )
    record = only(text)
    assert (record.kind, record.line) == (RecordKind.USAGE, 4)
    assert record.text == "vllm serve: error: unrecognized arguments: --rbln-foo 3"


def test_an_argparse_error_is_known_without_its_usage() -> None:
    assert only("api_server.py: error: argument --port: invalid int value: 'x'").kind is RecordKind.USAGE


def test_a_help_text_is_no_error() -> None:
    found = records_of("usage: tool [-h]\n  -h  show the error codes\ndone")
    assert [(r.kind, r.text) for r in found] == [(RecordKind.RAW, "done")]


def test_a_python_warning_loses_the_source_under_it() -> None:
    found = records_of("/srv/pkg/mod.py:36: DeprecationWarning: old name\n  import old_name\nnext")
    assert [(r.kind, r.text, r.source) for r in found] == [
        (RecordKind.WARNING, "DeprecationWarning: old name", "mod.py:36"),
        (RecordKind.RAW, "next", None),
    ]


def test_an_abort_keeps_what_it_says() -> None:
    found = records_of("terminate called after throwing an instance of 'std::x'\n  what():  SYS_ENOMEM: full\nAborted")
    assert found[0].text.endswith("\n  what():  SYS_ENOMEM: full")
    assert [r.text for r in found[1:]] == ["Aborted"]
