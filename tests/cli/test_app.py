"""Language, help, version, subcommands."""

from __future__ import annotations

import importlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
from hypothesis import given
from hypothesis import strategies as st

from diagnose.cli import command, language, plain
from diagnose.cli.app import COMMANDS, MAIN, main
from diagnose.model import InputError, Lang
from diagnose.report.excerpt import cells
from diagnose.version import __version__
from tests.cli.conftest import Analyser
from tests.report.samples import HEALTHY

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("argv", "environ", "lang"),
    [
        (["x"], {}, "en"),
        (["x"], {"LANG": "ko_KR.UTF-8"}, "ko"),
        (["x"], {"LANG": "ko_KR.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        (["x"], {"LC_ALL": "ko_KR.eucKR", "LC_MESSAGES": "en_US.UTF-8"}, "ko"),
        (["x"], {"LC_ALL": "", "LANG": "ko"}, "ko"),
        (["x"], {"LANG": "ko", "RBLN_DIAGNOSE_LANG": "en"}, "en"),
        (["x", "--lang", "ko"], {"RBLN_DIAGNOSE_LANG": "en"}, "ko"),
        (["--lang=ko", "x"], {}, "ko"),
    ],
)
def test_the_language_is_the_option_then_the_variable_then_the_locale(
    argv: list[str], environ: dict[str, str], lang: str
) -> None:
    assert language.take(argv, environ) == (lang, ["x"])


@pytest.mark.parametrize(
    ("argv", "environ"), [(["--lang", "fr"], {}), (["--lang"], {}), ([], {"RBLN_DIAGNOSE_LANG": "de"})]
)
def test_another_language_is_refused(argv: list[str], environ: dict[str, str]) -> None:
    with pytest.raises(InputError, match="must be ko or en"):
        language.take(argv, environ)


def test_a_wrong_language_is_told_in_the_language_of_the_locale(capsys: Capture) -> None:
    assert main(["--lang", "fr", "x"], {"LANG": "ko_KR.UTF-8"}) == 2
    assert "ko 또는 en이어야 합니다" in capsys.readouterr().err


def test_what_stands_after_two_dashes_is_not_ours(analyser: Analyser) -> None:
    assert language.take(["run", "--", "--lang", "ko"], {}) == ("en", ["run", "--", "--lang", "ko"])


@given(st.lists(st.sampled_from(["a", "--set", "b=1", "--lang", "ko", "--lang=en", "--", "kb"])))
def test_any_command_line_gives_a_language_or_an_input_error(argv: list[str]) -> None:
    try:
        lang, rest = language.take(argv, {})
    except InputError:
        return
    before = rest[: rest.index("--")] if "--" in rest else rest
    assert lang in ("ko", "en")
    assert "--lang" not in before


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["kb"], ["kb", "--help"], ["kb", "show", "--help"]])
def test_help_fits_a_terminal_in_both_languages(argv: list[str], lang: str, capsys: Capture) -> None:
    assert main([*argv, "--lang", lang], {}) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(cells(line) for line in out.split("\n")) <= 80
    assert out.startswith("사용법: " if lang == "ko" else "usage: ")


def test_help_names_every_option(capsys: Capture) -> None:
    main(["--help"], {})
    out = capsys.readouterr().out
    parser = typer.main.get_command(importlib.import_module(MAIN).app)
    options = [name for p in parser.params for name in p.opts if name.startswith("--")]
    assert options
    assert [name for name in [*options, "--lang", "--help"] if name not in out] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_has_help(name: str, capsys: Capture) -> None:
    assert main([name, "--help"], {}) == 0
    assert f"rbln-diagnose {name}" in capsys.readouterr().out


@pytest.mark.parametrize(("lang", "said"), [("en", "{} is missing"), ("ko", "빠진 인자: {}.")])
@pytest.mark.parametrize(("argv", "what"), [(["watch"], "PATH"), (["report"], "FILE"), (["history", "show"], "ID")])
def test_a_command_without_its_argument_is_told_so_with_code_2(
    argv: list[str], what: str, lang: str, said: str, capsys: Capture
) -> None:
    assert main([*argv, "--lang", lang], {}) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said.format(what) in err
    assert "--help" in err


def test_a_group_without_a_command_shows_its_commands(capsys: Capture) -> None:
    assert main(["kb"], {}) == 0
    assert "lint" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [["--version"], ["--lang", "ko", "--version"], ["x", "--version"]])
def test_the_version_is_one_line(argv: list[str], capsys: Capture) -> None:
    assert main(argv, {}) == 0
    assert capsys.readouterr().out == f"rbln-diagnose {__version__}\n"


def test_the_version_is_the_packages() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'\nversion = "{__version__}"\n' in text


def test_asking_for_the_version_imports_no_parser() -> None:
    program = (
        "import sys; sys.argv = ['rbln-diagnose', '--version']\n"
        "from diagnose.__main__ import main\n"
        "assert main() == 0\n"
        "assert not {'typer', 'rich', 'click', 'yaml', 'regex'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, timeout=60)


def test_python_dash_m_is_the_console_script() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "diagnose", "--format", "nonsense", "x", "--lang", "en"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 2
    assert found.stdout == ""
    assert "unknown format 'nonsense'" in found.stderr


def test_an_everyday_command_line_imports_no_parser(analyser: Analyser) -> None:
    program = (
        "import sys, types; from tests.report.samples import HEALTHY\n"
        "fake = types.ModuleType('diagnose.analyzer'); fake.diagnose_path = lambda *a, **k: HEALTHY\n"
        "sys.modules['diagnose.analyzer'] = fake\n"
        "from diagnose.cli.app import main\n"
        "assert main(['x', '--no-store'], {}) == 0\n"
        "assert not {'rich', 'yaml', 'typer'} & set(sys.modules)\n"
    )
    assert HEALTHY.notes == ()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, timeout=60)


WORDS = [
    *("a.log", "-", "json", "b=1", "--", "-x", "--version", "--frmat"),
    *("--format", "--format=json", "--set", "--set=", "--config", "--npu=X"),
    *("--all-runs", "--no-store", "--no-color", "--all-runs=1"),
]


WATCH_WORDS = [
    *("a.log", "-", "json", "b=1", "--", "-x", "--frmat", "middle", "end"),
    *("--from", "--from=start", "--format", "--format=json", "--listen=x:1", "--alert", "--alert=json://x", "--set"),
    *("--config", "--npu=X", "--poll", "--no-store", "--no-color", "--poll=1"),
]
SHORT_WAYS = [
    (plain.DIAGNOSE, "diagnose.cli.diagnose_log", "diagnose.cli.diagnosing", WORDS),
    (plain.WATCH, "diagnose.cli.watch", "diagnose.cli.watching", WATCH_WORDS),
]


@pytest.mark.parametrize(("short", "options", "home", "words"), SHORT_WAYS, ids=["diagnose", "watch"])
@given(st.data())
def test_the_short_way_and_the_parser_understand_every_command_line_alike(
    short: plain.Short, options: str, home: str, words: list[str], data: st.DataObject
) -> None:
    argv = data.draw(st.lists(st.sampled_from(words), max_size=6))
    asked = plain.parse(argv, short)
    if asked is None:
        return
    parser = typer.main.get_command(importlib.import_module(options).app)
    make_request: Any = importlib.import_module(home).make_request
    seen: list[object] = []

    def run(request: object, lang: Lang) -> int:
        seen.append(request)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{options}.run", run)
        patch.setattr(sys, "stdin", io.StringIO())
        try:
            expected = make_request(**asked)
        except InputError as error:
            with pytest.raises(InputError, match=re.escape(str(error))):
                command.run(parser, "rbln-diagnose", argv, "en")
            return
        assert command.run(parser, "rbln-diagnose", argv, "en") == 0
    assert seen == [expected]


@pytest.mark.parametrize(("short", "options", "home", "words"), SHORT_WAYS, ids=["diagnose", "watch"])
def test_the_short_way_knows_every_option_of_the_parser(
    short: plain.Short, options: str, home: str, words: list[str]
) -> None:
    parser = typer.main.get_command(importlib.import_module(options).app)
    known = {name for p in parser.params for name in p.opts if name.startswith("--")}
    assert {*short.single, *short.repeated, *short.flags} == known - {"--version"}


def test_a_watch_imports_no_parser() -> None:
    program = (
        "import sys, types\n"
        "fake = types.ModuleType('diagnose.cli.watching')\n"
        "fake.make_request = lambda paths, **options: (paths, options)\n"
        "fake.run = lambda request, lang: print(request) or 0\n"
        "sys.modules['diagnose.cli.watching'] = fake\n"
        "from diagnose.cli.app import main\n"
        "assert main(['watch', 'x.log', '--from', 'end', '--poll'], {}) == 0\n"
        "assert not {'rich', 'yaml', 'typer'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, timeout=60)
    assert done.stdout == b"(['x.log'], {'from_': 'end', 'poll': True})\n"
