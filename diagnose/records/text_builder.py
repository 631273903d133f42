"""Joins the lines of one record and keeps their places, within the caps."""

from __future__ import annotations

from diagnose.model import Piece
from diagnose.records.limits import MAX_RECORD_CHARS, MAX_RECORD_LINES
from diagnose.records.span import Span


class TextBuilder:
    """Grows the text of one record. White space at line ends and blank lines at both ends are dropped."""

    __slots__ = ("_blanks", "_pieces", "_size", "_texts", "last")

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._pieces: list[Piece] = []
        self._blanks: list[Span] = []
        self._size = 0
        self.last = ""
        """The last line that is not blank, without white space at its end."""

    def __len__(self) -> int:
        """Lines kept so far."""
        return len(self._texts)

    @property
    def blanks(self) -> int:
        """Blank lines seen since the last line of text."""
        return len(self._blanks)

    def add(self, span: Span) -> None:
        text = span.text.rstrip()
        if not text:
            if self._texts and len(self._blanks) < MAX_RECORD_LINES:
                self._blanks.append(span)
            return
        if self._blanks:
            for blank in self._blanks:
                self._append("", blank)
            self._blanks.clear()
        self._append(text, span)
        self.last = text

    def _append(self, text: str, span: Span) -> None:
        room = MAX_RECORD_CHARS - self._size
        if len(self._texts) >= MAX_RECORD_LINES or room <= 1:
            return
        start = self._size + 1 if self._texts else 0
        text = text[: room - 1]
        for mark in span.marks:
            if not start and mark.start == 0:
                self._pieces.append(mark)
            elif mark.start < len(text) or mark.start == 0:
                self._pieces.append(Piece(start + mark.start, mark.line, mark.offset))
        self._texts.append(text)
        self._size = start + len(text)

    def build(self) -> tuple[str, tuple[Piece, ...]]:
        return "\n".join(self._texts), tuple(self._pieces)
