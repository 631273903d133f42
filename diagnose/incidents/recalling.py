"""What the memory adds to a report: when a failure was seen before, what fixed it, which remedy worked here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any, Final

from diagnose.incidents import before, words
from diagnose.incidents.before import Seen
from diagnose.incidents.fingerprint import fingerprint, happening, target
from diagnose.light import dataclass
from diagnose.model import Diagnosis, Finding, Remedy, Text

Times = Mapping[str, tuple[int, int]]
"""Remedy id → how often it worked, how often it was tried."""

_WAIT_S: Final = 0.2
"""A reader is not blocked by writers; whoever else holds the file is not waited for: the report comes first."""

_Place = tuple[str, int, int]
"""Entry, line and offset: which finding of a diagnosis is meant."""


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
    from diagnose.incidents.connection import Connection
    from diagnose.redact import Redactor, here, redacted

    diagnosis = redacted(diagnosis, Redactor(here()))
    connection = Connection(path, busy_s=_WAIT_S)
    try:
        what = target(diagnosis.run)
        seen: dict[_Place, Seen] = {}
        times: dict[_Place, Times] = {}
        with connection.reading() as conn:
            for finding in diagnosis.findings:
                print_, own = fingerprint(finding, diagnosis.run), happening(finding, diagnosis.run)
                if (found := before.seen(conn, print_, own)) is not None:
                    seen[_place(finding)] = found
                if tried := before.evidence(conn, finding.entry, what):
                    times[_place(finding)] = tried
        return Memory(seen, times)
    finally:
        connection.close()


def _place(finding: Finding) -> _Place:
    return finding.entry, finding.line, finding.offset
