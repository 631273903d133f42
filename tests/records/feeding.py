"""Feeds text to an Assembler the way the scanner does."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.model import Line, Record, RecordKind
from diagnose.records import Assembler


def lines_of(text: str, first: int = 1) -> list[Line]:
    """Physical lines with numbers and byte offsets."""
    offset = 0
    made = []
    for number, part in enumerate(text.split("\n"), first):
        made.append(Line(number, offset, part))
        offset += len(part.encode()) + 1
    return made


def records_of(text: str | Iterable[Line]) -> list[Record]:
    """All records, in the order of their lines."""
    assembler = Assembler()
    out: list[Record] = []
    for line in lines_of(text) if isinstance(text, str) else text:
        out += assembler.feed(line)
    return sorted(out + assembler.flush(), key=lambda record: (record.line, record.offset))


def only(text: str) -> Record:
    """The one record of ``text``."""
    found = records_of(text)
    assert len(found) == 1, found
    return found[0]


def exceptions(text: str | Iterable[Line]) -> list[Record]:
    return [record for record in records_of(text) if record.kind is RecordKind.EXCEPTION]


def logged(head: str, *parts: str, marks: bool = True) -> str:
    """A message as vLLM's formatter writes it: the head on each line, ``\\r`` on all but the last."""
    end = "\r\n" if marks else "\n"
    return end.join(f"{head}{part}" for part in parts)
