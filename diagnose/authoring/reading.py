"""The records of an example's text, read as a log is read."""

from __future__ import annotations

from diagnose.model import Line, Record
from diagnose.records import Assembler


def records(text: str) -> list[Record]:
    """Logical records of ``text``, prefix layers removed."""
    assembler = Assembler()
    found: list[Record] = []
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        found += assembler.feed(Line(number, offset, line))
        offset += len(line.encode()) + 1
    return [*found, *assembler.flush()]
