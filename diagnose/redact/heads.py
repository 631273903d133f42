"""What stands before every line of a text: a quotation, an indentation, a number that counts, a time and a machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from math import ceil
from typing import Final

from diagnose.late import late

MOST: Final = 0.9
"""Share of the lines with such a head before it is the one of the text: above a quotation stand words of its own."""
MAX_HEADS: Final = 3
"""``> `` before the number before the time."""
_CLOCK: Final = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_WRITER: Final = r"(?:[^\s:]{1,120} [\w.@/-]{1,80}(?:\[\d{1,10}\])?: ?)?"
"""Machine and program, as syslog and journald have them."""
_NUMBER: Final = late(r"[ \t]{0,12}(\d{1,9})(?:[ \t]{0,3}[|│┃:→][ \t]?|\t|\. |[ \t])")
_SHAPES: Final = (
    late(rf"(?:<\d{{1,3}}>)?[A-Z][a-z]{{2}} [ \d]\d {_CLOCK} {_WRITER}"),
    late(
        rf"\[?\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?\]?(?:[ \t]\|?[ \t]?|\Z)"
        rf"(?:std(?:out|err) [FP] ?|{_WRITER})"
    ),
    late(rf"\[?{_CLOCK}\]? "),
    late(r"[\w.-]{1,80} {1,20}\| ?"),
)
_CLOSES: Final = late(r".*[\s|│┃:>\])]")
"""Where a head that lines have in common may end: of two lines that begin with one letter this is a part of neither."""
_LEFT_OUT: Final = late(r"\[\.\.\. lines? \d")


def heads(lines: Sequence[str]) -> list[int]:
    """How many characters of every line stand before it; 0 where nothing does, on all of them when nothing is common
    to most."""
    ends = [0] * len(lines)
    asked = told(lines)
    for turn in range(MAX_HEADS):
        found = _next(lines, asked, ends, MOST if not turn else 1.0)
        if not found:
            break
        for number, end in found.items():
            ends[number] = end
        asked = [number for number in asked if number in found]
    return ends


def told(lines: Sequence[str]) -> list[int]:
    """Numbers of the lines that say more than a head and are no mark of an excerpt."""
    return [n for n, line in enumerate(lines) if len(line.strip()) > 2 and not _LEFT_OUT.match(line)]


def _next(lines: Sequence[str], asked: Sequence[int], ends: Sequence[int], share: float) -> dict[int, int]:
    """Where the next head ends, by the number of the line; empty when fewer than ``share`` of the lines have one."""
    enough = max(share * len(asked), 2)
    for shape in _SHAPES:
        found = {n: match.end() for n in asked if (match := shape.match(lines[n], ends[n]))}
        if len(found) >= enough:
            return found
    matches = [(n, match) for n in asked if (match := _NUMBER.match(lines[n], ends[n]))]
    numbers = [int(match[1]) for _, match in matches]
    if len(matches) >= enough and all(a < b for a, b in pairwise(numbers)):
        return {n: match.end() for n, match in matches}
    rests = sorted(lines[n][ends[n] :] for n in asked)
    few = ceil((1 - share) * len(rests) / 2)
    for cut in dict.fromkeys((0, few)):
        same = _closed(rests[cut], rests[-1 - cut]) if len(rests) > 1 else ""
        found = {n: ends[n] + len(same) for n in asked if lines[n].startswith(same, ends[n])} if same else {}
        if len(found) >= enough:
            return found
    return {}


def _closed(first: str, last: str) -> str:
    """What both begin with, and with them all that is between them in order."""
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    found: re.Match[str] | None = _CLOSES.match(first[:length])
    return found[0] if found else ""
