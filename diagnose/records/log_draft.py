"""A logger's record that may still go on."""

from __future__ import annotations

import re

from diagnose.model import Record, RecordKind
from diagnose.records.grammars import Head
from diagnose.records.limits import MAX_RECORD_LINES
from diagnose.records.message import continues_message
from diagnose.records.process import Owner
from diagnose.records.span import Span
from diagnose.records.text_builder import TextBuilder

_OPENING = "{[("
_CLOSING = "}])"
_SAME_START = 12
"""Characters by which a repeated statement is told from a continued one."""
_PROMPT = re.compile(r"prompt: (?P<quote>['\"])")
_MAX_PROMPT_LINES = 200
"""Lines of an echoed prompt; one that was cut off must not swallow the rest of the log."""
_GOES_ON = (":", ",", "{", "[", "(")


class LogDraft:
    """The lines of one logged record so far."""

    __slots__ = ("_depth", "_quote", "_text", "_time", "first", "head", "owner", "repeated")

    def __init__(self, head: Head, span: Span, owner: Owner, time: str | None, repeated: int) -> None:
        self.head = head
        self.owner = owner
        self.repeated = repeated
        self.first = span.text
        self._time = time
        self._text = TextBuilder()
        self._depth = 0
        echoes = "prompt: " in span.text and head.level in ("INFO", "DEBUG")
        prompt = _PROMPT.search(span.text) if echoes else None
        self._quote = "" if prompt is None else prompt["quote"]
        if prompt is not None and self._closes(span.text[prompt.end() :]):
            self._quote = ""
        self.add(span)

    def add(self, span: Span) -> None:
        self._text.add(span)
        count = span.text.count
        self._depth += count("{") + count("[") + count("(") - count("}") - count("]") - count(")")

    def _closes(self, text: str) -> bool:
        """Whether the echoed prompt ends in this text."""
        return text.endswith(self._quote) or f"{self._quote}, " in text

    @property
    def prompt_is_open(self) -> bool:
        return bool(self._quote)

    def inside_prompt(self, text: str) -> bool:
        """Whether a line is more of a prompt echoed over several lines. Whatever it says was said by a user."""
        if not self._quote or len(self._text) >= _MAX_PROMPT_LINES:
            return False
        if self._closes(text):
            self._quote = ""
        return True

    def goes_on_under_same_head(self, text: str) -> bool:
        """Whether a line with an equal head is more of this record, when no ``\\r`` tells.

        Two statements may log within one second, so there must be a reason: indentation, a bracket, a colon.
        """
        if not text.strip() or text[0] in " \t" or self.head.one_moment:
            return True
        if self._depth > 0 and self._depth_counts():
            return True
        return self._text.last.endswith(":") and text[:_SAME_START] != self.first[:_SAME_START]

    def goes_on_raw(self, text: str, adjacent: bool) -> bool:
        """Whether a line without any head is more of this record; most loggers print new lines so."""
        if not adjacent or len(self._text) >= MAX_RECORD_LINES or not self._text.last:
            return False
        if not text.strip():
            return not self.head.repeats and not self._text.blanks
        if self.head.kind is not RecordKind.LOG:
            return False
        if self._depth > 0 and self._depth_counts():
            return text[0] in " \t" or text[0] in _OPENING + _CLOSING or self._text.last.endswith(_GOES_ON)
        if self._text.last.endswith(":") and text[0] in "{[" and not self._text.blanks:
            return True
        if self.head.repeats:
            return False
        if text[0] in " \t":
            return True
        if self.head.level not in ("WARNING", "ERROR", "CRITICAL"):
            return False
        return continues_message(self._text, text, "", bare=True, adjacent=adjacent)

    def _depth_counts(self) -> bool:
        """An open bracket means a dump only where a line was broken behind one."""
        return len(self._text) > 1 or self._text.last.endswith(_GOES_ON)

    def record(self) -> Record:
        text, pieces = self._text.build()
        head = self.head
        return Record(
            head.kind,
            text,
            pieces,
            level=head.level,
            writer=head.writer,
            source=head.source,
            time=head.time or self._time,
            process=self.owner.process,
            pid=self.owner.pid,
            repeated=self.repeated,
        )

    @property
    def empty(self) -> bool:
        return not len(self._text)
