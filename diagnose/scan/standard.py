"""Literals with the standard library alone: one expression built as a tree of common beginnings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_Tree = dict[int, "_Tree"]
_END = -1


def tree_pattern(words: Iterable[bytes]) -> bytes:
    """A regular expression for any of ``words``, in which common beginnings are tried once.

    A plain alternation tries every word at every place; that is several times slower. The pattern stops at
    the shortest word that stands at a place, which is enough to find the line.
    """
    tree: _Tree = {}
    for word in words:
        node = tree
        for byte in word:
            node = node.setdefault(byte, {})
        node[_END] = {}
    return _branches(tree)


def _branches(node: _Tree) -> bytes:
    if _END in node or not node:
        return b""
    parts = []
    for first, child in sorted(node.items()):
        run = [first]
        while len(child) == 1 and _END not in child:
            ((byte, child),) = child.items()
            run.append(byte)
        parts.append(re.escape(bytes(run)) + _branches(child))
    return parts[0] if len(parts) == 1 else b"(?:" + b"|".join(parts) + b")"


class StandardEngine:
    """The fallback where hyperscan has no wheel: the same answers, much slower."""

    name = "standard"

    def __init__(self, table: Mapping[bytes, tuple[int, ...]]) -> None:
        self._table = dict(table)
        self._pattern = re.compile(tree_pattern(self._table)) if self._table else None

    def find(self, block: bytes, start: int = 0, end: int | None = None) -> list[int]:
        if self._pattern is None:
            return []
        search = self._pattern.search
        end = len(block) if end is None else end
        ends: list[int] = []
        while found := search(block, start, end):
            ends.append(found.end())
            # one hit is enough for a line: on with its newline, which may be the front of the next literal
            start = block.find(b"\n", found.end() - 1, end)
            if start < 0:
                break
        return ends

    def which(self, text: bytes) -> set[int]:
        return {index for form, indices in self._table.items() if form in text for index in indices}
