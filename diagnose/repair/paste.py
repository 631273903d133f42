"""The text of an input for as long as it can be a paste, and numbers that a line end cut in any input."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.late import late
from diagnose.model import Fact, Line

PASTE_BYTES = 1 << 20
"""A larger input is no paste and is not repaired. Issue forms and chats take 64 KiB to 1 MiB."""


class Paste:
    """Keeps what was fed up to a limit, and nothing beyond it."""

    def __init__(self, limit: int = PASTE_BYTES) -> None:
        self._limit = limit
        self._kept: bytearray | None = bytearray()

    def feed(self, data: bytes) -> None:
        """Takes the next bytes; lets go of everything once there are too many."""
        if self._kept is None:
            return
        if len(self._kept) + len(data) > self._limit:
            self._kept = None
        else:
            self._kept += data

    def take(self) -> bytes | None:
        """The whole text, or None when it was too large. To be called once, at the end."""
        kept, self._kept = self._kept, None
        return None if kept is None else bytes(kept)


_REST = late(r"\d[\d,]{0,20}[.,;)\]}]{0,3}(?=\s|$)")
_LAST_DIGITS = late(r"(?<![\d.,])(?P<half>\d{1,20})(?P<mail>=\r?)?\Z")
"""A mail puts ``=`` where it breaks a line."""
MAX_CUT = 1_000
"""Lines that end in half a number, of those that are remembered."""


class CutNumbers:
    """Which lines end in a number that the next line goes on with, as a narrow terminal leaves them."""

    def __init__(self) -> None:
        self._before: Line | None = None
        self._halves: dict[int, str] = {}
        """Line → its last digits."""

    def feed(self, line: Line) -> None:
        """Takes the lines in their order."""
        before, self._before = self._before, line
        if before is None or line.number != before.number + 1 or not line.text[:1].isdigit():
            return
        half = _LAST_DIGITS.search(before.text)
        if half is not None and len(self._halves) < MAX_CUT and (half["mail"] or _goes_on(line.text, before.text)):
            self._halves[before.number] = half["half"]

    def without(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """``facts`` but those whose value may be half a number."""
        return tuple(fact for fact in facts if self._halves.get(fact.line) != str(fact.value))


def _goes_on(text: str, before: str) -> bool:
    rest = _REST.match(text)
    if rest is None:
        return False
    return rest.end() == len(text) or not before.lstrip()[:1].isdigit()  # else all lines are numbered
