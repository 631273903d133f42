"""The relevant part of a configuration with its changes marked: ``-`` goes, ``+`` comes, the rest stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from diagnose.light import dataclass
from diagnose.model import Value
from diagnose.remedies.forms import literals
from diagnose.remedies.forms.names import nest


class _Side:
    """Marks a side of a leaf that has no value to print."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


ABSENT: Final = _Side("ABSENT")
"""The key does not stand there."""
SOMETHING: Final = _Side("SOMETHING")
"""The key stands there with a value that is not known."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One key before and after."""

    old: Value
    new: Value

    @property
    def same(self) -> bool:
        return type(self.old) is type(self.new) and bool(self.old == self.new)


Tree = dict[str, "Leaf | Tree"]
Marked = Iterator[tuple[str, str]]

_ORDER = (
    "model",
    "num_devices",
    "tensor_parallel_size",
    "attn_impl",
    "kvcache_partition_len",
    "block_size",
    "max_seq_len",
    "max_seq_lens",
    "max_model_len",
    "max_soft_tokens",
    "kvcache_num_blocks",
    "memory_budget",
    "prefill_chunk_size",
    "image_prefill_chunk_size",
    "batch_size",
    "max_num_seqs",
    "decoder_batch_sizes",
    "device",
    "create_runtimes",
)


def tree(leaves: Iterable[tuple[Sequence[str], Leaf]]) -> Tree:
    """Leaves by path."""
    return nest(leaves)


def render(root: Tree, opening: str, closing: str, *, keywords: bool = False) -> str:
    """``opening``, the marked entries, ``closing``; two columns of marker in front of every line.

    ``keywords``: the outermost level is a call's keywords (``name=value``), not a dict's entries.
    """
    lines = [f"  {opening}"]
    lines += [f"{marker} {text}" for marker, text in _level(root, 1, keywords)]
    lines.append(f"  {closing}")
    return "\n".join(line.rstrip() for line in lines)


def _level(level: Mapping[str, Leaf | Tree], depth: int, keywords: bool = False) -> Marked:
    for key in sorted(level, key=lambda key: _rank(key, level[key])):
        node = level[key]
        head = "    " * depth + (f"{key}=" if keywords else f"{literals.quoted(key)}: ")
        if isinstance(node, Leaf):
            yield from _leaf(head, node)
            continue
        marker = " " if _stands(node) else "+"
        yield marker, head + "{"
        yield from _level(node, depth + 1)
        yield marker, "    " * depth + "},"


def _leaf(head: str, leaf: Leaf) -> Marked:
    if leaf.same:
        yield " ", f"{head}{literals.python(leaf.new)},"
        return
    if leaf.old is not ABSENT:
        yield "-", f"{head}{'...' if leaf.old is SOMETHING else literals.python(leaf.old)},"
    if leaf.new is not ABSENT:
        yield "+", f"{head}{literals.python(leaf.new)},"


def _stands(node: Tree) -> bool:
    """Whether anything below stood there before; then the section itself did."""
    return any(inner.old is not ABSENT if isinstance(inner, Leaf) else _stands(inner) for inner in node.values())


def _rank(key: str, node: Leaf | Tree) -> tuple[int, int, str]:
    """Submodules first, then the order people write their configurations in, a nested section last."""
    if key == "additional_config":
        return (2, 0, key)
    place = _ORDER.index(key) if key in _ORDER else len(_ORDER)
    return (0 if isinstance(node, dict) else 1, place, key)
