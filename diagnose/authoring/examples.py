"""Every example and near miss of every entry, through the whole analyser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from diagnose.analyzer import Analyzer, engine_for
from diagnose.authoring.listing import named
from diagnose.authoring.problem import EntryProblem
from diagnose.knowledge import Entry, Knowledge
from diagnose.knowledge.schema import Example
from diagnose.model import Diagnosis, Finding, Value
from diagnose.scan import Engine


def run(knowledge: Knowledge, ids: Sequence[str] = ()) -> list[EntryProblem]:
    """What the examples and near misses do not keep; with ``ids`` of these entries only. Raises InputError for an id
    there is not."""
    engine = engine_for(knowledge)
    return [
        EntryProblem(entry.id, "test", message)
        for entry in named(ids, knowledge)
        for message in check_entry(entry, knowledge, engine)
    ]


def check_entry(entry: Entry, knowledge: Knowledge, engine: Engine) -> Iterator[str]:
    for example in entry.examples:
        found = diagnose_example(example, knowledge, engine)
        head = " ".join(example.text.split())[:70]
        for message in check_example(entry, example, found):
            yield f"example {head!r}: {message}"
    for text in entry.near_misses:
        found = diagnose_example(Example(text), knowledge, engine)
        if any(f.entry == entry.id for f in (*found.findings, *found.notes)):
            yield f"near miss {' '.join(text.split())[:70]!r} is taken for this entry"


def diagnose_example(example: Example, knowledge: Knowledge, engine: Engine) -> Diagnosis:
    analyzer = Analyzer(sets=example.sets, npu=example.npu, knowledge=knowledge, engine=engine)
    analyzer.feed(example.text.encode())
    return analyzer.finish()


def check_example(entry: Entry, example: Example, found: Diagnosis) -> Iterator[str]:
    if entry.role == "noise":
        if found.outcome != "healthy":
            yield f"noise gives outcome {found.outcome}"
        return
    mine = next((f for f in (*found.findings, *found.notes) if f.entry == entry.id), None)
    if mine is None:
        yield f"not found; found {[f.entry for f in (*found.findings, *found.notes)]}"
        return
    if entry.role == "root" and (strange := [f.entry for f in found.findings if f.entry != entry.id]):
        yield f"taken for {strange} as well"
    for name, value in example.numbers.items():
        if mine.numbers.get(name) != value:
            yield f"{name} is {mine.numbers.get(name)!r}, not {value!r}"
    for id_, expected in example.changes.items():
        yield from check_changes(mine, id_, expected)
    for id_ in example.not_offered:
        if any(remedy.id == id_ for remedy in mine.remedies):
            yield f"remedy {id_} is offered"


def check_changes(finding: Finding, id_: str, expected: Mapping[str, Value]) -> Iterator[str]:
    remedy = next((r for r in finding.remedies if r.id == id_), None)
    if remedy is None:
        yield f"remedy {id_} is not offered, only {[r.id for r in finding.remedies]}"
        return
    got = {change.parameter: change.to for change in remedy.changes}
    for parameter, value in expected.items():
        if parameter not in got:
            yield f"{id_} does not change {parameter}, only {sorted(got)} (missing {list(remedy.missing)})"
        elif got[parameter] != value:
            yield f"{id_} sets {parameter} to {got[parameter]!r}, not {value!r}"
