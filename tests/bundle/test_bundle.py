"""A report holds what is needed and no more, and says so when its excerpt is not enough."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from diagnose.analyzer import diagnose_bytes
from diagnose.bundle import choosing, make, making
from diagnose.bundle.making import Given
from diagnose.bundle.page import MAX_SETTINGS, archive, page
from diagnose.bundle.quoting import MAX_LINE_CHARS, excerpt, numbered
from diagnose.bundle.words import WORDS
from diagnose.cli.app import main
from diagnose.cli.report import MAX_PIPE_MIB
from diagnose.collected import Collected
from diagnose.context import Mark
from diagnose.model import Diagnosis, InputInfo, RunContext, Setting
from diagnose.redact import Surroundings
from tests.promises.logs import serve_log

ROOT = Path(__file__).parents[2]
FIXTURE = ROOT / "fixtures" / "kv-insufficient-vllm.log"
ABOUT = Surroundings()
BELOW = "ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks (33)"
CHATTER = "(APIServer pid=4100) INFO 11-29 11:57:06 [loggers.py:12] nothing of interest\n"


def lines(text: str) -> list[tuple[int, str]]:
    return list(numbered([text.encode()]))


def test_a_long_log_gives_a_short_excerpt_with_the_same_diagnosis() -> None:
    start, failure = serve_log(BELOW, args="{'model': 'X', 'max_model_len': 8192}").split("(EngineCore", 1)
    log = start + CHATTER * 20_000 + "(EngineCore" + failure
    made = make(lambda: [log.encode()], Given("server.log"), ABOUT)
    assert made.same
    assert made.excerpt.count("\n") < 60
    assert "left out ...]" in made.excerpt
    again = diagnose_bytes(made.excerpt.encode())
    assert [f.entry for f in again.findings] == [f.entry for f in made.diagnosis.findings]
    assert again.findings[0].remedies == made.diagnosis.findings[0].remedies
    assert again.run.config["max_seq_len"].value == 8192


def test_the_log_is_the_same_however_it_comes_in_pieces() -> None:
    data = FIXTURE.read_bytes()

    def pieces() -> Iterable[bytes]:
        return (data[i : i + 7] for i in range(0, len(data), 7))

    assert make(pieces, Given("a"), ABOUT) == make(lambda: [data], Given("a"), ABOUT)


def test_an_excerpt_that_is_not_enough_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnose.bundle.making.levels", lambda diagnosis, collected: ())
    monkeypatch.setattr("diagnose.bundle.making.MAX_WHOLE_LINES", 0)
    made = make(lambda: [FIXTURE.read_bytes()], Given("a"), ABOUT)
    assert not made.same
    assert WORDS["en"]["not_same"] in page(made, "en", "Python")


def test_options_are_named_and_redacted() -> None:
    given = Given("-", sets=("batch_size=8", "model=/home/kim/m"), npu="RBLN-CR13", all_runs=True)
    made = make(lambda: [FIXTURE.read_bytes()], given, ABOUT)
    assert made.options == ("--set batch_size=8", "--set model=<home>/m", "--npu RBLN-CR13", "--all-runs")


def test_marks_name_the_lines_that_are_left_out() -> None:
    held = {1: "a", 3: "c", 9: "i"}
    assert excerpt(held, held, 10).split("\n") == [
        *("a", "[... line 2 left out ...]", "c", "[... lines 4-8 left out ...]", "i", "[... line 10 left out ...]", "")
    ]


def test_lines_are_counted_as_everywhere_and_hold_nothing_a_terminal_obeys() -> None:
    assert lines("a\r\nb\x1b[31mc\x1b[0m\n\nd") == [(1, "a"), (2, "bc"), (3, ""), (4, "d")]
    assert len(lines("x" * (MAX_LINE_CHARS * 9))[0][1]) == MAX_LINE_CHARS


def test_another_encoding_is_quoted_as_utf_8() -> None:
    made = make(lambda: [f"{BELOW}\n오류\n".encode("utf-16")], Given("a"), ABOUT)
    assert made.same
    assert "오류" in made.excerpt


def test_a_zip_is_the_same_whenever_it_is_made() -> None:
    made = make(lambda: [FIXTURE.read_bytes()], Given("a"), ABOUT)
    data = archive(made, "ko", "Python")
    assert data == archive(made, "ko", "Python")
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.namelist() == ["report.md", "excerpt.log", "diagnosis.json"]
        assert opened.read("excerpt.log").decode() == made.excerpt


def test_a_fence_in_the_log_does_not_end_the_excerpt() -> None:
    made = make(lambda: [f"{BELOW}\n```\n<script>\n````\n".encode()], Given("a"), ABOUT)
    assert "`````text\n" in page(made, "en", "Python")


def test_both_languages_have_the_same_words() -> None:
    fields = {key: re.findall(r"[{<]\w[^}>]*[}>]", text) for key, text in WORDS["en"].items()}
    assert fields == {key: re.findall(r"[{<]\w[^}>]*[}>]", text) for key, text in WORDS["ko"].items()}


def test_a_log_is_quoted_as_a_whole_up_to_a_size_and_never_more_than_can_be_pasted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = FIXTURE.read_bytes()
    monkeypatch.setattr("diagnose.bundle.making.levels", lambda diagnosis, collected: ())

    def same() -> bool:
        return make(lambda: [data], Given("a"), ABOUT).same

    assert len(data) < making.MAX_WHOLE_CHARS
    assert data.count(b"\n") < making.MAX_WHOLE_LINES
    assert same()
    for name, enough in (("MAX_WHOLE_CHARS", len(data)), ("MAX_WHOLE_LINES", data.count(b"\n"))):
        with monkeypatch.context() as patched:
            patched.setattr(making, name, enough)
            assert same()
            patched.setattr(making, name, enough - 1)
            assert not same()


def test_an_excerpt_too_long_to_be_pasted_is_left_out_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "MAX_WHOLE_CHARS", 0)
    monkeypatch.setattr(making, "MAX_EXCERPT_CHARS", 100)
    made = make(lambda: [FIXTURE.read_bytes()], Given("a"), ABOUT)
    assert (made.same, made.excerpt) == (False, "")
    assert WORDS["ko"]["not_same"] in page(made, "ko", "Python")


def test_signs_of_life_are_quoted_from_the_end_of_the_log() -> None:
    collected = Collected("a", (), {}, None, False)
    for line in range(1, choosing.MAX_MARKS + 51):
        collected.mark(line, Mark("start", "banner"))
    (first, *_) = choosing.levels(Diagnosis(InputInfo("a", 0, 0), "healthy", RunContext()), collected)
    assert first.single == frozenset(range(51, choosing.MAX_MARKS + 51))


@pytest.mark.parametrize("extra", [0, 5])
def test_settings_beyond_the_table_are_counted(extra: int) -> None:
    made = make(lambda: [FIXTURE.read_bytes()], Given("a"), ABOUT)
    config = {f"name_{n}": Setting(n, 1, "x") for n in range(MAX_SETTINGS + extra)}
    made = replace(made, diagnosis=replace(made.diagnosis, run=replace(made.diagnosis.run, config=config)))
    assert ("and 5 more" in page(made, "en", "Python")) == bool(extra)


# ------------------------------------------------------------------------------- the command

Capture = pytest.CaptureFixture[str]


def test_the_command_writes_markdown_to_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(FIXTURE), "--lang", "ko"], {}) == 1
    out = capfd.readouterr().out
    assert out.startswith(f"# {WORDS['ko']['title']}\n")
    assert "max_seq_len: 262144 → 180224" in out


@pytest.mark.parametrize("name", ["report.md", "report.zip"])
def test_the_command_writes_a_file(tmp_path: Path, name: str, capsys: Capture) -> None:
    assert main(["report", str(FIXTURE), "-o", str(tmp_path / name)], {"LANG": "en"}) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert name in err
    assert (tmp_path / name).stat().st_size > 1_000


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["report", str(FIXTURE), "-o", "report.pdf"], "ends in .md or .zip"),
        (["report"], ""),
        (["report", "/nowhere/a.log"], "/nowhere/a.log"),
        (["report", str(FIXTURE), "--set", "nonsense"], "nonsense"),
    ],
)
def test_bad_input_is_one_line(argv: list[str], said: str, capsys: Capture) -> None:
    code = main(argv, {"LANG": "en"})
    err = capsys.readouterr().err
    assert (code, said in err) == (2, True)
    assert err.count("\n") <= 1


def test_a_pipe_is_read_once(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    class Piped:
        buffer = io.BytesIO(FIXTURE.read_bytes())

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr("sys.stdin", Piped())
    assert main(["report", "-"], {"LANG": "en"}) == 1
    assert WORDS["en"]["same"] in capfd.readouterr().out.replace("\\", "")


@pytest.mark.parametrize(("size", "code"), [(1 << 20, 0), ((1 << 20) + 1, 2)])
def test_a_pipe_is_kept_up_to_a_size(
    size: int, code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Piped:
        buffer = io.BytesIO((b"x" * 63 + b"\n") * (size // 64) + b"x" * (size % 64))

        def isatty(self) -> bool:
            return False

    assert MAX_PIPE_MIB > 1
    monkeypatch.setattr("diagnose.cli.report.MAX_PIPE_MIB", 1)
    monkeypatch.setattr("sys.stdin", Piped())
    assert main(["report", "-"], {"LANG": "en"}) == code
    assert capfd.readouterr().err.count("\n") == bool(code)
