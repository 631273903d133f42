"""What the memory adds to a report: when a failure was seen before, what fixed it, which remedy worked here."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from diagnose.incidents import words
from diagnose.incidents.fingerprint import fingerprint, happening, target
from diagnose.incidents.nouns import Seen
from diagnose.model import Diagnosis, Finding, Remedy, RunContext, Text

if TYPE_CHECKING:
    from diagnose.incidents.store import Store

Times = Mapping[str, tuple[int, int]]
"""Remedy id → how often it worked, how often it was tried."""

_WAIT_S: Final = 0.2
"""A reader is not blocked by writers; whoever else holds the file is not waited for: the report comes first."""

_Place = tuple[str, int, int]
"""Entry, line and offset: which finding of a diagnosis is meant."""


def seen_before(finding: Finding, context: RunContext, store: Store) -> Seen | None:
    """When else this failure happened, as far as the store knows; None when it is new. Raises StoreError."""
    return store.seen_before(fingerprint(finding, context), but=happening(finding, context))


def seen(conn: sqlite3.Connection, print_: str, but: str | None) -> Seen | None:
    """What is known of a fingerprint, one happening left out."""
    where = "fingerprint = ? AND happening IS NOT ? AND kind IN ('opened', 'repeated')"
    times, first = conn.execute(f"SELECT count(*), min(at) FROM sightings WHERE {where}", (print_, but)).fetchone()
    if not times:
        return None
    last, source, incident = conn.execute(
        f"SELECT at, source, incident FROM sightings WHERE {where} ORDER BY at DESC, rowid DESC LIMIT 1", (print_, but)
    ).fetchone()
    fix = conn.execute(
        "SELECT resolved_by, note FROM incidents WHERE fingerprint = ?"
        " AND (resolved_by IS NOT NULL OR (state = 'resolved' AND note IS NOT NULL))"
        " ORDER BY last_seen DESC, rowid DESC LIMIT 1",
        (print_,),
    ).fetchone()
    by, note = fix if fix is not None else (None, None)
    return Seen(times, first, last, source, incident, by, note)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered about the findings of one diagnosis; read once, so that the report needs no store."""

    seen: Mapping[_Place, Seen] = field(default_factory=dict)
    times: Mapping[_Place, Times] = field(default_factory=dict)

    def of(self, finding: Finding) -> tuple[Text, ...]:
        """Sentences for the report: seen before, and what fixed it then."""
        found = self.seen.get(_place(finding))
        if found is None:
            return ()
        title = next((r.title for r in finding.remedies if r.id == found.fixed_by), None)
        return words.seen(found, title)

    def of_remedy(self, finding: Finding, remedy: Remedy) -> Text | None:
        """``worked 3 of 4 times here``; None when it was never tried."""
        tried = self.times.get(_place(finding), {}).get(remedy.id)
        return None if tried is None else words.worked(tried)

    def seen_before(self, finding: Finding) -> Mapping[str, Any] | None:
        """When it was before, for a program; None when it is new."""
        found = self.seen.get(_place(finding))
        return None if found is None else asdict(found)

    def tried(self, finding: Finding, remedy: Remedy) -> Mapping[str, int] | None:
        """How often a remedy worked of how often it was tried; None when it never was."""
        found = self.times.get(_place(finding), {}).get(remedy.id)
        return None if found is None else dict(zip(("worked", "tried"), found, strict=True))

    def ordered(self, diagnosis: Diagnosis) -> Diagnosis:
        """The diagnosis with remedies of equal applicability ordered by what worked here."""
        findings = tuple(
            replace(f, remedies=ordered(f.remedies, self.times[_place(f)])) if _place(f) in self.times else f
            for f in diagnosis.findings
        )
        return replace(diagnosis, findings=findings)


def ordered(remedies: tuple[Remedy, ...], times: Times) -> tuple[Remedy, ...]:
    """Surest first as before; among equals by the rate of success, one that was never tried counting as one of two.

    The rate is Laplace's, (worked + 1) / (tried + 2): one success does not outweigh nine of ten.
    """

    def rate(remedy: Remedy) -> float:
        worked, tried = times.get(remedy.id, (0, 0))
        return (worked + 1) / (tried + 2)

    return tuple(sorted(remedies, key=lambda r: (*r.order, -rate(r))))


def recall(diagnosis: Diagnosis, path: Path | None = None) -> Memory:
    """What is remembered about these findings; nothing when there is no store yet. Raises StoreError."""
    from diagnose.incidents.place import default_path

    path = path or default_path()
    if not diagnosis.findings or not path.exists():
        return Memory()
    from diagnose.incidents.store import Store
    from diagnose.redact import Redactor, here, redacted

    diagnosis = redacted(diagnosis, Redactor(here()))
    store = Store.open(path, busy_s=_WAIT_S)
    try:
        what = target(diagnosis.run)
        before: dict[_Place, Seen] = {}
        times: dict[_Place, Times] = {}
        for finding in diagnosis.findings:
            found = seen_before(finding, diagnosis.run, store)
            if found is not None:
                before[_place(finding)] = found
            if tried := store.evidence(finding.entry, what):
                times[_place(finding)] = tried
        return Memory(before, times)
    finally:
        store.close()


def _place(finding: Finding) -> _Place:
    return finding.entry, finding.line, finding.offset
