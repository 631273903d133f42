"""A sink in front of the others: no name of a person in the path of a log, in a word about ourselves, in a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from diagnose import redact
from diagnose.watch.nouns import Event, SourceState
from diagnose.watch.ports import Sink
from diagnose.watch.tail.nouns import Notice

MAX_NAMES = 4_096


def shown_name(path: str, about: redact.Surroundings) -> str:
    """``path`` as it may be shown; the rules are imported when there is something to show."""
    from diagnose.redact.sources import source_name

    return source_name(path, about)


class HidingSink:
    """Hands on what it is told, without names."""

    def __init__(self, inner: Sink, about: redact.Surroundings) -> None:
        self._inner = inner
        self._about = about
        self._name = lru_cache(MAX_NAMES)(lambda path: shown_name(path, about))

    def event(self, event: Event) -> None:
        self._inner.event(replace(event, source=self._name(event.source)))

    def notice(self, notice: Notice) -> None:
        if notice.code != "listening":  # the address a person asked for, and needs
            by = redact.Redactor(self._about)
            fields = {key: by.text(value) if isinstance(value, str) else value for key, value in notice.fields.items()}
            notice = replace(notice, path=self._name(notice.path), fields=fields)
        self._inner.notice(notice)

    def state(self, sources: Sequence[SourceState]) -> None:
        self._inner.state(self.states(sources))

    def states(self, sources: Sequence[SourceState]) -> list[SourceState]:
        """The sources as they may be shown, also to health and metrics."""
        by = redact.Redactor(self._about)
        return [replace(s, name=self._name(s.name), trouble=by.text(s.trouble)) for s in sources]
