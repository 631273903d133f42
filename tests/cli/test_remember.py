"""A diagnosis and the memory: reports say what was before, and no trouble of the store reaches the report."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from diagnose.cli.app import main
from diagnose.incidents.store import Store
from diagnose.model import Diagnosis
from tests.cli.conftest import Analyser
from tests.report.samples import HEALTHY, KV

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def path(analyser: Analyser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("diagnose.cli.remember.STORE", "diagnose.incidents")
    found = tmp_path / "store.db"
    monkeypatch.setenv("RBLN_DIAGNOSE_DB", str(found))
    return found


def with_time(at: str) -> Diagnosis:
    return replace(KV, findings=(replace(KV.findings[0], time=at), *KV.findings[1:]))


def served(diagnosis: Diagnosis) -> Diagnosis:
    return replace(diagnosis, run=replace(diagnosis.run, phases=frozenset({"serve"})))


def count(path: Path, table: str) -> int:
    with Store.open(path).connection.reading() as conn:
        return int(conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_the_second_report_says_that_there_was_a_first(analyser: Analyser, path: Path, capsys: Capture) -> None:
    for number, (lang, said) in enumerate((("en", "Seen once before on this machine"), ("ko", "이 장비에서"))):
        analyser.answer = with_time(f"11-29 12:0{number}:00")
        main(["x", "--lang", "en"], {})
        assert ("Seen" in capsys.readouterr().out) is (number > 0)
        analyser.answer = with_time(f"11-30 12:0{number}:00")
        main(["x", "--lang", lang, "--no-store"], {})
        assert "Seen" not in capsys.readouterr().out
        main(["x", "--lang", lang], {})
        assert said in capsys.readouterr().out


def test_the_same_log_twice_was_not_seen_before(analyser: Analyser, path: Path, capsys: Capture) -> None:
    analyser.answer = KV
    first, second = (main(["x", "--lang", "en"], {}) for _ in range(2))
    assert (first, second) == (1, 1)
    assert "Seen" not in capsys.readouterr().out


def test_no_store_makes_no_file(analyser: Analyser, path: Path) -> None:
    analyser.answer = KV
    main(["x", "--no-store"], {})
    assert not path.exists()


@pytest.mark.parametrize(("argv", "starts"), [([], 1), (["--config", "a.json"], 0)])
def test_a_server_that_came_up_is_noted_unless_a_file_may_have_said_so(
    analyser: Analyser, path: Path, tmp_path: Path, argv: list[str], starts: int
) -> None:
    log = tmp_path / "server.log"
    log.write_text("x")
    analyser.answer = served(replace(HEALTHY, input=replace(HEALTHY.input, name=str(log))))
    main([str(log), *argv], {})
    assert (count(path, "starts") if path.exists() else 0) == starts


@pytest.mark.parametrize(("lang", "said"), [("en", "is damaged"), ("ko", "손상되었습니다")])
def test_a_damaged_store_costs_one_line_on_stderr_and_nothing_else(
    analyser: Analyser, path: Path, lang: str, said: str, capsys: Capture
) -> None:
    path.write_bytes(b"nothing of ours" * 500)
    analyser.answer = KV
    assert main(["x", "--lang", lang], {}) == 1
    out, err = capsys.readouterr()
    assert main(["x", "--lang", lang, "--no-store"], {}) == 1
    assert capsys.readouterr().out == out
    assert said in err
    assert err.count("\n") == 1


def test_a_reader_that_has_had_enough_does_not_stop_the_memory(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    message = (
        "Insufficient memory for the required KV cache: only 12 blocks can be allocated, but at least 17 blocks are"
    )
    log.write_text(f"ValueError: {message} required for the sequence length (currently 8)\n")
    path = tmp_path / "store.db"
    process = subprocess.Popen(
        [sys.executable, "-m", "diagnose", str(log)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "RBLN_DIAGNOSE_DB": str(path)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == 1
    assert process.stderr.read() == b""
    process.stderr.close()
    assert count(path, "incidents") == 1
