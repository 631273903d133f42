"""How a program, container, service or build ended is never called healthy where it ended badly, and never a second
cause where the first is known."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes
from diagnose.model import Diagnosis

CALM = (
    "(APIServer pid=7) INFO 11-29 12:00:00 [model.py:2030] Using max model len 40960\n"
    '(APIServer pid=7) INFO:     10.0.3.22:55144 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
)
KNOWN = (
    "Traceback (most recent call last):\n"
    '  File "/srv/a.py", line 3, in <module>\n'
    "    go()\n"
    "RuntimeError: SYS_EBUSY: Lack of device memory. (code: -16)\n"
)

REPORTED = [
    "vllm-1 exited with code 1",
    "vllm-1 exited with code 137",
    "vllm-1 exited with code 137 (restarting)",
    "npu-worker  exited with code 2",
    "script returned exit code 3",
    "Finished: FAILURE",
    "vllm-rbln.service: Main process exited, code=exited, status=1/FAILURE",
    "vllm-rbln.service: Main process exited, code=killed, status=9/KILL",
    "vllm-rbln.service: Main process exited, code=dumped, status=6/ABRT",
    "vllm-rbln.service: Failed with result 'exit-code'.",
    "Nov 29 12:00:00 npu3 systemd[1]: vllm-rbln.service: Failed with result 'signal'.",
]
"""What launchers print of a process that ended."""

PRINTED = [
    "thread 'main' panicked at src/main.rs:4:5:\nlane 7 is not a leaf",
    "thread 'main' (4121) panicked at src/main.rs:4:5:\nlane 7 is not a leaf",
    "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()",
    "[2026-11-29 09:00:00] 오류: 컴파일 실패 — 레인 3을 찾을 수 없습니다",
    "오류가 발생했습니다: 레인 3",
    "작업이 비정상 종료되었습니다",
    "[serve] 모델 로드에 실패했습니다: 레인 3이 없습니다",
    "[2026-11-29 09:00:00] 컴파일이 실패하였습니다.",
    "레인 3의 초기화가 실패했습니다(코드 7)",
    r"C:\src\a b\plan (1)\lanes.h(89): error C4430: missing type specifier - int assumed.",
    r"2026-07-29T10:43:38.5101047Z C:\src\lanes.cpp(343,12): error C2143: syntax error: missing ',' before '*'",
    "LINK : fatal error LNK1104: cannot open file 'lanes.lib'",
    "2026-07-29T10:43:38.1125858Z FAILED: [code=2] lib/CMakeFiles/lanes.dir/src/lanes.cpp.obj ",
    "ninja: build stopped: subcommand failed.",
]
"""What programs and compilers print themselves."""

FINE = [
    "vllm-1 exited with code 0",
    "vllm-1 exited with code 143",
    "vllm-1 exited with code 130",
    "script returned exit code 0",
    "Finished: SUCCESS",
    "Finished: ABORTED",
    "vllm-rbln.service: Main process exited, code=exited, status=0/SUCCESS",
    "vllm-rbln.service: Main process exited, code=killed, status=15/TERM",
    "vllm-rbln.service: Deactivated successfully.",
    "^CGracefully stopping... (press Ctrl+C again to force)\nvllm-1 exited with code 137",
    "Gracefully Stopping... press Ctrl+C again to force\nvllm-1 exited with code 137",
    "오류: 0건",
    "오류: 없음",
    "작업이 정상 종료되었습니다",
    "다운로드에 실패했습니다. 다시 시도합니다",
    "로그인에 실패했습니다. 원인을 알려 주세요",
    "프로세스가 비정상 종료되었습니다라는 문구가 나오면 다시 시작하세요",
    "0 Warning(s), lanes.cpp(343): warning C4244: conversion from 'double' to 'int'",
]


def diagnosed(end: str, before: str = CALM) -> Diagnosis:
    return diagnose_bytes(f"{before}{end}\n".encode())


@pytest.mark.parametrize("end", REPORTED)
def test_a_process_that_ended_badly_is_not_healthy(end: str) -> None:
    found = diagnosed(end)
    assert found.outcome == "unknown"
    assert [(one.entry, one.line) for one in found.findings] == [("engine.process-exit", 3)]


@pytest.mark.parametrize("end", REPORTED)
def test_behind_a_known_cause_it_is_an_echo_of_it(end: str) -> None:
    found = diagnosed(end, CALM + KNOWN)
    assert [one.entry for one in found.findings] == ["runtime.create-failed"]
    assert [one.entry for one in found.findings[0].consequences] == ["engine.process-exit"]


@pytest.mark.parametrize("end", PRINTED)
def test_a_failure_that_a_program_prints_in_its_own_way_is_an_error(end: str) -> None:
    found = diagnosed(end)
    assert found.outcome == "unknown"
    assert [one.line for one in found.unknown] == [3]


def test_the_message_of_a_panic_stands_with_it() -> None:
    (one,) = diagnosed(PRINTED[0]).unknown
    assert one.text == PRINTED[0]


@pytest.mark.parametrize("end", FINE)
def test_an_end_that_was_asked_for_is_none(end: str) -> None:
    assert diagnosed(end).outcome == "healthy"


@pytest.mark.parametrize("end", [*REPORTED[:-1], *PRINTED])
def test_in_a_prompt_it_is_what_a_person_asked(end: str) -> None:
    log = (
        "(APIServer pid=7) INFO 11-29 12:00:01 [logger.py:39] Received request cmpl-1: prompt: 'Why is it that\n"
        f"{end}\nThanks', params: SamplingParams(n=1), prompt_token_ids: None"
    )
    assert diagnosed(log).outcome == "healthy"


def test_a_kill_is_told_from_another_end() -> None:
    killed, ended = diagnosed(REPORTED[1]).findings[0], diagnosed(REPORTED[0]).findings[0]
    assert killed.numbers == {"exit_code": 137}
    assert "SIGKILL" in killed.cause.en
    assert "SIGKILL" not in ended.cause.en


def test_the_killer_of_a_service_is_named_where_it_is_known() -> None:
    log = "vllm.service: A process of this unit has been killed by the OOM killer.\n"
    found = diagnosed(log + REPORTED[7])
    assert [one.entry for one in found.findings] == ["host.oom-killed"]
