"""A device whose bytes never end is no log: it is refused with one line and nothing of it is read."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import BinaryIO

import pytest

from diagnose.cli.app import main
from diagnose.model import InputError
from diagnose.sources import open_source
from diagnose.watch.discovery import Discovery
from diagnose.watch.tail.system import OsFiles
from diagnose.watch.wiring import Options, serve

ENDLESS = [path for path in ("/dev/zero", "/dev/full", "/dev/urandom") if Path(path).exists()]

pytestmark = pytest.mark.skipif(not ENDLESS, reason="no such devices here")


@pytest.mark.parametrize("path", ENDLESS)
@pytest.mark.parametrize("command", [[], ["report"]], ids=["diagnose", "report"])
def test_a_device_is_refused_in_one_line_of_both_languages(
    path: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for lang, said in (("en", "is a device file"), ("ko", "장치 파일입니다")):
        assert main([*command, path], {"RBLN_DIAGNOSE_LANG": lang}) == 2
        printed = capsys.readouterr()
        assert said in printed.err and printed.err.count("\n") == 1
        assert printed.out == ""


def test_a_device_on_standard_input_is_refused() -> None:
    with Path(ENDLESS[0]).open("rb") as endless, pytest.raises(InputError, match="standard input is a device"):
        open_source("-", stdin=endless)


@pytest.mark.parametrize("stdin", [io.BytesIO(b"line\n"), None], ids=["bytes", "a pipe"])
def test_what_ends_is_read_from_standard_input(stdin: BinaryIO | None) -> None:
    if stdin is None:
        out, into = os.pipe()
        os.write(into, b"line\n")
        os.close(into)
        stdin = os.fdopen(out, "rb")
    with stdin, open_source("-", stdin=stdin) as source:
        assert b"".join(source.blocks()) == b"line\n"


def test_the_name_of_a_pipe_is_read(tmp_path: Path) -> None:
    out, into = os.pipe()
    os.write(into, b"line\n")
    os.close(into)
    try:
        with open_source(f"/dev/fd/{out}") as source:
            assert b"".join(source.blocks()) == b"line\n"
    finally:
        os.close(out)


def test_nothing_is_said_to_be_empty() -> None:
    with pytest.raises(InputError, match="is empty"), open_source(os.devnull) as source:
        list(source.blocks())


@pytest.mark.parametrize("path", ENDLESS)
def test_a_device_is_not_followed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="is a device file"):
        Discovery([path], OsFiles())
    with Path(path).open("rb") as endless:
        monkeypatch.setattr("sys.stdin", endless)
        with pytest.raises(InputError, match="- is a device file"):
            serve(Options(("-",), store=False), "en", {})
