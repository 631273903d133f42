"""What one transaction does: a batch into rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from diagnose.incidents import outbox, outcomes, rows
from diagnose.incidents.fingerprint import digest, happening
from diagnose.incidents.nouns import Batch, Checkpoint, Incident, Sighting
from diagnose.light import dataclass

SHORTEST_ID: Final = 8
HAPPENED: Final = ("opened", "repeated")
"""Kinds of sightings that say that the failure happened (once more)."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes inside a transaction that somebody else begins and commits."""

    conn: sqlite3.Connection
    source: str
    host: str
    channels: Sequence[str]
    seen_at: str
    """When it happened, ISO 8601, UTC: goes into the incidents."""
    now_s: float
    """What the clock says: goes into the outbox."""

    def write(self, batch: Batch) -> tuple[Incident, ...]:
        """One incident for every sighting, in order. What was written before is left as it is."""
        ids = [self._sighting(sighting) for sighting in batch.sightings]
        if batch.started is not None:
            run, context = batch.started
            outcomes.note_start(self.conn, run, context, source=self.source, host=self.host, at=self.seen_at)
        if batch.checkpoint is not None:
            self._checkpoint(batch.checkpoint)
        found = [rows.read(self.conn, id_) for id_ in ids]
        return tuple(one for one in found if one is not None)

    def _sighting(self, new: Sighting) -> str:
        key = digest(self.source, self.host, new.fingerprint, new.run, new.kind, str(new.revision))
        known = self.conn.execute("SELECT incident FROM sightings WHERE key = ?", (key,)).fetchone()
        if known is not None:
            return str(known[0])
        if new.kind == "opened":
            outcomes.note_failure(
                self.conn,
                new.fingerprint,
                new.run,
                new.context,
                source=self.source,
                host=self.host,
                at=self.seen_at,
            )
        id_ = self._found(new)
        is_new = id_ is None
        id_ = self._inserted(new, key) if id_ is None else self._updated(id_, new)
        self.conn.execute(
            "INSERT INTO sightings (key, incident, fingerprint, source, host, run, happening, kind, revision, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key,
                id_,
                new.fingerprint,
                self.source,
                self.host,
                new.run,
                happening(new.finding, new.context),
                new.kind,
                new.revision,
                self.seen_at,
            ),
        )
        outbox.announce(
            self.conn,
            new,
            key=key,
            incident=id_,
            source=self.source,
            host=self.host,
            opens=is_new,
            channels=self.channels,
            now_s=self.now_s,
        )
        return id_

    def _found(self, new: Sighting) -> str | None:
        """The incident a sighting belongs to: of its run, else the open one; None when a new one begins."""
        here = (new.fingerprint, self.source, self.host)
        row = self.conn.execute(
            "SELECT i.id, i.state FROM sightings s JOIN incidents i ON i.id = s.incident"
            " WHERE s.fingerprint = ? AND s.source = ? AND s.host = ? AND s.run = ? ORDER BY s.rowid DESC LIMIT 1",
            (*here, new.run),
        ).fetchone()
        if row is None:
            row = self.conn.execute(
                "SELECT id, state FROM incidents WHERE fingerprint = ? AND source = ? AND host = ?"
                " ORDER BY state = 'open' DESC, rowid DESC LIMIT 1",
                here,
            ).fetchone()
        if row is None or (new.kind in HAPPENED and row[1] != "open"):
            return None
        return str(row[0])

    def _inserted(self, new: Sighting, key: str) -> str:
        id_ = self._free_id(key)
        before = self.conn.execute(
            "SELECT id, muted_until FROM incidents WHERE fingerprint = ? AND source = ? AND host = ?"
            " ORDER BY rowid DESC LIMIT 1",
            (new.fingerprint, self.source, self.host),
        ).fetchone()
        values = {
            "id": id_,
            "fingerprint": new.fingerprint,
            "source": self.source,
            "host": self.host,
            "first_seen": self.seen_at,
            "last_seen": self.seen_at,
            "count": 1,
            "state": "recovered" if new.kind == "recovered" else "open",
            # Whoever muted a failure has not asked to hear of it again because it was away for a while.
            "muted_until": None if before is None else before[1],
            "previous": None if before is None else before[0],
            **rows.columns(new.finding, new.context, new.excerpt),
        }
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        self.conn.execute(f"INSERT INTO incidents ({names}) VALUES ({marks})", tuple(values.values()))
        return id_

    def _updated(self, id_: str, new: Sighting) -> str:
        happened = new.kind in HAPPENED
        values = rows.columns(new.finding, new.context, new.excerpt) if new.kind != "recovered" else {}
        if not (new.context.config or new.context.model):
            # The beginning of the log was cut away: what was known of the run stays true.
            values = {name: value for name, value in values.items() if name not in ("target", "config", "versions")}
        sets = "".join(f"{name} = ?, " for name in values)
        self.conn.execute(
            f"UPDATE incidents SET {sets}state = CASE WHEN state = 'open' THEN ? ELSE state END WHERE id = ?",
            (*values.values(), _state_after(new), id_),
        )
        if happened:
            self.conn.execute(
                "UPDATE incidents SET count = count + 1, tested = 0, first_seen = min(first_seen, ?),"
                " last_seen = max(last_seen, ?) WHERE id = ?",
                (self.seen_at, self.seen_at, id_),
            )
        return id_

    def _free_id(self, key: str) -> str:
        """The shortest beginning of the first sighting's key that no incident has: the same after every replay."""
        for length in range(SHORTEST_ID, len(key)):
            if not self.conn.execute("SELECT 1 FROM incidents WHERE id = ?", (key[:length],)).fetchone():
                return key[:length]
        return key

    def _checkpoint(self, point: Checkpoint) -> None:
        self.conn.execute(
            "INSERT INTO checkpoints (source, identity, offset, line, at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (source) DO UPDATE SET"
            " identity = excluded.identity, offset = excluded.offset, line = excluded.line, at = excluded.at",
            (point.source, point.identity, point.offset, point.line, self.seen_at),
        )


def _state_after(new: Sighting) -> str:
    """State of an open incident after a sighting. One that turned out to be the echo of another is settled."""
    if new.kind == "recovered":
        return "recovered"
    return "resolved" if new.kind == "amended" and new.finding.role == "consequence" else "open"
