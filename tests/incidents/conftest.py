"""A store of its own for every test, by a clock that stands still."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.incidents.store import Store
from tests.incidents.kit import Clock, opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    return opened(tmp_path, clock)
