"""Literals through hyperscan's pure-literal compiler: nothing else that installs with pip is as fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from diagnose.scan.windows import Window, choose_windows

WINDOWS_AFTER_BYTES = 32 << 20
"""When the literals are exchanged for windows. That takes some 50 ms, which a small log would not win back."""
_PATIENCE = 20_000
"""False hits after which the windows that caused most of them are given up. One costs about a microsecond."""


class UnavailableError(Exception):
    """hyperscan does not import, or does not run on this processor."""


def load_hyperscan(
    table: Mapping[bytes, tuple[int, ...]], windows_after_bytes: int = WINDOWS_AFTER_BYTES
) -> HyperscanEngine:
    """Compiles ``table`` (byte form → indices, not empty). Raises ``UnavailableError``."""
    try:
        import hyperscan
    except (ImportError, OSError) as error:
        raise UnavailableError(str(error)) from error
    try:
        return HyperscanEngine(table, hyperscan, windows_after_bytes)
    except hyperscan.HyperscanError as error:
        raise UnavailableError(str(error) or type(error).__name__) from error


class HyperscanEngine:
    """Searches for the literals themselves, and in a long log for windows of them (see ``windows``).

    Block mode, no flags, so that no hit is held back. Not safe for use from several threads at once: a scan
    writes into the scratch space of its database.
    """

    name = "hyperscan"

    def __init__(self, table: Mapping[bytes, tuple[int, ...]], hyperscan: Any, windows_after_bytes: int) -> None:
        self._table = table
        self._module = hyperscan
        self._left_bytes = windows_after_bytes
        self._whole = frozenset(table)  # literals that are searched for as they are
        self._false: Counter[int] = Counter()
        self._compile()

    def _compile(self) -> None:
        self._windows = choose_windows(self._table, self._whole)
        database = self._module.Database()
        count = len(self._windows)
        database.compile(
            expressions=[window.data for window in self._windows],
            ids=list(range(count)),
            elements=count,
            literal=True,
        )
        self._scan = database.scan

    def find(self, block: bytes, start: int = 0, end: int | None = None) -> list[int]:
        hits: list[tuple[int, int]] = []
        end = len(block) if end is None else end
        if self._left_bytes >= 0:
            self._left_bytes -= end - start
            if self._left_bytes < 0:
                self._whole = frozenset()
                self._compile()
        self._scan(memoryview(block)[start:end], match_event_handler=_collect, context=hits)
        if not hits:
            return []
        ends: list[int] = []
        line_end = -1
        hits.sort()
        windows = self._windows
        for found, identifier in hits:
            hit = found + start
            if hit <= line_end:
                continue  # on a line that is known to hold a literal
            window = windows[identifier]
            if window.certain or _confirms(window, block, start, end, hit):
                ends.append(hit)
                line_end = block.find(b"\n", hit - 1) + 1 or end
            else:
                self._false[identifier] += 1
        if self._false.total() > _PATIENCE:
            self._give_up_worst()
        return ends

    def which(self, text: bytes) -> set[int]:
        hits: list[tuple[int, int]] = []
        self._scan(text, match_event_handler=_collect, context=hits)
        forms = {form for _, identifier in hits for form, _ in self._windows[identifier].behind}
        return {index for form in forms if form in text for index in self._table[form]}

    def _give_up_worst(self) -> None:
        """Searches whole for the literals whose windows turned out to be common in this log."""
        for identifier, count in self._false.items():
            if count * 10 > _PATIENCE:
                self._whole |= {form for form, _ in self._windows[identifier].behind}
        self._false.clear()
        self._compile()


def _confirms(window: Window, block: bytes, start: int, end: int, hit: int) -> bool:
    """Does one of the literals behind ``window`` stand around ``hit``, inside ``block[start:end]``?"""
    for form, distance in window.behind:
        at = hit - distance
        if at >= start and at + len(form) <= end and block.startswith(form, at):
            return True
    return False


def _collect(identifier: int, _start: int, end: int, _flags: int, hits: list[tuple[int, int]]) -> None:
    """Called from C once per hit: as much time as half a kilobyte of scanning."""
    hits.append((end, identifier))
