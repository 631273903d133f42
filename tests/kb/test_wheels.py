"""The real packages: runs when RBLN_DIAGNOSE_WHEELS names a directory that holds their wheels.

pip download --no-deps -d wheels optimum-rbln==0.12.0 vllm-rbln==0.12.0 torch-rbln==0.12.0
(older releases may lie beside them)
RBLN_DIAGNOSE_WHEELS=wheels pytest tests/kb/test_wheels.py
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from diagnose.authoring.coverage import exceptions, report
from diagnose.authoring.coverage.judge import Coverage, coverage, numbers
from diagnose.authoring.coverage.package import read_package
from tests.authoring.made import real

DIRECTORY = os.environ.get("RBLN_DIAGNOSE_WHEELS", "")
FLOOR = {"optimum-rbln": (1.0, 0.97), "vllm-rbln": (1.0, 0.95), "torch-rbln": (1.0, 0.95)}
"""Package → least share of its reachable sites, of all its sites, that an entry knows."""

pytestmark = pytest.mark.skipif(not DIRECTORY, reason="RBLN_DIAGNOSE_WHEELS names no directory of wheels")


WHEELS = sorted(Path(DIRECTORY).glob("*_rbln-*.whl")) if DIRECTORY else []
RELEASES = pytest.mark.parametrize("wheel", WHEELS, ids=lambda path: "-".join(path.name.split("-")[:2]))


@cache
def measured(wheel: Path) -> Coverage:
    """One release by itself, an older one too: its messages are still met."""
    package = read_package(str(wheel))
    return coverage(package, real(), exceptions.shipped().get(package.name, {}))


@RELEASES
def test_enough_of_a_release_is_known(wheel: Path) -> None:
    found = measured(wheel)
    shares = [known / total for known, total in (found.share(reachable=True), found.share(reachable=False))]
    least = FLOOR[found.package.name]
    assert all(share >= floor for share, floor in zip(shares, least, strict=True)), "\n".join(report.lines(found, "en"))


@RELEASES
def test_no_message_is_emitted_outside_its_versions(wheel: Path) -> None:
    assert [(s.entry, site.path, site.line) for s, site in measured(wheel).outdated] == []


@pytest.mark.parametrize("name", FLOOR)
def test_every_exception_still_excepts_something(name: str) -> None:
    of_package = [wheel for wheel in WHEELS if measured(wheel).package.name == name]
    newest = max(of_package, key=lambda wheel: numbers(measured(wheel).package.version))
    assert measured(newest).dead_exceptions == ()
