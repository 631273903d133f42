"""Back from the report's JSON, as the store keeps it, to the nouns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.model import Change, Consequence, Copy, Finding, Remedy, Text

Object = Mapping[str, Any]


def finding_from(made: Object) -> Finding:
    """The finding whose JSON ``made`` is; what JSON does not hold (other lines, highlights) is empty.

    Raises KeyError or TypeError when ``made`` is no finding.
    """
    return Finding(
        entry=made["entry"],
        domain=made["domain"],
        role=made["role"],
        severity=made["severity"],
        line=made["line"],
        offset=made["offset"],
        text=made["text"],
        title=Text(**made["title"]),
        cause=Text(**made["cause"]),
        count=made["count"],
        process=made["process"],
        time=made["time"],
        numbers=made["numbers"],
        remedies=tuple(map(_remedy, made["remedies"])),
        consequences=tuple(Consequence(c["entry"], c["line"], Text("", "")) for c in made["consequences"]),
        recovered=made["recovered"],
    )


def _remedy(made: Object) -> Remedy:
    return Remedy(
        id=made["id"],
        applicability=made["applicability"],
        title=Text(**made["title"]),
        changes=tuple(Change(c["parameter"], c["from"], c["to"], c["scope"]) for c in made["changes"]),
        arithmetic=made["arithmetic"],
        bound=_text(made["bound"]),
        missing=tuple(made["missing"]),
        doubt=_text(made.get("doubt")),
        copies=tuple(Copy(c["line"], c["numbers"]) for c in made.get("copies", ())),
        commands=made["commands"],
        side_effect=_text(made["side_effect"]),
        verify=_text(made["verify"]),
    )


def _text(made: Object | None) -> Text | None:
    return None if made is None else Text(**made)
