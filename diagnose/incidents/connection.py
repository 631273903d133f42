"""One SQLite file, held open: made when it is missing, opened again when it was taken away."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from diagnose.incidents.errors import StoreError, translated
from diagnose.incidents.schema import migrate, version

BUSY_S: Final = 5.0
"""So long another writer is waited for."""

_Identity = tuple[int, int]


class Connection:
    """Serves any number of threads, one at a time. Every method raises StoreError and nothing else of SQLite's."""

    def __init__(self, path: Path, *, busy_s: float = BUSY_S) -> None:
        self.path = path
        self._busy_s = busy_s
        self._lock = threading.RLock()
        self._conn: sqlite3.Connection | None = None
        self._identity: _Identity | None = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing."""
        with self._lock, self._speaking():
            yield self._live()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection inside one transaction: committed at the end, undone when anything is raised."""
        with self._lock, self._speaking():
            conn = self._live()
            conn.execute("BEGIN IMMEDIATE")
            try:
                yield conn
                conn.execute("COMMIT")
            except BaseException:
                # A full disk has undone it already.
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with self._lock:
            if self._conn is not None:
                self._conn.close()
            self._conn = self._identity = None

    @contextlib.contextmanager
    def _speaking(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            said = translated(error, self.path)
            if not said.passing:
                # The next call opens the file anew: it may have been replaced, moved or made writable by then.
                with contextlib.suppress(sqlite3.Error):
                    self.close()
            raise said from error
        except StoreError:
            self.close()
            raise

    def _live(self) -> sqlite3.Connection:
        if self._conn is not None and self._identity != _identity(self.path):
            self.close()  # deleted or replaced: what we hold is a file nobody will ever read
        if self._conn is None:
            self._conn = self._opened()
            self._identity = _identity(self.path)
        return self._conn

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A log's lines are nobody else's business.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        conn = sqlite3.connect(
            self.path, timeout=self._busy_s, isolation_level=None, check_same_thread=False, factory=_Spelled
        )
        try:
            version(conn, self.path)  # before anything is written: it may be another program's
            if conn.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                # Asked for, not insisted on: a network file system may not have it.
                conn.execute("PRAGMA journal_mode = wal")
            # Safe in WAL against a killed process; a power cut may cost the last transactions, never the file.
            conn.execute("PRAGMA synchronous = normal")
            migrate(conn, self.path)
        except BaseException:
            conn.close()
            raise
        return conn


class _Spelled(sqlite3.Connection):
    """Writes every text so that it is UTF-8.

    A file name that is no valid text comes from the system with surrogates in it (PEP 383), and SQLite takes none.
    """

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if isinstance(parameters, Mapping):
            return super().execute(sql, {name: _spelled(value) for name, value in parameters.items()})
        return super().execute(sql, tuple(map(_spelled, parameters)))


def _spelled(value: Any) -> Any:
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
