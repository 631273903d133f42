"""The command line against an analyser that gives what the test asks for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from diagnose.model import Diagnosis
from tests.report.samples import HEALTHY

LANGUAGE = ("RBLN_DIAGNOSE_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS", "NO_COLOR")


class Analyser:
    """Stands in for ``diagnose.analyzer``; keeps the last call."""

    def __init__(self) -> None:
        self.answer: Diagnosis = HEALTHY
        self.error: BaseException | None = None
        self.path = ""
        self.options: dict[str, Any] = {}

    def diagnose_path(self, path: str, **options: Any) -> Diagnosis:
        self.path, self.options = path, options
        if self.error is not None:
            raise self.error
        return self.answer


@pytest.fixture
def analyser(monkeypatch: pytest.MonkeyPatch) -> Iterator[Analyser]:
    fake = Analyser()
    module = ModuleType("diagnose.analyzer")
    module.diagnose_path = fake.diagnose_path  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "diagnose.analyzer", module)
    monkeypatch.setattr("diagnose.cli.remember.STORE", "diagnose.no_such_room")
    for name in LANGUAGE:
        monkeypatch.delenv(name, raising=False)
    yield fake


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes standard input a terminal."""

    def use() -> None:
        class Terminal:
            buffer = None

            def isatty(self) -> bool:
                return True

        monkeypatch.setattr(sys, "stdin", Terminal())

    return use
