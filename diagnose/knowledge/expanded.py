"""How large a YAML document becomes: judged on its nodes, before any value is built."""

from __future__ import annotations

from typing import Any, Protocol


class Node(Protocol):
    """The part of a ``yaml.Node`` that is needed here."""

    @property
    def value(self) -> Any: ...


class TooLarge(ValueError):
    """A document that is nested too deep or contains itself."""


def expanded_size(node: Node, max_depth: int) -> int:
    """Nodes of a document with every alias put in: a few lines of aliases to aliases can stand for billions.

    Each node is counted once and remembered. Raises TooLarge for more than ``max_depth`` levels and for a node
    that is inside itself.
    """
    return _size(node, {}, max_depth)


def _size(node: Node, known: dict[int, int], levels: int) -> int:
    if levels < 0:
        raise TooLarge("nested too deep")
    key = id(node)
    if key in known:
        if known[key] < 0:  # being counted further up
            raise TooLarge("contains itself")
        return known[key]
    known[key] = -1
    total = 1 + sum(_size(child, known, levels - 1) for child in _children(node))
    known[key] = total
    return total


def _children(node: Node) -> list[Node]:
    value = node.value
    if not isinstance(value, list):
        return []
    return [part for item in value for part in (item if isinstance(item, tuple) else (item,))]
