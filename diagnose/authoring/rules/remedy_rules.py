"""Guards and changes: over known names, able to hold, and never against a constraint."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from diagnose.authoring.rules.entry_texts import captured, names
from diagnose.authoring.rules.guards import bound_names, can_hold
from diagnose.knowledge import Entry, Knowledge
from diagnose.remedies.expressions import FUNCTION_NAMES
from diagnose.remedies.solvers import SOLVERS


def guards(entry: Entry) -> Iterator[tuple[str, str]]:
    """Every guard with a name for it."""
    found = [("when", entry.when), ("observe", entry.observe)]
    found += [("cause when", case.when) for case in entry.cause]
    found += [(f"{remedy.id} when", remedy.when) for remedy in entry.remedies]
    return ((what, text) for what, text in found if text is not None)


def expressions(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Guards and changes are expressions over known names."""
    known = captured(entry) | names(knowledge) | set(FUNCTION_NAMES)
    changes = [(f"{r.id} set {p}", e) for r in entry.remedies for p, e in r.set.items() if e != "unset"]
    for what, text in [*guards(entry), *changes]:
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError:
            yield f"{what}: {text!r} is not an expression"
            continue
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for name in sorted(used - known - bound_names(tree)):
            yield f"{what}: unknown name {name!r} in {text!r}"


def dead(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """A guard nothing can make true hides its remedy or its text for good."""
    for what, text in guards(entry):
        if can_hold(text) is False:
            yield f"{what}: {text!r} can never be true"


def remedies(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Remedies change parameters that exist and name solvers that exist; another vendor's failure has none."""
    offered = {remedy.id for remedy in entry.remedies}
    for id_ in (i for e in entry.examples for i in (*e.changes, *e.not_offered) if i not in offered):
        yield f"an example speaks of remedy {id_!r}, which there is not"
    for remedy in entry.remedies:
        for parameter in remedy.set:
            if parameter not in knowledge.parameters:
                yield f"{remedy.id}: {parameter!r} is not in kb/parameters.yaml"
        for command in remedy.commands.values():
            if "${" in command:
                yield f"{remedy.id}: ${{…}} in a command is taken for a placeholder; write the path out or $NAME"
        if remedy.solver is not None and remedy.solver not in SOLVERS:
            yield f"{remedy.id}: no solver {remedy.solver!r}"
    if entry.domain == "foreign" and any(r.set or r.solver for r in entry.remedies):
        yield "a foreign failure gets no computed remedy"
    if entry.role in ("consequence", "noise") and any(r.set or r.solver for r in entry.remedies):
        yield f"a {entry.role} entry changes nothing; the root does"


def explained(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """What an entry explains is there."""
    for name in entry.explains:
        if name.endswith("*"):
            if not any(other.startswith(name[:-1]) for other in knowledge.entries):
                yield f"explains {name!r}, but no entry begins so"
        elif name not in knowledge.entries:
            yield f"explains {name!r}, which is no entry"
