"""Alerts: made in the transaction of their incident, told later, each to each channel exactly once.

The rule for repeats: an incident that is open already is told again (as ``repeated``) when it opens in another run,
but not within :data:`REMIND_S` of the last alert about it on that channel. What the watcher itself sends as
``repeated`` is told as it is sent. A muted incident is not told.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from diagnose.incidents import rows
from diagnose.incidents.fingerprint import digest
from diagnose.incidents.nouns import Alert, Kind, Sighting
from diagnose.incidents.times import iso

REMIND_S: Final = 3_600.0


def announce(
    conn: sqlite3.Connection,
    new: Sighting,
    *,
    key: str,
    incident: str,
    source: str,
    host: str,
    opens: bool,
    channels: Sequence[str],
    now_s: float,
) -> None:
    """Put one row a channel into the outbox. Called inside the transaction that writes the sighting."""
    if not channels or _is_muted(conn, incident, now_s):
        return
    found: dict[str, object] | None = None
    for channel in dict.fromkeys(channels):
        kind = _kind(conn, new, incident, channel, opens=opens, now_s=now_s)
        if kind is None:
            continue
        if found is None:
            found, _ = rows.finding_object(new.finding, new.context)
        made: dict[str, object] = {"event": kind, "incident": incident, "finding": found}
        made |= {"source": source, "host": host}
        made |= {} if new.changed is None else {"changed": new.changed.to_dict()}
        payload = json.dumps(made, ensure_ascii=False)
        conn.execute(
            "INSERT OR IGNORE INTO outbox (key, incident, kind, channel, payload, made_at, due_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (digest(key, channel), incident, kind, channel, payload, now_s, now_s),
        )


def _kind(
    conn: sqlite3.Connection, new: Sighting, incident: str, channel: str, *, opens: bool, now_s: float
) -> Kind | None:
    """What a sighting is told as; None when it is not told."""
    if opens or new.kind != "opened":
        # A repeat that begins a new incident is news.
        return "opened" if opens and new.kind == "repeated" else new.kind
    last = conn.execute(
        "SELECT max(made_at) FROM outbox WHERE incident = ? AND channel = ?", (incident, channel)
    ).fetchone()[0]
    if last is None:
        return "opened"
    return "repeated" if now_s - last >= REMIND_S else None


def _is_muted(conn: sqlite3.Connection, incident: str, now_s: float) -> bool:
    until = conn.execute("SELECT muted_until FROM incidents WHERE id = ?", (incident,)).fetchone()[0]
    return until is not None and until > iso(now_s)


def due(conn: sqlite3.Connection, now_s: float, limit: int) -> tuple[Alert, ...]:
    """Alerts to be told now, in the order they were made; of one incident and channel only the oldest open one, and
    at most ``limit`` of each channel: one that takes none must not keep the others waiting."""
    found = conn.execute(
        "SELECT key, incident, kind, payload, channel, attempts FROM ("
        " SELECT *, row_number() OVER (PARTITION BY channel ORDER BY number) AS place FROM outbox o"
        " WHERE done_at IS NULL AND due_at <= ? AND NOT EXISTS ("
        "  SELECT 1 FROM outbox e WHERE e.incident = o.incident AND e.channel = o.channel"
        "  AND e.done_at IS NULL AND e.number < o.number))"
        " WHERE place <= ? ORDER BY number",
        (now_s, limit),
    )
    return tuple(
        Alert(key=key, incident=incident, kind=kind, payload=json.loads(payload), channel=channel, attempts=attempts)
        for key, incident, kind, payload, channel, attempts in found
    )


def done(conn: sqlite3.Connection, key: str, now_s: float) -> None:
    conn.execute("UPDATE outbox SET done_at = ? WHERE key = ? AND done_at IS NULL", (now_s, key))


def failed(conn: sqlite3.Connection, key: str, retry_at_s: float | None, now_s: float) -> None:
    """Tell it again at ``retry_at_s``; None gives it up."""
    conn.execute(
        "UPDATE outbox SET attempts = attempts + 1, due_at = coalesce(?, due_at),"
        " done_at = CASE WHEN ? IS NULL THEN ? END, given_up = ? IS NULL WHERE key = ? AND done_at IS NULL",
        (retry_at_s, retry_at_s, now_s, retry_at_s, key),
    )


def drop(conn: sqlite3.Connection, incident: str) -> None:
    """Nothing that waits is told of this incident any more."""
    conn.execute("DELETE FROM outbox WHERE incident = ? AND done_at IS NULL", (incident,))
