"""What the store is asked about a failure that is being told: a report waits for it, so no more is read than that."""

from __future__ import annotations

import sqlite3

from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """When else a failure happened."""

    times: int
    first: str
    """ISO 8601, UTC."""
    last: str
    source: str
    """Where it was seen last."""
    incident: str
    """Id of the latest incident."""
    fixed_by: str | None = None
    """Id of the remedy that ended it the last time this is known of."""
    note: str | None = None
    """What a person wrote about it then."""


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


def evidence(conn: sqlite3.Connection, entry: str, what: str) -> dict[str, tuple[int, int]]:
    """What became of the remedies of ``entry`` for a target here: ``{id: (worked, tried)}``."""
    rows = conn.execute(
        "SELECT remedy, sum(worked), count(*) FROM evidence WHERE entry = ? AND target = ? GROUP BY remedy",
        (entry, what),
    )
    return {remedy: (int(worked), int(tried)) for remedy, worked, tried in rows}
