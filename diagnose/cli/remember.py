"""The hand-over of a diagnosis to the incident store, where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys

from diagnose.cli.boundary import one_line
from diagnose.cli.words import word
from diagnose.model import Diagnosis, Lang

STORE = "diagnose.incidents"
"""Has ``remember(diagnosis: Diagnosis) -> None``."""


def remember(diagnosis: Diagnosis, lang: Lang) -> None:
    """Store a failure. The report stands already: a store that cannot be written costs one line only."""
    if diagnosis.outcome == "healthy" or importlib.util.find_spec(STORE) is None:
        return
    try:
        importlib.import_module(STORE).remember(diagnosis)
    except Exception as error:
        print(f"rbln-diagnose: {word('not_stored', lang)}: {one_line(str(error))}", file=sys.stderr)
