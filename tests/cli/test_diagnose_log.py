"""``rbln-diagnose FILE``: options in, report out, the outcome as exit code."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from diagnose.cli.app import main
from diagnose.model import Diagnosis, InputError, Text
from diagnose.report import FORMATS
from tests.cli.conftest import Analyser
from tests.report.samples import CONSEQUENCE, HEALTHY, KV, SAMPLES, UNKNOWN

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("answer", "code"), [(HEALTHY, 0), (KV, 1), (UNKNOWN, 3), (CONSEQUENCE, 3)], ids=["0", "1", "3", "3-echo"]
)
def test_the_exit_code_is_the_outcome(analyser: Analyser, answer: Diagnosis, code: int, capsys: Capture) -> None:
    analyser.answer = answer
    assert main(["server.log"], {}) == code
    assert capsys.readouterr().err == ""


def test_every_option_reaches_the_analyser(analyser: Analyser) -> None:
    argv = [
        "--config",
        "a.json",
        "--set",
        "max_seq_len=4096",
        "server.log",
        "--config=b",
        "--set",
        "batch_size=2",
    ]
    assert main([*argv, "--npu", "RBLN-CA25", "--all-runs", "--no-store"], {}) == 0
    assert analyser.path == "server.log"
    given = {k: analyser.options[k] for k in ("config", "sets", "npu", "all_runs")}
    assert given == {
        "config": ("a.json", "b"),
        "sets": ("max_seq_len=4096", "batch_size=2"),
        "npu": "RBLN-CA25",
        "all_runs": True,
    }


def test_a_pipe_without_a_file_is_read_from_standard_input(analyser: Analyser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"log")))
    assert main([], {}) == 0
    assert analyser.path == "-"
    assert analyser.options["stdin"].read() == b"log"
    assert analyser.options["stdin_is_terminal"] is False


def test_a_dash_on_a_terminal_is_left_to_the_source_to_refuse(analyser: Analyser, terminal: Callable[[], None]) -> None:
    terminal()
    main(["-"], {})
    assert analyser.options["stdin_is_terminal"] is True


def test_a_file_named_like_a_subcommand_is_given_with_its_directory(analyser: Analyser) -> None:
    assert main(["./kb"], {}) == 0
    assert analyser.path == "./kb"


def test_a_file_after_two_dashes_may_look_like_an_option(analyser: Analyser) -> None:
    assert main(["--", "--help"], {}) == 0
    assert analyser.path == "--help"


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_goes_to_stdout_alone(analyser: Analyser, format: str, capsys: Capture) -> None:
    analyser.answer = KV
    assert main(["x", "--format", format], {}) == 1
    out, err = capsys.readouterr()
    assert (err, bool(out)) == ("", True)


def test_json_is_utf8_whatever_the_terminal_can_write(analyser: Analyser, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    analyser.answer = KV
    main(["x", "--format", "json"], {})
    assert "메모리" in json.loads(raw.getvalue())["findings"][0]["title"]["ko"]


def test_a_terminal_without_hangul_gets_replacements_not_a_traceback(
    analyser: Analyser, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    analyser.answer = KV
    assert main(["x", "--lang", "ko"], {}) == 1
    assert b"max_seq_len: 262144 -> 180224" in raw.getvalue()


@pytest.mark.parametrize("name", SAMPLES)
def test_no_colour_goes_into_a_pipe(analyser: Analyser, name: str, capsys: Capture) -> None:
    analyser.answer = SAMPLES[name]
    main(["x"], {})
    assert "\x1b" not in capsys.readouterr().out


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise io.UnsupportedOperation


@pytest.mark.parametrize(
    ("variables", "options", "coloured"),
    [
        ({"TERM": "xterm"}, [], True),
        ({"TERM": "xterm"}, ["--no-color"], False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, [], False),
        ({"TERM": "xterm", "NO_COLOR": ""}, [], True),
        ({"TERM": "dumb"}, [], False),
    ],
)
def test_colour_only_on_a_terminal_that_has_it(
    analyser: Analyser,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    options: list[str],
    coloured: bool,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    analyser.answer = KV
    main(["x", *options], {})
    assert ("\x1b[" in screen.getvalue()) is coloured


def test_the_page_is_as_wide_as_columns_says(
    analyser: Analyser, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    analyser.answer = KV
    main(["x"], {})
    assert max(len(line) for line in capsys.readouterr().out.split("\n")) <= 60


# ---------------------------------------------------------------- bad input, one line in the language

BAD = [
    (["--lang", "en", "--nonsense", "x"], "unknown option --nonsense", "알 수 없는 옵션입니다: --nonsense"),
    (["--format", "xml", "x"], "unknown format 'xml'", "알 수 없는 형식입니다: 'xml'"),
    (["--format"], "option --format needs a value", "옵션 --format에 값이 필요합니다"),
    (["--set"], "option --set needs a value", "옵션 --set에 값이 필요합니다"),
    (["--all-runs=yes", "x"], "option --all-runs takes no value", "옵션 --all-runs에는 값을 줄 수 없습니다"),
    (["a.log", "b.log"], "2 files were given", "파일이 2개입니다"),
    (["--frmat", "json", "x"], "did you mean --format?", "혹시 --format인가요?"),
    (["kb", "show"], "ID is missing", "빠진 인자: ID"),
    (["kb", "nonsense"], "the command line was not understood", "명령행을 이해하지 못했습니다"),
]


@pytest.mark.parametrize(("argv", "english", "korean"), BAD, ids=[" ".join(b[0]) for b in BAD])
def test_a_wrong_command_line_is_one_line_in_the_language(
    analyser: Analyser, argv: list[str], english: str, korean: str, capsys: Capture
) -> None:
    argv = [a for a in argv if a not in ("--lang", "en")]
    for lang, expected in (("en", english), ("ko", korean)):
        assert main([*argv, f"--lang={lang}"], {}) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert expected in err
        assert err.startswith("rbln-diagnose: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize(("lang", "expected"), [("en", "no log was given"), ("ko", "로그가 없습니다")])
def test_no_file_on_a_terminal_is_one_line(
    analyser: Analyser, terminal: Callable[[], None], lang: str, expected: str, capsys: Capture
) -> None:
    terminal()
    assert main(["--lang", lang], {}) == 2
    err = capsys.readouterr().err
    assert expected in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("lang", "expected"), [("en", "cannot be read"), ("ko", "읽을 수 없습니다")])
def test_an_input_error_is_one_line_whatever_is_in_it(
    analyser: Analyser, lang: str, expected: str, capsys: Capture
) -> None:
    analyser.error = InputError(Text("a\nb\x1b[2J.log cannot be read", "a\nb\x1b[2J.log을 읽을 수 없습니다"))
    assert main(["x", "--lang", lang], {}) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert expected in err
    assert err.count("\n") == 1
    assert "\x1b" not in err


# ---------------------------------------------------------------- the incident store


def store(monkeypatch: pytest.MonkeyPatch, remember: Callable[[Diagnosis], None]) -> None:
    module = ModuleType("fake_incidents")
    module.remember = remember  # type: ignore[attr-defined]
    module.__spec__ = importlib_spec("fake_incidents")
    monkeypatch.setitem(sys.modules, "fake_incidents", module)
    monkeypatch.setattr("diagnose.cli.remember.STORE", "fake_incidents")


def importlib_spec(name: str):  # type: ignore[no-untyped-def]
    from importlib.machinery import ModuleSpec

    return ModuleSpec(name, None)


@pytest.mark.parametrize(
    ("answer", "options", "stored"),
    [(KV, [], 1), (UNKNOWN, [], 1), (KV, ["--no-store"], 0), (HEALTHY, [], 0)],
)
def test_a_failure_is_remembered_unless_told_not_to(
    analyser: Analyser, monkeypatch: pytest.MonkeyPatch, answer: Diagnosis, options: list[str], stored: int
) -> None:
    seen: list[Diagnosis] = []
    store(monkeypatch, seen.append)
    analyser.answer = answer
    main(["x", *options], {})
    assert len(seen) == stored


def test_a_store_that_fails_costs_one_line_and_no_exit_code(
    analyser: Analyser, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def broken(diagnosis: Diagnosis) -> None:
        raise OSError("disk is full")

    store(monkeypatch, broken)
    analyser.answer = KV
    assert main(["x"], {}) == 1
    out, err = capsys.readouterr()
    assert "disk is full" in err
    assert out.startswith("Device memory")
