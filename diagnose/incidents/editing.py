"""What a person does to the memory: says what helped, mutes, forgets."""

from __future__ import annotations

from typing import Final

from diagnose.incidents import outbox, outcomes
from diagnose.incidents.connection import Connection
from diagnose.incidents.nouns import Incident
from diagnose.incidents.times import iso
from diagnose.model import InputError, Text
from diagnose.redact import Redactor, here
from diagnose.report.clean import clean

_TABLES_OF_AN_INCIDENT: Final = ("sightings", "outbox")
"""Evidence outlives its incident: it is small, and what worked stays true."""


def resolve(connection: Connection, incident: Incident, *, by: str | None, note: str | None, now_s: float) -> None:
    """It is dealt with, by this remedy; counts as evidence. Raises InputError for a remedy the incident has not."""
    ids = [str(remedy["id"]) for remedy in incident.remedies]
    if by is not None and by not in ids:
        offered = ", ".join(ids) or "-"
        raise InputError(
            Text(
                f"incident {incident.id} has no remedy {by!r} (it has: {offered}); for another fix use --note TEXT",
                f"인시던트 {incident.id}에는 {by!r} 해결이 없습니다 (가능한 값: {offered}). "
                "다른 방법으로 해결했다면 --note TEXT를 쓰세요",
            )
        )
    note = None if note is None else Redactor(here()).text(clean(note))
    with connection.writing() as conn:
        conn.execute(
            "UPDATE incidents SET state = 'resolved', resolved_by = coalesce(?, resolved_by), note = coalesce(?, note)"
            " WHERE id = ?",
            (by, note, incident.id),
        )
        if by is not None:
            outcomes.note_by_hand(conn, incident.id, by, at=iso(now_s))


def mute(connection: Connection, incident: Incident, until: str | None) -> None:
    """No alerts about it until then (ISO 8601, UTC); what waits to be told is dropped. None ends the silence."""
    with connection.writing() as conn:
        conn.execute("UPDATE incidents SET muted_until = ? WHERE id = ?", (until, incident.id))
        if until is not None:
            outbox.drop(conn, incident.id)


def prune(connection: Connection, before: str) -> int:
    """Forget incidents last seen before this time (ISO 8601, UTC), and what was told of them. Gives their number."""
    old = "(SELECT id FROM incidents WHERE last_seen < ?)"
    with connection.writing() as conn:
        for table in _TABLES_OF_AN_INCIDENT:
            conn.execute(f"DELETE FROM {table} WHERE incident IN {old}", (before,))
        gone = conn.execute("DELETE FROM incidents WHERE last_seen < ?", (before,)).rowcount
        conn.execute("DELETE FROM starts WHERE at < ?", (before,))
    return int(gone)
