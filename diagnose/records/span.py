"""A line's text that still knows which physical line each character came from."""

from __future__ import annotations

from typing import NamedTuple

from diagnose.model import Line, Piece


class Span(NamedTuple):
    """Text of one logical line. ``marks``: where each physical line begins; the first is 0."""

    text: str
    marks: tuple[Piece, ...]

    @classmethod
    def of(cls, text: str, line: Line) -> Span:
        return cls(text, (Piece(0, line.number, line.offset),))

    def drop(self, count: int) -> Span:
        """Without the first ``count`` characters."""
        if count <= 0:
            return self
        text, marks = self
        if len(marks) == 1:
            return Span(text[count:], marks)
        inside = [mark for mark in self.marks if mark.start > count]
        head = self.marks[len(self.marks) - len(inside) - 1]
        moved = [Piece(0, head.line, head.offset)]
        moved += [Piece(mark.start - count, mark.line, mark.offset) for mark in inside]
        return Span(self.text[count:], tuple(moved))

    def between(self, start: int, end: int) -> Span:
        """The characters from ``start`` up to ``end``."""
        if len(self.marks) == 1:
            return Span(self.text[start:end], self.marks)
        return self.keep(end).drop(start)

    def keep(self, count: int) -> Span:
        """Only the first ``count`` characters."""
        if count >= len(self.text):
            return self
        marks = tuple(mark for mark in self.marks if mark.start < count)
        return Span(self.text[:count], marks or self.marks[:1])

    def with_text(self, text: str) -> Span:
        """Other text from the same physical line; used where the text was written inside JSON."""
        return Span(text, self.marks[:1])


def join(spans: list[Span]) -> Span:
    """One line from the pieces a container runtime cut it into."""
    text: list[str] = []
    marks: list[Piece] = []
    length = 0
    for span in spans:
        marks += [Piece(length + mark.start, mark.line, mark.offset) for mark in span.marks]
        text.append(span.text)
        length += len(span.text)
    return Span("".join(text), tuple(marks))
