"""One boundary: a line and a code for whatever happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from diagnose.cli import boundary
from diagnose.cli.app import main
from diagnose.cli.progress import QUIET_S, Progress
from tests.cli.conftest import Analyser
from tests.cli.test_diagnose_log import Screen
from tests.report.samples import KV

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]


def test_an_interrupt_is_quiet_and_130(analyser: Analyser, capsys: Capture) -> None:
    analyser.error = KeyboardInterrupt()
    assert main(["x"], {}) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("lang", "expected"), [("en", "a bug of rbln-diagnose"), ("ko", "rbln-diagnose의 버그")])
def test_a_bug_gives_a_bundle_without_the_persons_names(
    analyser: Analyser, lang: str, expected: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/minjae")
    analyser.error = RuntimeError("lost /home/minjae/work/a.log")
    argv = ["/home/minjae/secret/server.log", "--set", "model=private", "--config=/home/minjae/c.json"]
    assert main([*argv, "--lang", lang], {}) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert expected in err
    assert "server.log --set model=… --config=c.json" in err
    assert "RuntimeError: lost <home>/work/a.log" in err
    assert "Python " in err
    assert not [word for word in ("minjae", "secret", "private") if word in err]


def test_a_closed_reader_is_no_error_and_keeps_the_code(
    analyser: Analyser, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Closed(Screen):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())
    analyser.answer = KV
    assert main(["x"], {}) == 1
    assert capsys.readouterr().err == ""


def test_head_closing_the_pipe_leaves_no_message() -> None:
    program = (
        "import sys, types; from tests.report.samples import KV\n"
        "fake = types.ModuleType('diagnose.analyzer'); fake.diagnose_path = lambda *a, **k: KV\n"
        "sys.modules['diagnose.analyzer'] = fake\n"
        "from diagnose.cli.app import main\n"
        "sys.stdin.readline()\n"
        "sys.exit(main(['x', '--no-store'], {}))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin and child.stdout and child.stderr
        child.stdout.close()
        child.stdin.write(b"go\n")
        child.stdin.close()
        assert child.stderr.read() == b""
        assert child.wait(timeout=60) == 1


def test_a_system_exit_keeps_its_code() -> None:
    assert boundary.report(SystemExit(7), "en", []) == 7


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ("/a/b/c.log", "c.log"),
        ("--lang", "--lang"),
        ("max_seq_len=1", "max_seq_len=…"),
        ("/", "/"),
        ("-", "-"),
    ],
)
def test_an_argument_is_shown_without_its_directory_or_value(argument: str, shown: str) -> None:
    assert boundary.redacted(argument) == shown


# ---------------------------------------------------------------- progress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_fast_read_shows_no_bar() -> None:
    clock, screen = Clock(), Screen()
    with Progress(screen, clock) as progress:
        clock.now = QUIET_S / 2
        progress(10, 100)
        assert not progress.shown
    assert screen.getvalue() == ""


def test_a_slow_read_shows_a_bar_on_a_terminal_and_takes_it_away() -> None:
    clock, screen = Clock(), Screen()
    with Progress(screen, clock) as progress:
        clock.now = QUIET_S * 2
        progress(10, 100)
        progress(500, 100)  # a compressed file: longer than its size on disk
        assert progress.shown


def test_no_bar_goes_into_a_file() -> None:
    import io

    clock, stream = Clock(), io.StringIO()
    with Progress(stream, clock) as progress:
        clock.now = 99.0
        progress(10, None)
    assert stream.getvalue() == ""


def test_a_refusal_of_the_system_is_one_line_and_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert boundary.report(OSError(28, "No space left on device", "out.txt"), "en", []) == 2
    said = capsys.readouterr().err
    assert said == "rbln-diagnose: out.txt: No space left on device; nothing more can be done here\n"
