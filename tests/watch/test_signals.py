"""Asked to end at any moment, the watch ends without a word and with the code the README names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from diagnose.watch.signals import Signals

ROOT = Path(__file__).parents[2]

# A finder that is asked for a module sends the signal in the middle of the start.
KILLED_AT = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background of a shell's script ignores it

class Killer:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Killer())
sys.argv = ["rbln-diagnose", *{argv!r}]
from diagnose.__main__ import main
sys.exit(main())
"""
MOMENTS = ("diagnose.cli.app", "diagnose.analyzer", "diagnose.watch.daemon", "diagnose.incidents.store", "rapidfuzz")
"""From the first import to the rehearsal, when the logs are open."""


def killed_at(module: str, number: int, argv: list[str], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    program = KILLED_AT.format(module=module, number=int(number), argv=argv)
    environ = {k: v for k, v in os.environ.items() if not k.startswith("RBLN")}
    environ |= {"RBLN_DIAGNOSE_DB": str(tmp_path / "db.sqlite3"), "RBLN_DIAGNOSE_LANG": "en"}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("module", MOMENTS)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)], ids=["TERM", "INT"])
def test_a_signal_at_any_moment_of_the_start_ends_it_quietly(
    tmp_path: Path, module: str, number: int, code: int
) -> None:
    log = tmp_path / "a.log"
    log.touch()
    done = killed_at(module, number, ["watch", str(log)], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_no_other_command_is_given_another_end(tmp_path: Path) -> None:
    done = killed_at("diagnose.analyzer", signal.SIGTERM, ["a.log"], tmp_path)
    assert done.returncode == -signal.SIGTERM
    done = killed_at("diagnose.cli.app", signal.SIGINT, ["a.log"], tmp_path)
    assert (done.returncode, done.stderr) == (130, "")


def test_a_language_before_the_command_is_no_obstacle(tmp_path: Path) -> None:
    done = killed_at("diagnose.analyzer", signal.SIGTERM, ["--lang", "ko", "watch", "a.log"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_came_before_there_was_a_daemon_is_kept_and_the_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    said: list[str] = []
    with Signals() as signals:
        assert signals.code is None
        os.kill(os.getpid(), signal.SIGTERM)
        assert signals.code == 0
        signals.hand_to(lambda: said.append("stop"), lambda: said.append("reload"))
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGINT)
        assert said == ["reload", "stop"]
        assert signals.code == 0  # who asked first is answered
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_the_codes_are_the_ones_the_readmes_name(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert "SIGTERM" in text
    assert "| 130 |" in text
