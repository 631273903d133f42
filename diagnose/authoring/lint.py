"""Every rule an entry must keep. A rule yields what is wrong, in one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from diagnose.authoring.listing import named
from diagnose.authoring.problem import EntryProblem
from diagnose.authoring.rules import filled, matching_rules, remedy_rules, together, wording
from diagnose.knowledge import Entry, Knowledge

Validator = Callable[[Entry, Knowledge], Iterable[str]]
Finalizer = Callable[[Knowledge], Iterable[EntryProblem]]

VALIDATORS: tuple[Validator, ...] = (
    wording.ids,
    wording.parity,
    wording.placeholders,
    wording.drafts,
    remedy_rules.explained,
    remedy_rules.expressions,
    remedy_rules.dead,
    remedy_rules.remedies,
    matching_rules.shown,
    matching_rules.proven,
    matching_rules.rare,
    matching_rules.nested,
    matching_rules.slow,
)
"""Rules over one entry."""

FINALIZERS: tuple[Finalizer, ...] = (together.one_root, together.near_misses, together.lawful, filled.texts_filled)
"""Rules over all entries together."""


def run(knowledge: Knowledge, ids: Sequence[str] = ()) -> list[EntryProblem]:
    """Everything the rules find, by entry; with ``ids`` of these entries only. Raises InputError for an id there is
    not."""
    entries = named(ids, knowledge)
    found = [
        EntryProblem(entry.id, validator.__name__, message)
        for entry in entries
        for validator in VALIDATORS
        for message in validator(entry, knowledge)
    ]
    for finalizer in FINALIZERS:
        found += [problem for problem in finalizer(knowledge) if not ids or problem.entry in ids]
    return sorted(found, key=lambda problem: problem.entry)
