"""The real packages: runs when RBLN_DIAGNOSE_WHEELS names a directory that holds their wheels.

pip download --no-deps -d wheels optimum-rbln==0.12.0 vllm-rbln==0.12.0 torch-rbln==0.12.0
RBLN_DIAGNOSE_WHEELS=wheels pytest tests/kb/test_wheels.py
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import pytest

from diagnose.authoring.coverage import exceptions, report
from diagnose.authoring.coverage.judge import Coverage
from diagnose.authoring.coverage.measure import measure
from tests.authoring.made import real

DIRECTORY = os.environ.get("RBLN_DIAGNOSE_WHEELS", "")
FLOOR = {"optimum-rbln": (1.0, 0.97), "vllm-rbln": (1.0, 0.95), "torch-rbln": (1.0, 0.95)}
"""Package → least share of its reachable sites, of all its sites, that an entry knows."""

pytestmark = pytest.mark.skipif(not DIRECTORY, reason="RBLN_DIAGNOSE_WHEELS names no directory of wheels")


@lru_cache(maxsize=1)
def measured() -> dict[str, Coverage]:
    wheels = sorted(str(path) for path in Path(DIRECTORY).glob("*_rbln-*.whl"))
    found, _ = measure(wheels, real(), exceptions.shipped())
    return {one.package.name: one for one in found}


@pytest.mark.parametrize("name", FLOOR)
def test_enough_of_a_package_is_known(name: str) -> None:
    found = measured()[name]
    shares = [known / total for known, total in (found.share(reachable=True), found.share(reachable=False))]
    assert shares >= list(FLOOR[name]), "\n".join(report.lines(found, "en"))


@pytest.mark.parametrize("name", FLOOR)
def test_no_message_is_emitted_outside_its_versions(name: str) -> None:
    assert [(s.entry, site.path, site.line) for s, site in measured()[name].outdated] == []


@pytest.mark.parametrize("name", FLOOR)
def test_every_exception_still_excepts_something(name: str) -> None:
    assert measured()[name].dead_exceptions == ()
