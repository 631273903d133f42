"""Events of a log, kept within bounds however many there are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from diagnose.model import Match, Record, RecordKind

KEEP_FIRST = 20
"""Events of one kind kept from the beginning of the input."""
KEEP_LAST = 40
"""Events of one kind kept from its end; what lies between is only counted."""
MAX_KINDS = 2_000
"""Different kinds of events; later kinds are counted as one."""


@dataclass(frozen=True, slots=True)
class Event:
    """A record that reports something, with the entries it speaks of."""

    record: Record
    matches: tuple[Match, ...]
    error: bool
    """True when the record reports an error by its form, known or not."""
    template: str = ""
    """For an error no entry knows: its text with numbers and names masked."""

    @property
    def line(self) -> int:
        return self.matches[0].line if self.matches else self.record.line

    @property
    def logged_warning(self) -> bool:
        return self.record.kind is RecordKind.LOG and self.record.level in ("WARNING", "WARN")


@dataclass(slots=True)
class _Kind:
    first: list[Event] = field(default_factory=list)
    last: deque[Event] = field(default_factory=lambda: deque(maxlen=KEEP_LAST))
    dropped: int = 0


class EventLog:
    """Events in the order they were completed, bounded per kind (entries spoken of, or template)."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}

    def add(self, event: Event) -> None:
        key = "|".join(m.entry for m in event.matches) or event.template
        if key not in self._kinds and len(self._kinds) >= MAX_KINDS:
            key = "…"
        kind = self._kinds.setdefault(key, _Kind())
        if len(kind.first) < KEEP_FIRST:
            kind.first.append(event)
            return
        if len(kind.last) == KEEP_LAST:
            kind.dropped += 1
        kind.last.append(event)

    def __iter__(self) -> Iterator[Event]:
        """Kept events by line."""
        kept = (event for kind in self._kinds.values() for event in (*kind.first, *kind.last))
        return iter(sorted(kept, key=lambda e: (e.record.line, e.record.offset)))

    def dropped(self, key: str) -> int:
        """How many events of a kind were only counted."""
        kind = self._kinds.get(key)
        return 0 if kind is None else kind.dropped
