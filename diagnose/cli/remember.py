"""The hand-over between a diagnosis and the incident store. Whatever is wrong with the store, the report stands."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING

from diagnose.cli.boundary import hidden, one_line
from diagnose.cli.words import word
from diagnose.model import Diagnosis, InputError, Lang

if TYPE_CHECKING:
    from diagnose.incidents import Memory

STORE = "diagnose.incidents"
"""Has ``remember(diagnosis: Diagnosis) -> None`` and ``recall(diagnosis: Diagnosis) -> Memory``."""


def recall(diagnosis: Diagnosis) -> Memory | None:
    """What is remembered about these findings; None when there is nothing, or when the store cannot be read."""
    if not diagnosis.findings or importlib.util.find_spec(STORE) is None:
        return None
    try:
        memory: Memory = importlib.import_module(STORE).recall(diagnosis)
    except Exception:
        return None  # remember() comes next and says it
    return memory


def remember(diagnosis: Diagnosis, lang: Lang, *, given: bool = False) -> None:
    """Store a failure, or that a server came up. A store that cannot be written costs one line on stderr only.

    ``given``: the configuration came (in part) from a file. Then it is not certain what the log itself shows.
    """
    failed = diagnosis.outcome != "healthy"
    came_up = not failed and not given and "serve" in diagnosis.run.phases
    if not (failed or came_up) or importlib.util.find_spec(STORE) is None:
        return
    try:
        importlib.import_module(STORE).remember(diagnosis)
    except Exception as error:
        said = error.message.in_(lang) if isinstance(error, InputError) else str(error)
        print(f"rbln-diagnose: {word('not_stored', lang)}: {one_line(hidden(said))}", file=sys.stderr)
