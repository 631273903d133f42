"""Where the memory lies on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "RBLN_DIAGNOSE_DB"
FILE: Final = "incidents.sqlite3"


def default_path(environ: Mapping[str, str] | None = None) -> Path:
    """``RBLN_DIAGNOSE_DB``, else ``incidents.sqlite3`` in the platform's directory for a user's data."""
    given = (os.environ if environ is None else environ).get(VARIABLE, "")
    if given:
        return Path(given).expanduser()
    import platformdirs

    return platformdirs.user_data_path("rbln-diagnose", appauthor=False) / FILE
