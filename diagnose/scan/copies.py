"""Lines of a storm that say what was said before: told from the others before the engine looks at them.

A storm has hundreds of them in a block. What can be done for all of them at once is done so: translating a line takes
longer than finding it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from diagnose.scan.repeats import KEY_BYTES, MAX_TEXTS, VARYING, Repeats, Seen

Part = tuple[int, int]
"""Start of a line and where a line ends (behind its newline): whole lines of a block."""


class Copies:
    """Knows the texts that ``repeats`` has seen often enough by what they are as a whole."""

    def __init__(self, repeats: Repeats, mark: bytes, longest_bytes: int) -> None:
        """``mark``: only lines that hold it, of at most ``longest_bytes``, are looked at."""
        self._repeats = repeats
        self._mark = mark
        self._longest_bytes = longest_bytes
        self._known: dict[bytes, Seen] = {}
        self._run = -1

    def split(self, block: bytes, start: int, end: int) -> Split:
        """``block[start:end]``, whole lines, cut into copies and the rest."""
        marked = list(self._marked(block, start, end))
        if not marked:
            return Split(block, [(start, end)], [], [])
        texts = b"\n".join([block[first : last - 1] for first, last in marked])
        found = self._found(block, marked, texts.translate(None, VARYING).split(b"\n"))
        rest: list[Part] = []
        starts: list[int] = []
        at = start
        for (first, last), seen in zip(marked, found, strict=True):
            if seen is not None:
                rest.append((at, first))
                starts.append(first)
                at = last
        rest.append((at, end))
        return Split(block, rest, starts, list(filter(None, found)))

    def _marked(self, block: bytes, start: int, end: int) -> Iterator[Part]:
        line_end = start
        while (mark := block.find(self._mark, line_end, end)) >= 0:
            line_start = block.rfind(b"\n", line_end, mark) + 1 or line_end
            line_end = block.find(b"\n", mark) + 1
            if line_end - line_start <= self._longest_bytes:
                yield line_start, line_end

    def _found(self, block: bytes, marked: Sequence[Part], keys: Sequence[bytes]) -> list[Seen | None]:
        """What is known of the text of each ``marked`` line, where one more is a copy."""
        if self._run != self._repeats.run:
            self._known.clear()
            self._run = self._repeats.run
        found = list(map(self._known.get, keys))
        if None in found:
            for place, seen in enumerate(found):
                if seen is None:
                    first, last = marked[place]
                    found[place] = self._look(block[first : last - 1], keys[place])
        return found

    def _look(self, text: bytes, key: bytes) -> Seen | None:
        seen = self._repeats.told_enough(text)
        if seen is not None and len(key) <= KEY_BYTES and len(self._known) < MAX_TEXTS:
            self._known[key] = seen
        return seen


class Split:
    """A block cut into copies and the rest."""

    __slots__ = ("_block", "_rest", "copies", "starts")

    def __init__(self, block: bytes, rest: list[Part], starts: list[int], copies: list[Seen]) -> None:
        self._block = block
        self._rest = rest
        self.starts = starts
        """Where in the block each copy begins."""
        self.copies = copies
        """What is known of the text of each."""

    def rest(self) -> bytes:
        """The lines that are no copies, with a newline ahead."""
        block = self._block
        return b"\n" + b"".join([block[first:last] for first, last in self._rest])

    def hits(self, in_rest: Sequence[int]) -> Iterator[int]:
        """Places in the block of those in ``rest()``, ascending."""
        parts, ahead = iter(self._rest), 1  # ``ahead``: bytes of the rest before the part
        first, last = next(parts)
        for hit_end in in_rest:
            while hit_end > ahead + last - first:
                ahead += last - first
                first, last = next(parts)
            yield hit_end - ahead + first

    def row(self, first: int, until: int) -> Row | None:
        """The copies ``first`` to ``until``, which no line of interest separates; None when there are none."""
        return Row(self.starts[first:until], self.copies[first:until]) if first < until else None


class Row:
    """Copies with no other line of interest between them."""

    __slots__ = ("starts", "texts")

    def __init__(self, starts: list[int], texts: list[Seen]) -> None:
        self.starts = starts
        """Where in the block each of them begins."""
        self.texts = texts
        """What is known of the text of each."""

    def before(self, stop: int) -> int:
        """How many of them begin before ``stop``."""
        return bisect_left(self.starts, stop)
