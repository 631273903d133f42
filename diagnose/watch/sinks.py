"""Where events go: lines for a person, JSON for a program. stdout is data, stderr is talk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TextIO

from diagnose.model import Lang
from diagnose.watch.events import json_line
from diagnose.watch.nouns import Event, SourceState
from diagnose.watch.saying import event_lines, notice_line
from diagnose.watch.tail.nouns import Notice

Lines = Callable[[Event], list[str]]


class LineSink:
    """Events as lines on ``out``, words about ourselves on ``err``. Raises BrokenPipeError when nobody reads."""

    def __init__(self, lines: Lines, lang: Lang, out: TextIO, err: TextIO) -> None:
        self._lines = lines
        self._lang = lang
        self._out = out
        self._err = err

    def event(self, event: Event) -> None:
        self._out.write("\n".join(self._lines(event)) + "\n")
        self._out.flush()

    def notice(self, notice: Notice) -> None:
        try:
            self._err.write(f"rbln-diagnose: {notice_line(notice, self._lang)}\n")
            self._err.flush()
        except (OSError, ValueError):
            return  # stderr is closed: nobody is left to tell

    def state(self, sources: Sequence[SourceState]) -> None:
        """Lines tell events, not states."""


def text_sink(lang: Lang, out: TextIO, err: TextIO) -> LineSink:
    """For a person reading a log of ours."""
    return LineSink(lambda event: event_lines(event, lang), lang, out, err)


def json_sink(lang: Lang, out: TextIO, err: TextIO) -> LineSink:
    """One object a line."""
    return LineSink(lambda event: [json_line(event)], lang, out, err)
