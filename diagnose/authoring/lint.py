"""Small validators over entries. Each yields what is wrong, in one sentence that says what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from diagnose.authoring.problem import EntryProblem
from diagnose.knowledge import Entry, Knowledge
from diagnose.model import Text
from diagnose.remedies.expressions import FUNCTION_NAMES, NAMES
from diagnose.remedies.solvers import SOLVERS

Validator = Callable[[Entry, Knowledge], Iterable[str]]

COMMON_TAILS = (" HTTP/1.1", "200 OK", "tokens/s", " reqs,", "Running:", "prompt: ", "params: ")
"""Endings that stand in every other line of a healthy log; a literal that ends so slows the whole scan."""

_PLACEHOLDER = re.compile(r"\{([a-z_][\w.]*)[^{}]*\}")
_CODE = re.compile(r"`([^`]+)`")
_NESTED = re.compile(r"\((?:\?:|\?P<\w+>)?[^()]*[+*]\)[+*]")


def ids(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+", entry.id):
        yield f"id {entry.id!r} is not of the form family.what-it-is"


def parity(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Korean and English name the same placeholders and the same code."""
    for what, text in texts(entry):
        for kind, pattern in (("placeholders", _PLACEHOLDER), ("code", _CODE)):
            en, ko = (sorted(set(pattern.findall(t))) for t in (text.en, text.ko))
            if en != ko:
                yield f"{what}: {kind} differ between en {en} and ko {ko}"


def placeholders(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Every placeholder of a text is a captured number or a name of the configuration."""
    known = captured(entry) | names(knowledge) | {"parameter", "asked", "in_force", "asked_from", "in_force_from"}
    for what, text in texts(entry):
        for name in set(_PLACEHOLDER.findall(text.en)):
            if name not in known:
                yield f"{what}: {{{name}}} is neither captured nor a name of the configuration"


def examples(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    if entry.signatures and not entry.examples:
        yield "has no example; give at least one per signature"


def explained(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    for name in entry.explains:
        if name.endswith("*"):
            if not any(other.startswith(name[:-1]) for other in knowledge.entries):
                yield f"explains {name!r}, but no entry begins so"
        elif name not in knowledge.entries:
            yield f"explains {name!r}, which is no entry"


def expressions(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Guards and changes are expressions over known names."""
    known = captured(entry) | names(knowledge) | set(FUNCTION_NAMES)
    found = [("when", entry.when), ("observe", entry.observe)]
    found += [("cause when", case.when) for case in entry.cause]
    for remedy in entry.remedies:
        found.append((f"{remedy.id} when", remedy.when))
        found += [(f"{remedy.id} set {p}", e) for p, e in remedy.set.items() if e != "unset"]
    for what, text in found:
        if text is None:
            continue
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError:
            yield f"{what}: {text!r} is not an expression"
            continue
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for name in sorted(used - known):
            yield f"{what}: unknown name {name!r} in {text!r}"


def remedies(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Remedies change parameters that exist and name solvers that exist; another vendor's failure has none."""
    for remedy in entry.remedies:
        for parameter in remedy.set:
            if parameter not in knowledge.parameters:
                yield f"{remedy.id}: {parameter!r} is not in kb/parameters.yaml"
        if remedy.solver is not None and remedy.solver not in SOLVERS:
            yield f"{remedy.id}: no solver {remedy.solver!r}"
    if entry.domain == "foreign" and any(r.set or r.solver for r in entry.remedies):
        yield "a foreign failure gets no computed remedy"
    if entry.role in ("consequence", "noise") and any(r.set or r.solver for r in entry.remedies):
        yield f"a {entry.role} entry changes nothing; the root does"


def literals(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """A literal that is common in healthy logs makes the scan several times slower."""
    for signature in entry.signatures:
        for literal in signature.literals:
            if literal.endswith(COMMON_TAILS):
                yield f"literal {literal!r} ends like every other line of a healthy log"


def catastrophic(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    for signature in entry.signatures:
        if not signature.template and _NESTED.search(signature.pattern):
            yield f"regex {signature.pattern!r} has a repetition inside a repetition"


VALIDATORS: tuple[Validator, ...] = (
    ids,
    parity,
    placeholders,
    examples,
    explained,
    expressions,
    remedies,
    literals,
    catastrophic,
)


def run(knowledge: Knowledge) -> list[EntryProblem]:
    """Everything the validators find, by entry."""
    return [
        EntryProblem(entry.id, validator.__name__, message)
        for entry in knowledge.entries.values()
        for validator in VALIDATORS
        for message in validator(entry, knowledge)
    ]


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
    return {name for signature in entry.signatures for name in signature.types}


def names(knowledge: Knowledge) -> set[str]:
    """Names of the configuration a text or an expression may use."""
    return set(knowledge.parameters) | set(NAMES)
