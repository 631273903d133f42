"""A Diagnosis in the format someone asked for. One file per format; each has ``render(diagnosis, lang)``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from diagnose.model import Diagnosis, Lang

FORMATS: Final = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
"""Names of ``--format``; each is a module of this package."""


def render(diagnosis: Diagnosis, format: str, lang: Lang) -> str:
    """The report as a string, ending in a newline. Raises ValueError for a format not in :data:`FORMATS`."""
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}")
    module = importlib.import_module(f"diagnose.report.{format}")
    text: str = module.render(diagnosis, lang)
    return text
