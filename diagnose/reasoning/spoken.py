"""Which errors a small text only shows or tells of, and which the program got over by trying again.

A mark counts only where the text goes on around what it marks: a log that is shown as a whole is what somebody wants to
know about.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from diagnose.late import late
from diagnose.matching.quotations import is_handed_on, is_of_a_person, quoted
from diagnose.reasoning.shown import regions, rows_of, vouched
from diagnose.records import reports_error

LONGEST_ROW = 100_000
"""Characters of a row in which a quotation is looked for."""
_TYPED = late(r"(?:^|[\s\]])[\w.]+(?:Error|Exception):\s")
_PERSONAL = late(r"(?:content|text|prompt|question|query|user)[\"']?\s*[:=]\s*[\"']", re.IGNORECASE)
_TRIES = ("try", "Try", "TRY", "ttempt", "fall", "Fall", "재시도", "다시 시도")
_AGAIN = late(
    r"\b(?:try(?:ing)? again|retry(?:ing)?|retried|fall(?:ing|s)? back|fallback)\b|다시 시도|재시도", re.IGNORECASE
)
_NEXT = late(r"(?:\S+\s+){0,2}(?:try(?:ing)?|attempt)\b", re.IGNORECASE)
_WENT_WELL = late(
    r"\b(?:compile done|all good|succe(?:ss(?:ful(?:ly)?)?|eded)|saved (?:to|in)\b|startup complete|retry ok)\b|성공",
    re.IGNORECASE,
)
_WRONG = late(r"fail|error|exception|Traceback|abort|exit(?:ed)? (?:code|status) [1-9]|실패|오류", re.IGNORECASE)


class Spoken:
    """What a text only shows or tells of. Lines count from 1."""

    def __init__(self, text: str) -> None:
        self._text, self._rows = text, rows_of(text)
        shown: set[int] = set()
        found: set[int] = set()
        for first, last, search in regions(text, self._rows):
            if any(row.strip() for i, row in enumerate(self._rows) if not first <= i <= last):
                (found if search else shown).update(range(first + 1, last + 2))
        shown.update(i + 1 for part in vouched(text, self._rows) for i in part)
        self._shown = shown
        self.searched = frozenset(found)
        """Lines a search found before a program was started: its own failure is another, where its cause is known."""
        self._around: bool | None = None
        self._trials: _Trials | None = None

    def holds(self, line: int, text: str) -> bool:
        """Whether the message that begins with ``text`` on ``line`` is only shown."""
        if line in self._shown:
            return True
        row = self._rows[line - 1][:LONGEST_ROW] if 0 < line <= len(self._rows) else ""
        place = row.find(text)
        lead = quoted(row, place) if place > 0 else None
        if lead is None or is_handed_on(lead):
            return False
        if _TYPED.search(lead) is not None:
            return True
        # A logger may call its message "text" or "body": where it says that this is an error, nobody else said it.
        return is_of_a_person(lead) and self._goes_on_around() and not reports_error(row, text)

    def _goes_on_around(self) -> bool:
        """Whether most rows quote nobody: a transport writes every row of a log as somebody's text."""
        if self._around is None:
            rows = [row for row in self._rows if row.strip()]
            self._around = 2 * sum(_PERSONAL.search(row, 0, LONGEST_ROW) is not None for row in rows) <= len(rows)
        return self._around

    def got_over(self, line: int) -> bool:
        """Whether the program says that what failed on ``line`` was tried again, and that it succeeded then."""
        if not any(word in self._text for word in _TRIES):
            return False
        if self._trials is None:
            self._trials = _Trials(self._rows)
        return self._trials.got_over(line)


class _Trials:
    """Where a program tried again, succeeded and failed."""

    def __init__(self, rows: Sequence[str]) -> None:
        numbered = list(enumerate(rows, 1))
        self._again = {i for i, row in numbered if _AGAIN.search(row, 0, LONGEST_ROW)}
        self._tried = sorted({*self._again, *(i for i, row in numbered if _NEXT.match(row))})
        self._well = max((i for i, row in numbered if _WENT_WELL.search(row, 0, LONGEST_ROW)), default=0)
        self._wrong = max((i for i, row in numbered if _WRONG.search(row, 0, LONGEST_ROW)), default=0)

    def got_over(self, line: int) -> bool:
        if line in self._again:
            return self._well > max(self._again)
        later = bisect_right(self._tried, line)
        return later < len(self._tried) and self._tried[later] < self._well and self._wrong <= line
