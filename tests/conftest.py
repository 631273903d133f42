"""What holds for every test."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# No test judges time: whichever property comes first in a process pays for what it imports.
settings.register_profile("promises", deadline=None)
settings.load_profile("promises")


@pytest.fixture(scope="session", autouse=True)
def nobodys_history(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reads or writes the incidents of whoever runs it; programs it starts do not either."""
    os.environ["RBLN_DIAGNOSE_DB"] = str(tmp_path_factory.mktemp("history") / "incidents.sqlite3")
