"""Coverage of several packages, and the drift between releases of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from diagnose.authoring.coverage.drift import Drift, drift
from diagnose.authoring.coverage.judge import Coverage, coverage, numbers
from diagnose.authoring.coverage.package import Package, read_package
from diagnose.knowledge import Knowledge


def measure(
    given: Sequence[str], knowledge: Knowledge, exceptions: Mapping[str, Mapping[str, str]]
) -> tuple[list[Coverage], list[Drift]]:
    """Coverage of the newest release of each package in ``given``, and the drift between its releases.

    Raises InputError for what is no package.
    """
    releases: dict[str, list[Package]] = {}
    for name in given:
        package = read_package(name)
        releases.setdefault(package.name, []).append(package)
    for packages in releases.values():
        packages.sort(key=lambda p: numbers(p.version))
    newest = [packages[-1] for packages in releases.values()]
    found = [coverage(package, knowledge, exceptions.get(package.name, {})) for package in newest]
    return found, [drift(a, b) for packages in releases.values() for a, b in pairwise(packages)]
