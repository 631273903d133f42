"""What one record tells: sign of life, facts, entries it speaks of.

A server that is restarted over and over writes the same records again, with other times and processes. What a text
tells that came twice is kept, and put at the place where it stands. Most texts of a storm come once.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from diagnose.context import Mark, facts, lifecycle
from diagnose.knowledge import Knowledge
from diagnose.light import dataclass
from diagnose.matching import is_error
from diagnose.model import Fact, Match, Piece, Record
from diagnose.records import fingerprint_text

MAX_TEXTS: Final = 512
"""Texts whose meaning is kept, and as many again that were not asked for since these are."""
MAX_CHARS: Final = 256 * 1024
"""Characters of all of them."""
LONGEST_TEXT: Final = 4_096
"""Characters of a text whose meaning is kept."""

_DIGITS: Final = {ord(digit): "0" for digit in "123456789"}


class _Matcher(Protocol):
    def match(self, record: Record) -> tuple[Match, ...]: ...


class Meaning(NamedTuple):
    """What a record tells."""

    mark: Mark | None = None
    facts: tuple[Fact, ...] = ()
    matches: tuple[Match, ...] = ()
    error: bool = False
    """True when it reports an error by its form, known or not."""
    template: str = ""
    """For an error no entry knows: its text with numbers and names masked."""

    @property
    def is_event(self) -> bool:
        return self.error or bool(self.matches)


@dataclass(frozen=True, slots=True)
class _Of:
    """The meaning of a text wherever it stands: ``line`` of a fact is the number of its piece."""

    marks: bool
    """A mark has the process in it, and may have the line: it is asked for again. Most texts are none."""
    said: Meaning

    def at(self, record: Record) -> Meaning:
        said, pieces = self.said, record.pieces
        if not self.marks and not said.facts and not said.matches:
            return said  # there is nothing in it that stands somewhere
        return Meaning(
            lifecycle(record) if self.marks else None,
            tuple(
                Fact(f.name, f.value, pieces[f.line].line, pieces[f.line].offset, f.origin, f.rank, record.speaker)
                for f in said.facts
            ),
            tuple(Match(m.entry, m.signature, record, m.start, m.end, m.numbers, m.number_spans) for m in said.matches),
            said.error,
            said.template,
        )


class Meanings:
    """Gives the meaning of records over one knowledge base; the latest texts are remembered."""

    def __init__(self, knowledge: Knowledge, matcher: _Matcher) -> None:
        self._knowledge = knowledge
        self._matcher = matcher
        self._kept: dict[Hashable, _Of | None] = {}
        self._before: dict[Hashable, _Of | None] = {}
        """Texts that came, and the meaning of those that came again."""
        self._chars = 0

    def __len__(self) -> int:
        """Texts that are remembered."""
        return len(self._kept) + len(self._before)

    def __call__(self, record: Record) -> Meaning:
        """As if ``record`` were read for the first time."""
        if len(record.text) > LONGEST_TEXT:
            return self._read(record)
        key = _telling(record)
        of = self._kept.get(key)
        if of is None:
            if key not in self._kept and key not in self._before:
                self._keep(key, len(record.text), None)
                return self._read(record)
            of = self._before.get(key) or self._anywhere(record)
            self._keep(key, len(record.text), of)
        return of.at(record)

    def _keep(self, key: Hashable, chars: int, of: _Of | None) -> None:
        if len(self._kept) >= MAX_TEXTS or self._chars + chars > MAX_CHARS:
            # What was asked for lately is in one of the two; no list has to be kept in order at every record.
            self._before, self._kept, self._chars = self._kept, {}, 0
        self._kept[key] = of
        self._chars += chars

    def _anywhere(self, record: Record) -> _Of:
        pieces = tuple(Piece(piece.start, number, number) for number, piece in enumerate(record.pieces))
        said = self._read(replace(record, pieces=pieces))
        return _Of(said.mark is not None, said._replace(mark=None))

    def _read(self, record: Record) -> Meaning:
        matches, error = self._matcher.match(record), is_error(record)
        return Meaning(
            lifecycle(record),
            facts(record, self._knowledge.parameters),
            matches,
            error,
            fingerprint_text(record.text) if error and not matches else "",
        )


def _telling(record: Record) -> Hashable:
    """Everything of a record its meaning depends on: all but where it stands, its number of process, and of its time
    all but the form."""
    info, pieces = record.exception, record.pieces
    return (
        record.text,
        record.kind,
        record.level,
        record.writer,
        record.source,
        record.process,
        record.time and record.time.translate(_DIGITS),
        len(pieces) > 1 and tuple(piece.start for piece in pieces),
        info and (info.type, info.position, info.link, info.last, info.frames, info.bare),
    )
