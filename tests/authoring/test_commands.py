"""``rbln-diagnose kb``: data on stdout, talk on stderr, exit codes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from diagnose.cli.app import main
from tests.authoring.made import wheel

Capture = pytest.CaptureFixture[str]
KNOWN = "raise ValueError(f'memory_budget must be None, a float, an int or a string, got {x}.')"


def test_a_list_can_be_filtered_and_be_json(capsys: Capture) -> None:
    assert main(["kb", "list", "--role", "noise", "--format", "json"], {}) == 0
    assert {entry["role"] for entry in json.loads(capsys.readouterr().out)} == {"noise"}


def test_figures_can_be_json(capsys: Capture) -> None:
    assert main(["kb", "stats", "--format", "json"], {}) == 0
    assert json.loads(capsys.readouterr().out)["remedies"]["computed"] > 0


@pytest.mark.parametrize(
    "argv", [["list", "--role", "boss"], ["list", "--format", "xml"], ["coverage", "no-such-thing"]]
)
def test_a_wrong_value_is_one_line_on_stderr(argv: list[str], capsys: Capture) -> None:
    assert main(["kb", *argv], {}) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.count("\n") == 1


def test_coverage_is_0_when_all_is_known_and_1_when_something_is_not(tmp_path: Path, capsys: Capture) -> None:
    known = wheel(tmp_path, "optimum-rbln", "0.12.0", {"optimum/rbln/m.py": KNOWN})
    assert main(["kb", "coverage", str(known), "--lang", "en"], {}) == 0
    assert "100.0 %  1/1  reachable" in capsys.readouterr().out
    unknown = wheel(tmp_path, "vllm-rbln", "0.12.0", {"vllm_rbln/m.py": "raise ValueError('an unheard-of message')"})
    assert main(["kb", "coverage", str(known), str(unknown), "--format", "json"], {}) == 1
    found = json.loads(capsys.readouterr().out)["coverage"]
    assert [(c["package"], c["counts"]["uncovered"]) for c in found] == [("optimum-rbln", 0), ("vllm-rbln", 1)]
    assert found[1]["uncovered"][0]["text"] == "an unheard-of message"


def test_a_draft_stands_on_stdout_and_its_neighbours_on_stderr(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "ValueError: memory_budget must be None, a float, an int or a string, got list."
    assert main(["kb", "new", line, "--lang", "en"], {}) == 0
    given = capsys.readouterr()
    assert given.out.startswith("id: ")
    assert "env.option-not-supported" in given.err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
    assert main(["kb", "new", "-", "--lang", "en"], {}) == 0
    assert capsys.readouterr().out == given.out


@pytest.mark.parametrize("command", ["lint", "test"])
def test_one_entry_is_checked_by_itself(command: str, capsys: Capture) -> None:
    assert main(["kb", command, "device.count-mismatch", "--lang", "en"], {}) == 0
    assert capsys.readouterr().out == "0 problems in 1 entries\n"
    assert main(["kb", command, "device.count-mismatc", "--lang", "en"], {}) == 2
    assert "similar: device.count-mismatch" in capsys.readouterr().err


def test_a_draft_can_be_written_straight_into_its_place(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "made-by-the-shell.yaml").touch()
    env = {"RBLN_DIAGNOSE_KB": str(tmp_path)}
    assert main(["kb", "new", "ValueError: the sample pool is used up", "--lang", "en"], env) == 0
    assert capsys.readouterr().out.startswith("id: ")


@pytest.mark.parametrize("command", ["list", "show", "stats", "lint", "test", "coverage", "new"])
@pytest.mark.parametrize("lang", ["ko", "en"])
def test_every_command_has_help_in_both_languages(command: str, lang: str, capsys: Capture) -> None:
    assert main(["kb", command, "--help", "--lang", lang], {}) == 0
    assert f"kb {command}" in capsys.readouterr().out
