"""``rbln-diagnose watch`` as a process: its streams, its signals, its exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FAILED = ROOT / "fixtures" / "kv-insufficient-vllm.log"
HEALTHY = ROOT / "fixtures" / "healthy-serve.log"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("RBLN")}
    more = {"PYTHONPATH": str(ROOT), "RBLN_DIAGNOSE_DB": str(tmp_path / "db.sqlite3"), "RBLN_DIAGNOSE_LANG": "en"}
    return kept | more


def run(environ: dict[str, str], *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "diagnose", "watch", *args]
    return subprocess.run(command, input=stdin, env=environ, capture_output=True, check=False, timeout=60)


@pytest.fixture
def follow(environ: dict[str, str]) -> Iterator[Any]:
    begun: list[subprocess.Popen[str]] = []

    def begin(*args: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "diagnose", "watch", *args]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environ)
        begun.append(process)
        return process

    yield begin
    for process in begun:
        process.kill()
        process.wait()


@pytest.mark.parametrize(("log", "code", "kinds"), [(FAILED, 1, ["opened"]), (HEALTHY, 0, [])])
def test_a_stream_is_followed_to_its_end_and_the_code_is_the_outcome(
    environ: dict[str, str], log: Path, code: int, kinds: list[str]
) -> None:
    done = run(environ, "-", "--format", "json", stdin=log.read_bytes())
    assert done.returncode == code, done.stderr
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()] == kinds
    assert b"the stream has ended" in done.stderr


def test_the_history_knows_what_the_watch_told(environ: dict[str, str]) -> None:
    done = run(environ, "-", "--format", "json", stdin=FAILED.read_bytes())
    incident = json.loads(done.stdout)["incident"]
    shown = subprocess.run(
        [sys.executable, "-m", "diagnose", "history", "show", incident],
        env=environ,
        capture_output=True,
        check=False,
        text=True,
    )
    assert "kv-cache.insufficient-memory" in shown.stdout


def test_sigterm_ends_it_cleanly_and_the_next_start_goes_on(follow: Any, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(FAILED.read_bytes())
    first = follow(str(log), "--format", "json")
    event = json.loads(first.stdout.readline())
    assert (event["event"], event["replayed"], event["source"]) == ("opened", True, str(log))
    first.send_signal(signal.SIGTERM)
    assert first.wait(20) == 0
    with log.open("ab") as out:
        out.write(HEALTHY.read_bytes())
    second = follow(str(log), "--format", "json")
    event = json.loads(second.stdout.readline())
    assert event["event"] == "recovered"
    second.send_signal(signal.SIGINT)
    assert second.wait(20) == 130


def test_the_second_watch_of_one_log_is_refused(follow: Any, environ: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(FAILED.read_bytes())
    first = follow(str(log))
    first.stdout.readline()
    done = run(environ, str(log))
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert "another rbln-diagnose watch" in done.stderr.decode()


def test_a_reader_that_goes_away_ends_it_quietly(follow: Any, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(FAILED.read_bytes())
    process = follow(str(log), "--format", "json")
    process.stdout.readline()
    process.stdout.close()
    with log.open("ab") as out:
        out.write(HEALTHY.read_bytes())
    assert process.wait(30) == 0
    assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["x.log", "--from", "middle"], "--from"),
        (["x.log", "--format", "xml"], "--format"),
        (["x.log", "--listen", "nowhere"], "--listen"),
        (["x.log", "--alert", "nosuchservice://x"], "--alert"),
        (["x.log", "--config", "no-such-file.json"], "no-such-file.json"),
        (["x.log.gz"], "compressed"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_a_wrong_command_line_is_one_line_and_code_2(environ: dict[str, str], args: list[str], said: str) -> None:
    done = run(environ, *args)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.decode().count("\n") == 1
    assert done.stdout == b""
