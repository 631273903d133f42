"""The store: what the watcher and the command line do with the memory."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from diagnose.incidents import before, outbox, rows
from diagnose.incidents.connection import BUSY_S, Connection
from diagnose.incidents.nouns import Alert, Batch, Checkpoint, Incident, Left
from diagnose.incidents.safe import safe
from diagnose.incidents.times import Clock, iso
from diagnose.incidents.writing import Writer
from diagnose.redact import Surroundings, here
from diagnose.redact.sources import source_name

MAX_DUE: Final = 100
"""Alerts of one channel that are given at one time; the others come when these are done."""
MAX_LEFT: Final = 200
"""Incidents a watcher goes on with: each may still be put right or be over."""


class Store:
    """One SQLite file. Every method may raise StoreError; the store stays usable and the next call tries again.

    May be used from several threads and by several processes at once.
    """

    def __init__(self, connection: Connection, clock: Clock, about: Surroundings | None = None) -> None:
        self.connection = connection
        self._clock = clock
        self._about = about or here()

    @classmethod
    def open(cls, path: str | Path, *, clock: Clock = time.time, busy_s: float = BUSY_S) -> Store:
        """Open the file, make it when it is missing, bring it to the newest schema.

        ``clock`` gives seconds since 1970; a lock of another process is waited for up to ``busy_s`` seconds.
        Raises StoreError.
        """
        connection = Connection(Path(path), busy_s=busy_s)
        with connection.reading():
            return cls(connection, clock)

    def close(self) -> None:
        self.connection.close()

    def write(
        self, batch: Batch, *, source: str, host: str, channels: Sequence[str] = (), at_s: float | None = None
    ) -> tuple[Incident, ...]:
        """Incidents, alerts and checkpoint of a batch in one transaction: all of it or nothing.

        Gives one incident for every sighting, in order. Every sighting, alert and start has an idempotency key:
        writing a batch again changes nothing but the checkpoint's time. ``channels`` are told of it (none: nobody).
        Nothing is written that was not redacted before, the source's name and the checkpoint's included.
        ``at_s`` is when it happened, in seconds since 1970, for what is read later than it happened.

        When this returns, it is committed: a process that is killed afterwards loses nothing. It is not flushed to
        the disk (WAL with ``synchronous = normal``): a power cut may take the last commits away, whole ones and in
        order, and never the file's consistency. Incident, alert and checkpoint are then as they were before, and the
        log is read again from there: what was told may be told a second time, under the same keys.
        """
        now_s = self._clock()
        batch, source = safe(batch, self._about), source_name(source, self._about)
        with self.connection.writing() as conn:
            seen_at = iso(now_s if at_s is None else at_s)
            return Writer(conn, source, host, channels, seen_at, now_s).write(batch)

    def checkpoint(self, source: str) -> Checkpoint | None:
        """How far a source was dealt with; None when it never was."""
        name = source_name(source, self._about)
        with self.connection.reading() as conn:
            row = conn.execute("SELECT identity, offset, line FROM checkpoints WHERE source = ?", (name,)).fetchone()
        return None if row is None else Checkpoint(source, *row)

    def left_open(self, source: str, host: str, *, limit: int = MAX_LEFT) -> tuple[Left, ...]:
        """Incidents of a followed source that are not over, the oldest first; the latest ``limit`` of them."""
        with self.connection.reading() as conn:
            return rows.left_open(conn, source_name(source, self._about), host, limit)

    # ------------------------------------------------------------------ alerts

    def due_alerts(self, now: float | None = None, *, limit: int = MAX_DUE) -> tuple[Alert, ...]:
        """Alerts to be told at ``now`` (seconds since 1970), oldest first, at most ``limit`` of each channel.

        A later alert of the same incident on the same channel waits until the earlier one is done.
        """
        with self.connection.reading() as conn:
            return outbox.due(conn, self._clock() if now is None else now, limit)

    def alert_done(self, key: str) -> None:
        """It was told."""
        with self.connection.writing() as conn:
            outbox.done(conn, key, self._clock())

    def alert_failed(self, key: str, retry_at: float | None) -> None:
        """It could not be told: try again at ``retry_at`` (seconds since 1970), or never (None)."""
        with self.connection.writing() as conn:
            outbox.failed(conn, key, retry_at, self._clock())

    # ------------------------------------------------------------------ what was before

    def knows(self, fingerprint: str, happening: str) -> bool:
        """Whether this very happening of a failure was written before, from whatever source."""
        with self.connection.reading() as conn:
            row = conn.execute(
                "SELECT 1 FROM sightings WHERE fingerprint = ? AND happening = ? LIMIT 1", (fingerprint, happening)
            ).fetchone()
        return row is not None

    def evidence(self, entry: str, target: str) -> dict[str, tuple[int, int]]:
        """What became of the remedies of an entry for a target: ``{remedy id: (worked, tried)}``."""
        with self.connection.reading() as conn:
            return before.evidence(conn, entry, target)
