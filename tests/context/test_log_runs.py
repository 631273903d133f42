"""Marks of a server's life."""

from __future__ import annotations

import pytest

from diagnose.context.runs import TRIGGERS, Mark, lifecycle
from diagnose.model import RecordKind
from tests.context.log_kit import raw, record, traceback

LOGO = "\n       █     █     █▄   ▄█\n ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.30.0\n  █▄█▀ █     █"


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("vLLM API server version 0.13.0", "start", "version"),
        (LOGO, "start", "version"),
        (" ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.22.0+cpu", "start", "version"),
        ("vLLM server version 0.22.0, serving model a", "start", "version"),
        ("non-default args: {'model': 'a'}", "start", "args"),
        ("Application startup complete.", "ready", "uvicorn"),
        ("Shutting down", "stopping", "uvicorn"),
        ("Shutting down FastAPI HTTP server.", "stopping", "server"),
        ("Waiting for application shutdown.", "stopping", "uvicorn"),
        ("Received SIGTERM scheduling shutdown...", "stopping", "signal"),
        ("[shutdown] API server: shutdown triggered", "stopping", "signal"),
        ("[shutdown] EngineCore: trigger received signal=SIGTERM", "stopping", "signal"),
        ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-29T12:00:00 ***", "stopping", "slurm"),
        ("^C", "stopping", "keyboard"),
        ("Terminated", "stopping", "signal"),
        ("Application shutdown complete.", "stopped", "uvicorn"),
        ("Finished server process [14521]", "stopped", "uvicorn"),
        ("EngineCore failed to start.", "failed-header", "engine"),
        ("EngineCore encountered a fatal error.", "failed-header", "engine"),
        ("WorkerProc failed to start.", "failed-header", "worker"),
        ("WorkerProc hit an exception.", "failed-header", "worker"),
        ("Application startup failed. Exiting.", "failed-header", "server"),
    ],
)
def test_each_wording_is_its_mark(text: str, kind: str, key: str) -> None:
    found = lifecycle(record(text, pid=77))
    assert found == Mark(kind, key, 77)  # type: ignore[arg-type]


def test_platform_lines_of_child_processes_are_told_apart() -> None:
    first = lifecycle(record("Automatically detected platform rbln.", line=1))
    second = lifecycle(record("Platform plugin rbln is activated", line=22))
    assert first == Mark("start", "platform@1")
    assert second == Mark("start", "platform@22")


def test_a_shell_line_that_starts_the_server() -> None:
    assert lifecycle(raw("user@npu:~$ vllm serve a/b --max-model-len 4096")) == Mark("start", "command")
    assert lifecycle(raw("+ vllm serve a/b")) == Mark("start", "command")
    assert lifecycle(raw("vllm serve a/b")) is None, "an echo may come after the server's own lines"
    assert lifecycle(raw("we use vllm serve here")) is None


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("+ python compile.py", "job"),
        ("(venv) me@npu:~$ optimum-rbln-cli --model-id a/b", "job"),
        ("$ python3 -u /w/rbln/client.py", "script"),
        ("Run python export_all.py", "echo:job"),
        ("python client.py --url x", "echo:script"),
        ("optimum-rbln-cli --model-id a/b", "echo:job"),
    ],
)
def test_a_shell_line_that_starts_another_program(line: str, key: str) -> None:
    assert lifecycle(raw(line)) == Mark("start", key)


@pytest.mark.parametrize("line", ["$ vim compile.py", "$ cat compile.py", "see compile.py", "$ export RBLN_DEVICES=0"])
def test_a_shell_line_that_starts_none(line: str) -> None:
    assert lifecycle(raw(line)) is None


def test_an_api_server_that_dies_of_an_exception_failed() -> None:
    assert lifecycle(traceback(process="APIServer", pid=3)) == Mark("failed", "server", 3)


def test_an_interrupt_is_a_stop_and_another_exception_is_not() -> None:
    assert lifecycle(traceback(type_="KeyboardInterrupt", pid=3)) == Mark("stopping", "keyboard", 3)
    assert lifecycle(traceback(type_="ValueError", process="EngineCore", pid=3)) is None


def test_an_uncaught_exception_ends_a_script() -> None:
    assert lifecycle(traceback(type_="ValueError")) == Mark("stopped", "uncaught")


def test_a_script_that_says_its_configuration_again_after_it_died_was_started_again() -> None:
    mark = lifecycle(record("rbln_config = {'max_seq_len': 8192}", RecordKind.RAW))
    assert mark is not None
    assert (mark.kind, mark.key.startswith("platform-script")) == ("start", True)


def test_a_refused_command_line_ends_its_run() -> None:
    assert lifecycle(record("vllm serve: error: unrecognized arguments: --x", RecordKind.USAGE)) == Mark(
        "stopped", "usage"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Received request x: prompt: 'Application startup complete.'",
        "Shutting down the old cache",
        "Terminated 3 idle connections",
        "Avg prompt throughput: 4.1 tokens/s",
        "Loading weights ████████ 100%",
        "Compile ██████████ version control",
    ],
)
def test_other_lines_are_no_mark(text: str) -> None:
    assert lifecycle(record(text)) is None
    assert lifecycle(raw(text)) is None


def test_every_wording_is_looked_for_by_the_scan() -> None:
    for text in (
        "INFO:     Shutting down",
        LOGO,
        "INFO:     Application startup complete.",
        "KeyboardInterrupt",
    ):
        assert any(trigger in text for trigger in TRIGGERS), text
