"""An entry's own examples must fill every placeholder of its texts: what the message may not carry needs a case."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.analyzer import engine_for
from diagnose.authoring.examples import diagnose_example
from diagnose.authoring.problem import EntryProblem
from diagnose.authoring.rules.entry_texts import texts
from diagnose.knowledge import Knowledge
from diagnose.model import Finding, Text
from diagnose.remedies.render import MISSING


def texts_filled(knowledge: Knowledge) -> Iterator[EntryProblem]:
    """No example of an entry renders ``(not in the log)`` in a sentence of its own entry."""
    engine = engine_for(knowledge)
    for entry in knowledge.entries.values():
        if not any("{" in text.en for _, text in texts(entry)):
            continue
        for number, example in enumerate(entry.examples, 1):
            found = diagnose_example(example, knowledge, engine)
            for finding in (*found.findings, *found.notes):
                if finding.entry == entry.id:
                    for what in _unfilled(finding):
                        message = f"example {number} leaves {what} unfilled; add a case `when: known('…')`"
                        yield EntryProblem(entry.id, "texts_filled", message)


def _unfilled(finding: Finding) -> Iterator[str]:
    shown: list[tuple[str, Text | None]] = [("title", finding.title), ("cause", finding.cause)]
    for remedy in finding.remedies:
        shown.append((f"{remedy.id} title", remedy.title))
        shown.append((f"{remedy.id} side_effect", remedy.side_effect))
        shown.append((f"{remedy.id} verify", remedy.verify))
    for what, text in shown:
        if text is not None and (MISSING.en in text.en or MISSING.ko in text.ko):
            yield what
