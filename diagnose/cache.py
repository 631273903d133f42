"""Files that only save time: where they stand and how they are written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path


def cache_dir(environ: Mapping[str, str]) -> Path:
    """The directory of this person's files that only save time."""
    if environ.get("XDG_CACHE_HOME"):
        return Path(environ["XDG_CACHE_HOME"]) / "rbln-diagnose"
    if environ.get("HOME"):
        return Path(environ["HOME"]) / ".cache" / "rbln-diagnose"
    import tempfile

    return Path(tempfile.gettempdir()) / ".cache" / "rbln-diagnose"


def keep(path: Path, data: bytes) -> None:
    """Writes a file of the cache whole or not at all; a cache that cannot be written only costs time."""
    import tempfile  # brings in archives and random numbers, which no other start needs

    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
