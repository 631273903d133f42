"""For logs of a few lines: asking each literal in turn takes less time than building an engine for all of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

from diagnose.scan.engine import Engine, by_bytes

SEARCHED_BYTES = 96 * 1024
"""So much is searched before the real engine is built: about as long as that takes (60 ms)."""
CALL_BYTES = 1024
"""What one call costs on top of the bytes it searches."""
HEAD_BYTES = 4
"""So many bytes of a literal are looked up first. Of a text they are its slices: fewer than there are literals."""
SLICED_BYTES = 4096
"""Of a longer text every literal is asked for in turn."""


class SmallEngine:
    """Searches literal by literal; hands over to the engine that ``build`` makes once there is more to search.

    Gives the same answers before and after.
    """

    def __init__(self, literals: Sequence[str], build: Callable[[Mapping[bytes, tuple[int, ...]]], Engine]) -> None:
        """``build`` gets byte form → indices of the literals that have it."""
        self._literals = literals
        self._build = build
        self._built: Engine | None = None
        self._left_bytes = SEARCHED_BYTES
        self._plain = _Forms((index, literal) for index, literal in enumerate(literals) if literal.isascii())
        self._every: _Forms | None = None

    @property
    def name(self) -> str:
        return self._engine().name

    def find(self, block: bytes, start: int = 0, end: int | None = None) -> list[int]:
        end = len(block) if end is None else end
        if self._is_spent(end - start):
            return self._engine().find(block, start, end)
        ends: list[int] = []
        for form in self._forms(block).table:
            at = block.find(form, start, end)
            while at >= 0:
                ends.append(at + len(form))
                at = block.find(form, at + 1, end)
        ends.sort()
        return ends

    def which(self, text: bytes) -> set[int]:
        if self._is_spent(len(text)):
            return self._engine().which(text)
        forms = self._forms(text)
        return {index for form in forms.that_may_be_in(text) if form in text for index in forms.table[form]}

    def _forms(self, text: bytes) -> _Forms:
        """Those that can stand in ``text``. The Korean ones need a codec, which a log of plain ASCII never loads."""
        return self._plain if text.isascii() else self._all()

    def _all(self) -> _Forms:
        if self._every is None:
            self._every = _Forms(enumerate(self._literals))
        return self._every

    def _is_spent(self, size_bytes: int) -> bool:
        self._left_bytes -= size_bytes + CALL_BYTES
        return self._left_bytes < 0

    def _engine(self) -> Engine:
        if self._built is None:
            self._built = self._build(self._all().table)
        return self._built


class _Forms:
    """Byte forms of literals, also by how they begin."""

    def __init__(self, literals: Iterable[tuple[int, str]]) -> None:
        self.table = by_bytes(literals)
        self._by_head: dict[bytes, list[bytes]] = {}

    def that_may_be_in(self, text: bytes) -> Iterable[bytes]:
        """Forms of which at least the head stands in ``text``."""
        if len(text) > SLICED_BYTES:
            return self.table
        heads = {text[at : at + HEAD_BYTES] for at in range(len(text) - HEAD_BYTES + 1)}
        by_head = self._heads()
        return itertools.chain(by_head.get(b"", ()), *(by_head[head] for head in by_head.keys() & heads))

    def _heads(self) -> dict[bytes, list[bytes]]:
        """Head → the forms that begin with it; ``b""`` has those that are too short for one."""
        if not self._by_head:
            for form in self.table:
                self._by_head.setdefault(form[:HEAD_BYTES] if len(form) >= HEAD_BYTES else b"", []).append(form)
        return self._by_head
