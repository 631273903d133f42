"""A wheel installed far from the source tree works: the compiled knowledge base is inside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOG = ROOT / "fixtures" / "kv-insufficient-vllm.log"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = made.glob("*.whl")
    target = tmp_path_factory.mktemp("far") / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(installed: Path, tmp_path: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("RBLN", "PYTHON", "COV"))}
    return subprocess.run(
        [sys.executable, "-m", "diagnose", *args],
        cwd=tmp_path,
        env=environ
        | {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": "/dev/null", "XDG_DATA_HOME": str(tmp_path)}
        | more,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_holds_the_compiled_knowledge_base_and_the_schema(installed: Path) -> None:
    assert (installed / "diagnose" / "_kb.jsonl").stat().st_size > 10_000
    assert (installed / "diagnose" / "report" / "schema.json").is_file()
    assert not list(installed.rglob("*.yaml"))


def test_the_installed_wheel_diagnoses_like_the_checkout(installed: Path, tmp_path: Path) -> None:
    from diagnose import diagnose_path

    done = run(installed, tmp_path, str(LOG), "--format", "json")
    assert done.returncode == 1, done.stderr
    here = json.loads(json.dumps(diagnose_path(LOG).to_dict()))
    there = json.loads(done.stdout)
    assert there["findings"] == here["findings"]
    assert there["tool"] == here["tool"]


def test_entries_of_the_person_are_added_to_those_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    entry = tmp_path / "mine.yaml"
    entry.write_text(
        "id: mine.sample\ncomponent: host\nrole: root\ntitle: {en: Mine, ko: 내 항목}\n"
        'signatures: ["my very own failure number {n:int}"]\ncause: {en: so it is, ko: 그렇습니다}\n',
        encoding="utf-8",
    )
    log = tmp_path / "my.log"
    log.write_text("RuntimeError: my very own failure number 7\n")
    done = run(installed, tmp_path, str(log), "--format", "json", RBLN_DIAGNOSE_KB=str(entry))
    found = json.loads(done.stdout)["findings"][0]
    assert (found["entry"], found["numbers"]) == ("mine.sample", {"n": 7})
