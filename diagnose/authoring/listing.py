"""``kb list``: entries by what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from diagnose.knowledge import Entry, Knowledge
from diagnose.knowledge.source import DOMAINS, EVIDENCE, ROLES
from diagnose.model import InputError, Lang, Text

CHOICES: Mapping[str, tuple[str, ...]] = {
    "component": tuple(DOMAINS),
    "role": ROLES,
    "domain": tuple(dict.fromkeys(DOMAINS.values())),
    "evidence": EVIDENCE,
}
"""Filter → values it takes."""


def chosen(knowledge: Knowledge, filters: Mapping[str, str | None]) -> list[Entry]:
    """Entries that fit every filter that is given, by id. Raises InputError for a value no entry can have."""
    for name, value in filters.items():
        if value is not None and value not in CHOICES[name]:
            values = ", ".join(CHOICES[name])
            raise InputError(
                Text(
                    f"--{name} {value!r} is not known; it must be one of {values}",
                    f"--{name}에 쓸 수 없는 값입니다: {value!r}. 다음 중 하나여야 합니다: {values}",
                )
            )
    wanted = {name: value for name, value in filters.items() if value is not None}
    fitting = (e for e in knowledge.entries.values() if all(getattr(e, n) == v for n, v in wanted.items()))
    return sorted(fitting, key=lambda e: e.id)


def named(ids: Sequence[str], knowledge: Knowledge) -> list[Entry]:
    """The entries of these ids; all for none. Raises InputError for an id there is not, naming similar ones."""
    for id_ in ids:
        if id_ not in knowledge.entries:
            near = ", ".join(similar(id_, list(knowledge.entries)))
            raise InputError(
                Text(
                    f"the knowledge base has no entry {id_!r}" + (f"; similar: {near}" if near else ""),
                    f"지식 베이스에 {id_!r} 항목이 없습니다." + (f" 비슷한 항목: {near}" if near else ""),
                )
            )
    return [knowledge.entries[id_] for id_ in ids] if ids else list(knowledge.entries.values())


def similar(id_: str, ids: Sequence[str]) -> list[str]:
    """At most three ids that look like ``id_`` or hold it."""
    from difflib import get_close_matches

    return get_close_matches(id_, ids, n=3, cutoff=0.5) or [other for other in ids if id_ in other][:3]


def lines(entries: Iterable[Entry], lang: Lang) -> Iterator[str]:
    """One line per entry: id, role, title."""
    entries = list(entries)
    wide = max((len(e.id) for e in entries), default=0)
    for entry in entries:
        yield f"{entry.id:<{wide}}  {entry.role:<11}  {entry.title.in_(lang)}"


def objects(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """JSON-ready."""
    return [
        {
            "id": e.id,
            "component": e.component,
            "domain": e.domain,
            "role": e.role,
            "severity": e.severity,
            "evidence": e.evidence,
            "title": {"en": e.title.en, "ko": e.title.ko},
            "signatures": len(e.signatures),
            "remedies": [r.id for r in e.remedies],
        }
        for e in entries
    ]
