"""Literals through hyperscan's pure-literal compiler: nothing else that installs with pip is as fast."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import local
from typing import Any

from diagnose.cache import keep


class UnavailableError(Exception):
    """hyperscan does not import, or does not run on this processor."""


def load_hyperscan(table: Mapping[bytes, tuple[int, ...]], cache: Path | None = None) -> HyperscanEngine:
    """An engine for ``table`` (byte form → indices, not empty), compiled or taken from the directory ``cache``.

    Raises ``UnavailableError``.
    """
    try:
        import hyperscan
    except (ImportError, OSError) as error:
        raise UnavailableError(str(error)) from error
    try:
        return HyperscanEngine(table, _database(list(table), cache, hyperscan))
    except hyperscan.HyperscanError as error:
        raise UnavailableError(str(error) or type(error).__name__) from error


class HyperscanEngine:
    """Block mode, no flags, so that no hit is held back. ``find`` may be called from several threads at once."""

    name = "hyperscan"

    def __init__(self, table: Mapping[bytes, tuple[int, ...]], database: Any) -> None:
        """``database``: compiled from the forms of ``table``, in their order."""
        self._indices = list(table.values())
        self._database = database
        self._scan = database.scan
        self._scratches = local()

    def find(self, block: bytes, start: int = 0, end: int | None = None) -> list[int]:
        ends: list[int] = []
        # a view, since copying a block takes a tenth of the time of scanning it
        searched = block if start == 0 and end is None else memoryview(block)[start:end]
        self._scan(searched, match_event_handler=_collect_end, context=ends, scratch=self._scratch())
        ends.sort()
        return [found + start for found in ends] if start else ends

    def _scratch(self) -> Any:
        """What a scan writes into: one for each thread."""
        own = getattr(self._scratches, "own", None)
        if own is None:
            own = self._scratches.own = self._database.scratch.clone()
        return own

    def which(self, text: bytes) -> set[int]:
        ids: set[int] = set()
        self._scan(text, match_event_handler=_collect_id, context=ids, scratch=self._scratch())
        indices = self._indices
        return {index for identifier in ids for index in indices[identifier]}


# Called from C once per hit: as much time as half a kilobyte of scanning.


def _collect_end(_identifier: int, _start: int, end: int, _flags: int, ends: list[int]) -> None:
    ends.append(end)


def _collect_id(identifier: int, _start: int, _end: int, _flags: int, ids: set[int]) -> None:
    ids.add(identifier)


# Compiling some thousand literals takes as long as scanning 100 MB; reading them compiled takes next to nothing.


def _database(forms: Sequence[bytes], cache: Path | None, hyperscan: Any) -> Any:
    """The literals compiled: from the cache when it has them, for the same literals, library and processor."""
    if cache is None:
        return _compiled(forms, hyperscan)
    import hashlib

    name = hashlib.sha256(b"\0".join([hyperscan.__version__.encode(), *forms])).hexdigest()[:24]
    path = cache / f"literals-{name}.hs"
    with contextlib.suppress(OSError, ValueError, hyperscan.HyperscanError):
        digest, _, kept = path.read_bytes().partition(b"\n")
        if hashlib.sha256(kept).hexdigest().encode() == digest:
            database = hyperscan.loadb(kept, hyperscan.HS_MODE_BLOCK)  # refuses what another processor made
            database.scratch = hyperscan.Scratch(database)
            return database
    database = _compiled(forms, hyperscan)
    with contextlib.suppress(hyperscan.HyperscanError):
        made = hyperscan.dumpb(database)
        keep(path, hashlib.sha256(made).hexdigest().encode() + b"\n" + made)
    return database


def _compiled(forms: Sequence[bytes], hyperscan: Any) -> Any:
    database = hyperscan.Database()
    database.compile(expressions=list(forms), ids=list(range(len(forms))), elements=len(forms), literal=True)
    return database
