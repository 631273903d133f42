"""Literals through hyperscan's pure-literal compiler: nothing else that installs with pip is as fast."""

from __future__ import annotations

from collections.abc import Mapping
from threading import local
from typing import Any


class UnavailableError(Exception):
    """hyperscan does not import, or does not run on this processor."""


def load_hyperscan(table: Mapping[bytes, tuple[int, ...]]) -> HyperscanEngine:
    """Compiles ``table`` (byte form → indices, not empty). Raises ``UnavailableError``."""
    try:
        import hyperscan
    except (ImportError, OSError) as error:
        raise UnavailableError(str(error)) from error
    try:
        return HyperscanEngine(table, hyperscan)
    except hyperscan.HyperscanError as error:
        raise UnavailableError(str(error) or type(error).__name__) from error


class HyperscanEngine:
    """Block mode, no flags, so that no hit is held back. ``find`` may be called from several threads at once."""

    name = "hyperscan"

    def __init__(self, table: Mapping[bytes, tuple[int, ...]], hyperscan: Any) -> None:
        self._indices = list(table.values())
        database = hyperscan.Database()
        database.compile(expressions=list(table), ids=list(range(len(table))), elements=len(table), literal=True)
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
