"""The tables, and how an older file is brought to the newest ones.

A migration is a list of statements; all of them and the version number are written in one transaction, so a file is
never between two versions. A migration that was released is never changed: a new one is put behind it.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from diagnose.incidents.errors import foreign, newer

APPLICATION_ID: Final = 0x52424C4E
"""``RBLN``: tells our file from another program's database."""

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        """CREATE TABLE incidents (
            id TEXT PRIMARY KEY,
            fingerprint TEXT NOT NULL,
            entry TEXT NOT NULL,
            target TEXT NOT NULL,
            source TEXT NOT NULL,
            host TEXT NOT NULL,
            first_seen TEXT NOT NULL,
            last_seen TEXT NOT NULL,
            count INTEGER NOT NULL,
            state TEXT NOT NULL,
            muted_until TEXT,
            resolved_by TEXT,
            note TEXT,
            previous TEXT,
            tested INTEGER NOT NULL DEFAULT 0,
            excerpt TEXT NOT NULL,
            template TEXT NOT NULL,
            finding TEXT NOT NULL,
            config TEXT NOT NULL,
            versions TEXT NOT NULL,
            words TEXT NOT NULL
        )""",
        "CREATE INDEX incidents_fingerprint ON incidents (fingerprint, host, source)",
        "CREATE INDEX incidents_target ON incidents (target, host)",
        "CREATE INDEX incidents_last_seen ON incidents (last_seen)",
        """CREATE TABLE sightings (
            key TEXT PRIMARY KEY,
            incident TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            source TEXT NOT NULL,
            host TEXT NOT NULL,
            run TEXT NOT NULL,
            happening TEXT NOT NULL,
            kind TEXT NOT NULL,
            revision INTEGER NOT NULL,
            at TEXT NOT NULL
        )""",
        "CREATE INDEX sightings_fingerprint ON sightings (fingerprint, happening)",
        "CREATE INDEX sightings_incident ON sightings (incident)",
        """CREATE TABLE checkpoints (
            source TEXT PRIMARY KEY,
            identity TEXT NOT NULL,
            offset INTEGER NOT NULL,
            line INTEGER NOT NULL,
            at TEXT NOT NULL
        )""",
        """CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            incident TEXT NOT NULL,
            kind TEXT NOT NULL,
            channel TEXT NOT NULL,
            payload TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            made_at REAL NOT NULL,
            due_at REAL NOT NULL,
            done_at REAL,
            given_up INTEGER NOT NULL DEFAULT 0
        )""",
        "CREATE INDEX outbox_open ON outbox (due_at) WHERE done_at IS NULL",
        "CREATE INDEX outbox_incident ON outbox (incident, channel)",
        """CREATE TABLE starts (
            key TEXT PRIMARY KEY,
            target TEXT NOT NULL,
            at TEXT NOT NULL
        )""",
        """CREATE TABLE evidence (
            incident TEXT NOT NULL,
            remedy TEXT NOT NULL,
            run TEXT NOT NULL,
            worked INTEGER NOT NULL,
            entry TEXT NOT NULL,
            target TEXT NOT NULL,
            changes TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (incident, remedy, run)
        )""",
        "CREATE INDEX evidence_entry ON evidence (entry, target)",
        # Tokens are words as they are written: the trigram tokenizer cannot find Korean words of two syllables.
        """CREATE VIRTUAL TABLE incidents_fts USING fts5 (
            words, content="incidents", content_rowid="rowid", tokenize="unicode61"
        )""",
        """CREATE TRIGGER incidents_ai AFTER INSERT ON incidents BEGIN
            INSERT INTO incidents_fts (rowid, words) VALUES (new.rowid, new.words);
        END""",
        """CREATE TRIGGER incidents_ad AFTER DELETE ON incidents BEGIN
            INSERT INTO incidents_fts (incidents_fts, rowid, words) VALUES ('delete', old.rowid, old.words);
        END""",
        """CREATE TRIGGER incidents_au AFTER UPDATE OF words ON incidents BEGIN
            INSERT INTO incidents_fts (incidents_fts, rowid, words) VALUES ('delete', old.rowid, old.words);
            INSERT INTO incidents_fts (rowid, words) VALUES (new.rowid, new.words);
        END""",
    ),
)
VERSION: Final = len(MIGRATIONS)


def migrate(conn: sqlite3.Connection, path: object) -> None:
    """Bring the file to :data:`VERSION`; nothing is written when it is there already.

    Raises StoreError for a newer file and for another program's, sqlite3.Error for everything else.
    """
    if version(conn, path) == VERSION:
        return
    conn.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        for statements in MIGRATIONS[version(conn, path) :]:
            for statement in statements:
                conn.execute(statement)
        conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        conn.execute(f"PRAGMA user_version = {VERSION}")
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise


def version(conn: sqlite3.Connection, path: object) -> int:
    """How many migrations the file has had. Raises StoreError when it is none of ours, or a newer one."""
    found = int(conn.execute("PRAGMA user_version").fetchone()[0])
    owner = int(conn.execute("PRAGMA application_id").fetchone()[0])
    tables = int(conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if owner != APPLICATION_ID and (owner or found or tables):
        raise foreign(path)
    if found > VERSION:
        raise newer(path, found, VERSION)
    return found
