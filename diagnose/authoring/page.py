"""``kb show``: one entry as a page with fixed headings."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from diagnose.authoring.listing import named
from diagnose.authoring.words import say
from diagnose.knowledge import Entry, Knowledge
from diagnose.knowledge.schema import Example, RemedySpec, Signature
from diagnose.model import Lang, Remedy


def page(id_: str, knowledge: Knowledge, lang: Lang) -> Iterator[str]:
    """Lines of the page. Raises InputError for an id there is not, naming similar ones."""
    (entry,) = named([id_], knowledge)
    yield entry.title.in_(lang)
    yield f"{entry.id} · {entry.component} · {entry.role} · {entry.severity}"
    for heading, lines in (
        ("messages", [line for s in entry.signatures for line in _signature(s, lang)]),
        ("observed", [entry.observe] if entry.observe else []),
        ("cause", [(f"[{c.when}] " if c.when else "") + c.text.in_(lang) for c in entry.cause]),
        ("remedies", [line for remedy in entry.remedies for line in _remedy(remedy, lang)]),
        ("echoes", list(entry.explains)),
        ("explained_by", explained_by(entry, knowledge)),
        ("evidence", [entry.evidence, *entry.references]),
        ("example", list(_example(entry, knowledge, lang))),
    ):
        if lines:
            yield f"\n{say(heading, lang)}"
            yield from (f"  {line}" for line in lines)


def explained_by(entry: Entry, knowledge: Knowledge) -> list[str]:
    """Roots whose echo ``entry`` can be; for an echo of nearly everything only how many they are."""
    roots = [
        other.id
        for other in knowledge.entries.values()
        if other.id != entry.id and any(fnmatchcase(entry.id, name) for name in other.explains)
    ]
    return roots if len(roots) <= 12 else [*sorted(roots)[:8], f"… (+{len(roots) - 8})"]


def _signature(signature: Signature, lang: Lang) -> Iterator[str]:
    notes = []
    if signature.since:
        notes.append(f"{say('since', lang)} {signature.since}" if lang == "en" else f"{signature.since}부터")
    if signature.until:
        notes.append(f"{say('until', lang)} {signature.until}" if lang == "en" else f"{signature.until}까지")
    if signature.where:
        notes.append(", ".join(signature.where))
    yield (signature.template or signature.pattern) + (f"   ({' · '.join(notes)})" if notes else "")


def surety(remedy: RemedySpec) -> str:
    """How sure the remedy can be at best: what the entry caps, else what its kind of computing allows."""
    if remedy.applicability is not None:
        return remedy.applicability
    if remedy.solver:
        return "exact | estimate"  # the solver tells for each run
    return "exact" if remedy.set else "advice"


def _remedy(remedy: RemedySpec, lang: Lang) -> Iterator[str]:
    guard = f" [{remedy.when}]" if remedy.when else ""
    yield f"{remedy.id} ({surety(remedy)}): {remedy.title.in_(lang)}{guard}"
    yield from (f"  {name} = {expression}" for name, expression in remedy.set.items())
    if remedy.solver:
        options = ", ".join(f"{k}={v}" for k, v in remedy.options.items())
        yield f"  {say('solver', lang)}: {remedy.solver}({options})"
    yield from (f"  $ {command}" for command in remedy.commands.values())
    for key, text in (("side_effect", remedy.side_effect), ("verify", remedy.verify)):
        if text is not None:
            yield f"  {say(key, lang)}: {text.in_(lang)}"


def _example(entry: Entry, knowledge: Knowledge, lang: Lang) -> Iterator[str]:
    """The example that computes the most, with what comes out of it."""
    if not entry.examples:
        return
    example = max(entry.examples, key=lambda e: (len(e.changes), len(e.numbers)))
    yield from example.text.strip().splitlines()
    given = {**({"npu": example.npu} if example.npu else {}), **example.sets}
    if given:
        yield f"{say('in_force', lang)}: " + ", ".join(f"{k}={v}" for k, v in given.items())
    for remedy in _remedies(entry, example, knowledge):
        if remedy.changes:
            moves = ", ".join(f"{c.parameter}: {_shown(c.from_)} → {_shown(c.to)}" for c in remedy.changes)
            how = f"   ({remedy.arithmetic})" if remedy.arithmetic else ""
            yield f"{remedy.id} ({remedy.applicability}): {moves}{how}"
        elif remedy.missing:
            yield f"{remedy.id} ({remedy.applicability}): {remedy.arithmetic} · {say('missing', lang)} " + ", ".join(
                remedy.missing
            )


def _remedies(entry: Entry, example: Example, knowledge: Knowledge) -> tuple[Remedy, ...]:
    from diagnose.analyzer import engine_for
    from diagnose.authoring.examples import diagnose_example

    found = diagnose_example(example, knowledge, engine_for(knowledge))
    mine = next((f for f in (*found.findings, *found.notes) if f.entry == entry.id), None)
    return () if mine is None else mine.remedies


def _shown(value: object) -> str:
    return "-" if value is None else str(value)
