"""For logs of a few lines: asking each literal in turn takes less time than building an engine for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from diagnose.scan.engine import Engine

SEARCHED_BYTES = 96 * 1024
"""So much is searched before the real engine is built: about as long as that takes (60 ms)."""
CALL_BYTES = 1024
"""What one call costs on top of the bytes it searches."""


class SmallEngine:
    """Searches literal by literal; hands over to the engine that ``build`` makes once there is more to search.

    Gives the same answers before and after.
    """

    def __init__(self, table: Mapping[bytes, tuple[int, ...]], build: Callable[[], Engine]) -> None:
        """``table``: byte form → indices of the literals that have it."""
        self._table = table
        self._build = build
        self._built: Engine | None = None
        self._left_bytes = SEARCHED_BYTES

    @property
    def name(self) -> str:
        return self._engine().name

    def find(self, block: bytes, start: int = 0, end: int | None = None) -> list[int]:
        end = len(block) if end is None else end
        if self._is_spent(end - start):
            return self._engine().find(block, start, end)
        ends: list[int] = []
        for form in self._table:
            at = block.find(form, start, end)
            while at >= 0:
                ends.append(at + len(form))
                at = block.find(form, at + 1, end)
        ends.sort()
        return ends

    def which(self, text: bytes) -> set[int]:
        if self._is_spent(len(text)):
            return self._engine().which(text)
        return {index for form, indices in self._table.items() if form in text for index in indices}

    def _is_spent(self, size_bytes: int) -> bool:
        self._left_bytes -= size_bytes + CALL_BYTES
        return self._left_bytes < 0

    def _engine(self) -> Engine:
        if self._built is None:
            self._built = self._build()
        return self._built
