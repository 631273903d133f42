"""Rules over all entries: one message, one root; computed examples within the constraints."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from diagnose.analyzer import engine_for
from diagnose.authoring.examples import diagnose_example
from diagnose.authoring.problem import EntryProblem
from diagnose.authoring.reading import records
from diagnose.knowledge import Entry, Knowledge
from diagnose.knowledge.schema import Example
from diagnose.matching import Matcher
from diagnose.model import Diagnosis, Finding
from diagnose.remedies.constraints import violations


def one_root(knowledge: Knowledge) -> Iterator[EntryProblem]:
    """An example of a root that the message of another root's signature matches as well, just as closely."""
    matcher = Matcher(knowledge, engine_for(knowledge))
    for entry in knowledge.entries.values():
        if entry.role != "root":
            continue
        for example in entry.examples:
            for record in records(example.text):
                found = matcher.match(record)
                mine = next((m for m in found if m.entry == entry.id), None)
                others = [m for m in found if m.entry != entry.id and knowledge.entries[m.entry].role == "root"]
                if mine is None:
                    continue
                for other in others:
                    same = (other.start, other.end) == (mine.start, mine.end)
                    if same and not _related(entry, knowledge.entries[other.entry]):
                        yield EntryProblem(entry.id, "one_root", f"{record.text[:60]!r} is {other.entry} as well")


def _related(entry: Entry, other: Entry) -> bool:
    """One of them explains the other, or their guards keep them apart."""
    names = [(entry, other), (other, entry)]
    explained = any(fnmatchcase(b.id, name) for a, b in names for name in a.explains)
    return explained or entry.when is not None or other.when is not None


def near_misses(knowledge: Knowledge) -> Iterator[EntryProblem]:
    """A near miss that is diagnosed as its own entry."""
    engine = engine_for(knowledge)
    for entry in knowledge.entries.values():
        for text in entry.near_misses:
            found = diagnose_example(Example(text), knowledge, engine)
            if any(f.entry == entry.id for f in (*found.findings, *found.notes)):
                yield EntryProblem(entry.id, "near_misses", f"near miss {' '.join(text.split())[:60]!r} is matched")


def lawful(knowledge: Knowledge) -> Iterator[EntryProblem]:
    """A computed example whose change breaks a constraint."""
    engine = engine_for(knowledge)
    for entry in knowledge.entries.values():
        if not any(r.set or r.solver for r in entry.remedies):
            continue
        for example in entry.examples:
            if example.sets or example.numbers:
                found = diagnose_example(example, knowledge, engine)
                yield from _unlawful(entry, example, found, knowledge)


def _unlawful(entry: Entry, example: Example, found: Diagnosis, knowledge: Knowledge) -> Iterator[EntryProblem]:
    mine: Finding | None = next((f for f in (*found.findings, *found.notes) if f.entry == entry.id), None)
    for remedy in mine.remedies if mine is not None else ():
        after = {change.parameter: change.to for change in remedy.changes}
        for broken in violations(after, found.run, knowledge) if after else ():
            yield EntryProblem(
                entry.id, "lawful", f"{remedy.id} gives {after}, which breaks {broken.id} ({example.text[:40]!r})"
            )
