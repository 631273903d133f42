"""Lines that something other than a terminal broke: a mail in quoted-printable, records that a container runtime wrote
in parts. A secret that stands in two of them is one.

Shapes: RFC 2045, Docker's json-file driver, the Kubernetes CRI log format.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from diagnose.late import late
from diagnose.light import dataclass
from diagnose.redact.wrapped import Row

Span = tuple[int, int]

_CODES: Final = late(r"=[ \t\r]{0,8}\n|(?:=[0-9A-F]{2}){1,2000}")
_ALL_CODES: Final = late(r"=[ \t\r]{0,8}\n|(?:=[0-9A-F]{2}){1,2000}|=(?=[^\s=])")
"""With what is left of a joint when rows were taken for those of a terminal: where signs are coded it is no other."""
_CODED: Final = late(r"=(?:3D|[89A-F][0-9A-F]=[89AB][0-9A-F])")
"""A sign of equality, which nothing else writes so; a letter beyond ASCII."""
_SOFT: Final = late(r"(?m)^[^\n]{67,75}=[ \t\r]{0,8}\n")
"""A row of a mail (76 characters at most) that goes on in the next."""
_RECORD: Final = late(r"\"log\":[ \t]?\"(?P<x>[^\"\\]*(?:\\.[^\"\\]*)*)\"")
_STREAM: Final = late(r"\"stream\":[ \t]?\"(\w{1,20})\"")
_ENDS: Final = late(r"(?:[^\\]|^)(?:\\\\)*\\n\Z")
_LINE_END: Final = -1
"""Size of a part that stands between two records: it is nowhere in the text."""
_BELOW: Final = "value:"
"""What tells that a name stands in the record above: without it no record tells what is in another."""
_CRI: Final = late(r"\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:?\d\d) (?P<origin>stdout|stderr) (?P<flag>[FP])(?: |\Z)")


class _Part(NamedTuple):
    text: str
    place: int
    """Where it begins in the whole text."""
    size: int = 0
    """Characters it was written as, where they are others than those of ``text``."""


class _Record(NamedTuple):
    origin: str
    start: int
    end: int
    """What was said stands there in the line."""
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Rejoined:
    """What was broken, whole again."""

    rows: tuple[Row, ...]
    is_mail: bool
    """No doubt about it: signs are coded and rows joined. ``?q=`` ends a row of a terminal as well."""
    parts: tuple[Span, ...]
    """Where the parts of records stand, in order."""

    def within(self, text: str, start: int, end: int) -> Span:
        """``text[start:end]`` without what carries it and no reader may miss: what stands around the part of a record,
        half of the sign of a mail (what follows a name is ``=3D``), the one that joins its rows (``=``)."""
        if self.is_mail:
            start += 2 * (text[start - 1 : start + 2] == "=3D")
            end -= text[end - 1 : end + 1] == "=\n"
        number = bisect_right(self.parts, (start, len(text)))
        for first, last in self.parts[max(number - 1, 0) : number + 1]:
            if start == last or end == first:
                return start, start
            if start < last and first < end:
                return max(start, first), min(end, last)
        return start, end


_NOTHING: Final = Rejoined((), False, ())


def rejoined(text: str) -> Rejoined:
    """``text`` as the mail said it, or every record in it that a container wrote in parts."""
    joins = "=" in text and _SOFT.search(text) is not None
    if (coded := "=" in text and _CODED.search(text) is not None) or joins:
        return Rejoined((_row(list(_said(text, _ALL_CODES if coded else _CODES))),), coded and joins, ())
    if '"log":' not in text and " P " not in text:
        return _NOTHING
    records = list(_records(text))
    places = sorted((part.place, part.place + len(part.text)) for record in records for part in record)
    several = _lines(text) if '"log":' in text and _BELOW in text else []
    return Rejoined((*map(_row, records), *([_row(several)] if several else ())), False, tuple(places))


def _lines(text: str) -> list[_Part]:
    """What records of a container say, one below the other."""
    parts: list[_Part] = []
    place = 0
    for line in text.split("\n"):
        record = _record(line) if line.lstrip()[:1] == "{" else None
        if record is not None:
            said = line[record.start : record.end].removesuffix("\\n").removesuffix("\\r")
            parts += (_Part(said, place + record.start), _Part("\n", place + record.end, _LINE_END))
        place += len(line) + 1
    return parts


def _said(text: str, codes: re.Pattern[str]) -> Iterator[_Part]:
    at = 0
    for found in codes.finditer(text):
        yield _Part(text[at : found.start()], at)
        at = found.end()
        if len(found[0]) > 1 and found[0][-1] != "\n":
            yield from _letters(found[0], found.start())
    yield _Part(text[at:], at)


def _letters(codes: str, place: int) -> Iterator[_Part]:
    data = bytes.fromhex(codes.replace("=", ""))
    try:
        said = [(letter, len(letter.encode())) for letter in data.decode()]
    except UnicodeDecodeError:
        if len(data) == 1:  # a joint, and letters that look like a code
            yield _Part(codes[1:], place + 1)
            return
        # A row ended within a letter.
        said = [(letter, 1) for letter in data.decode("latin-1")]
    for letter, size in said:
        yield _Part(letter, place, size * 3)
        place += size * 3


def _records(text: str) -> Iterator[list[_Part]]:
    parts: dict[str, list[_Part]] = {}
    place = 0
    for line in text.split("\n"):
        record = _record(line)
        if record is None:
            yield from (several for several in parts.values() if len(several) > 1)
            parts.clear()
        else:
            held = parts.setdefault(record.origin, [])
            held.append(_Part(line[record.start : record.end], place + record.start))
            if not record.goes_on:
                del parts[record.origin]
                if len(held) > 1:
                    yield held
        place += len(line) + 1
    yield from (several for several in parts.values() if len(several) > 1)


def _record(line: str) -> _Record | None:
    if cri := _CRI.match(line):
        return _Record(cri["origin"], cri.end(), len(line), cri["flag"] == "P")
    found = _RECORD.search(line) if line.lstrip()[:1] == "{" else None
    if found is None:
        return None
    stream: re.Match[str] | None = _STREAM.search(line, found.end())
    return _Record(stream[1] if stream else "", *found.span("x"), _ENDS.search(found["x"][-40:]) is None)


def _row(parts: list[_Part]) -> Row:
    parts = [part for part in parts if part.text]
    return Row(
        "".join(part.text for part in parts),
        tuple(accumulate((len(part.text) for part in parts[:-1]), initial=0)),
        tuple(part.place for part in parts),
        {number: part.size for number, part in enumerate(parts) if part.size},
    )
