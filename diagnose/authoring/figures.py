"""``kb stats``: how much the knowledge base holds, and how much of it computes something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from diagnose.authoring.words import say
from diagnose.knowledge import Entry, Knowledge
from diagnose.model import Lang

REPORTED = re.compile(r"\b[Rr]eport\b|\bcontact\b", re.ASCII)
"""English title of a remedy that hands the failure to the vendor."""


def remedy_kind(entry: Entry) -> str:
    """``computed`` (an expression or a solver), ``advice``, ``support`` (only: report it), or ``none``."""
    if any(r.set or r.solver for r in entry.remedies):
        return "computed"
    if not entry.remedies:
        return "none"
    return "support" if all(REPORTED.search(r.title.en) for r in entry.remedies) else "advice"


def figures(knowledge: Knowledge) -> dict[str, Any]:
    """Counts, JSON-ready."""
    entries = list(knowledge.entries.values())
    kinds = Counter(remedy_kind(e) for e in entries if e.role == "root")
    return {
        "entries": len(entries),
        "signatures": len(knowledge.signatures),
        "literals": len(knowledge.literals),
        "parameters": len(knowledge.parameters),
        "constraints": len(knowledge.constraints),
        "remedies": {kind: kinds.get(kind, 0) for kind in ("computed", "advice", "support", "none")},
        **{
            field: dict(Counter(getattr(e, field) for e in entries).most_common())
            for field in ("component", "role", "evidence")
        },
    }


def lines(knowledge: Knowledge, lang: Lang) -> Iterator[str]:
    found = figures(knowledge)
    for name in ("entries", "signatures", "literals", "parameters", "constraints"):
        yield f"{found[name]:>6}  {say(name, lang)}"
    yield ""
    for kind, count in found["remedies"].items():
        yield f"{count:>6}  {say(f'remedy_{kind}', lang)}"
    for field in ("component", "role", "evidence"):
        yield ""
        for value, count in found[field].items():
            yield f"{count:>6}  {field} {value}"
