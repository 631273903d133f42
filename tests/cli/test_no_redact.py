"""``--no-redact`` is for the person at the terminal; everybody else reads aliases."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from diagnose.cli.app import main
from tests.cli.conftest import Analyser
from tests.cli.test_diagnose_log import Screen
from tests.report.samples import KV

Capture = pytest.CaptureFixture[str]
HOLDS = replace(KV, input=replace(KV.input, name="/home/kim/server.log"))


class Terminal(Screen):
    def isatty(self) -> bool:
        return True


def test_a_report_is_redacted(analyser: Analyser, capsys: Capture) -> None:
    analyser.answer = HOLDS
    assert main(["x"], {"LANG": "en"}) == 1
    out = capsys.readouterr().out
    assert "<home>/server.log:" in out
    assert "kim" not in out


def test_on_a_terminal_it_may_be_shown_as_it_is(analyser: Analyser, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    analyser.answer = HOLDS
    assert main(["x", "--no-redact", "--no-color"], {"LANG": "en"}) == 1
    assert "/home/kim/server.log:" in screen.getvalue()


@pytest.mark.parametrize("format", ["json", "markdown", "html", "sarif"])
def test_no_other_format_is_shown_so(
    analyser: Analyser, format: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    analyser.answer = HOLDS
    assert main(["x", "--no-redact", "--format", format], {"LANG": "en"}) == 2
    err = capsys.readouterr().err
    assert "--no-redact is for your own eyes" in err
    assert err.count("\n") == 1
    assert analyser.path == ""


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_pipe_and_a_file_are_refused(analyser: Analyser, lang: str, capsys: Capture) -> None:
    assert main(["x", "--no-redact", "--lang", lang], {}) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "--no-redact" in err
