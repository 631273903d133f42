"""Every text of an entry, and the names it may use."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.knowledge import Entry, Knowledge
from diagnose.model import Text
from diagnose.remedies.expressions import NAMES

OVERRULED = frozenset({"parameter", "asked", "in_force", "asked_from", "in_force_from"})
"""Names of the note about a value that was overruled."""
GIVEN = frozenset({"file", "unlike", "sections", "example"})
"""Names of the notes about a file that was given by hand."""
LEFT_OUT = frozenset({"facts", "errors", "lines", "findings", "notes", "unknown", "echoes"})
"""Names of the notes about an input that holds more than a diagnosis: how many of each it does not hold."""


def texts(entry: Entry) -> Iterator[tuple[str, Text]]:
    """Every bilingual text of an entry with a name for it."""
    yield "title", entry.title
    for case in entry.cause:
        yield "cause", case.text
    for remedy in entry.remedies:
        yield f"{remedy.id} title", remedy.title
        if remedy.side_effect:
            yield f"{remedy.id} side_effect", remedy.side_effect
        if remedy.verify:
            yield f"{remedy.id} verify", remedy.verify


def captured(entry: Entry) -> set[str]:
    """Placeholders of its signatures."""
    return {name for signature in entry.signatures for name in signature.types}


def names(knowledge: Knowledge) -> set[str]:
    """Names of the configuration a text or an expression may use."""
    return set(knowledge.parameters) | set(NAMES)
