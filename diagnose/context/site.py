"""Where a reader of one kind of line stands: the record, the known parameters, and the making of facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from diagnose.knowledge.schema import Parameter
from diagnose.light import dataclass
from diagnose.model import Fact, Record, Value


@dataclass(frozen=True, slots=True)
class Site:
    """A record with the place in it at which a line was recognised."""

    record: Record
    text: str
    """The record's text; places are indexes into it."""
    parameters: Mapping[str, Parameter]

    def fact(self, name: str, value: Value, origin: str, rank: int, index: int = 0) -> Fact:
        piece = self.record.place(index)
        return Fact(name, value, piece.line, piece.offset, origin, rank, self.record.speaker)

    def facts(self, values: Mapping[str, Value], origin: str, rank: int, start: int = 0) -> Iterator[Fact]:
        """One fact per value, each on the line where its key stands (multi-line JSON)."""
        for name, value in values.items():
            yield self.fact(name, value, origin, rank, self._key(name, start))

    def _key(self, name: str, start: int) -> int:
        """Index of the JSON key; ``visual.device`` is looked for behind ``"visual"``, a plain name at the
        first indent where there is one, so that a submodule's field of the same name is not taken for it."""
        head, _, leaf = name.rpartition(".")
        at = start
        for part in head.split(".") if head else ():
            at = max(self.text.find(f'"{part}"', at), at)
        top = -1 if head else self.text.find(f'\n  "{leaf}"', at)
        return top + 1 if top >= 0 else max(self.text.find(f'"{leaf}"', at), start)


Reader = Callable[[Site], Iterator[Fact]]
"""Reads one kind of line. It is asked only about records whose text begins with (or holds) its literal."""

TOLD = "told:secret"
"""Fact: the text of a command or of a configuration that names a secret, for those who hide it elsewhere."""

Rows = tuple[tuple[str, Reader], ...]
"""Literal → reader."""
