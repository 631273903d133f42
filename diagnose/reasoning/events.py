"""Events of a log, kept within bounds however many there are."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace

from diagnose.light import dataclass
from diagnose.model import Match, Record, RecordKind

KEEP_FIRST = 20
"""Events of one kind kept from the beginning of the input, and from that of the last start in it."""
KEEP_LAST = 40
"""Events of one kind kept from its end; what lies between is only counted."""
MAX_KINDS = 2_000
"""Different kinds of errors no entry knows, and as many of known ones; later kinds share one place."""
_OTHERS = ("…", "… known")


@dataclass(frozen=True, slots=True)
class Event:
    """A record that reports something, with the entries it speaks of."""

    record: Record
    matches: tuple[Match, ...]
    error: bool
    """True when the record reports an error by its form, known or not."""
    template: str = ""
    """For an error whose cause no entry knows: its text with numbers and names masked."""
    got_over: bool = False
    """The program said that it tried again and succeeded."""

    @property
    def line(self) -> int:
        return self.matches[0].line if self.matches else self.record.line

    @property
    def logged_warning(self) -> bool:
        return self.record.kind is RecordKind.LOG and self.record.level in ("WARNING", "WARN")


@dataclass(slots=True)
class _Kind:
    first: list[Event] = field(default_factory=list)
    earlier: deque[Event] = field(default_factory=lambda: deque(maxlen=KEEP_LAST))
    """The beginnings of starts before the last one."""
    begin: list[Event] = field(default_factory=list)
    """The first ones since the last start, where ``first`` is full."""
    last: deque[Event] = field(default_factory=lambda: deque(maxlen=KEEP_LAST))
    start: int = 0
    """Number of the last start it was seen after, and …"""
    since_start: int = 0
    """… how often since then."""
    dropped: int = 0

    def add(self, event: Event, start: int) -> None:
        if start != self.start:
            self.dropped += max(len(self.earlier) + len(self.begin) - KEEP_LAST, 0)
            self.earlier.extend(self.begin)
            self.begin, self.start, self.since_start = [], start, 0
        self.since_start += 1
        if len(self.first) < KEEP_FIRST:
            self.first.append(event)
        elif self.since_start <= KEEP_FIRST:
            self.begin.append(event)
        else:
            self.dropped += len(self.last) == KEEP_LAST
            self.last.append(event)

    def kept(self) -> Iterator[Event]:
        yield from self.first
        yield from self.earlier
        yield from self.begin
        yield from self.last

    def copy(self) -> _Kind:
        return replace(self.since(0), dropped=self.dropped)

    def since(self, line: int) -> _Kind:
        def kept(events: Iterable[Event]) -> Iterator[Event]:
            return (event for event in events if event.line >= line)

        earlier, last = deque(kept(self.earlier), KEEP_LAST), deque(kept(self.last), KEEP_LAST)
        return _Kind(list(kept(self.first)), earlier, list(kept(self.begin)), last, self.start, self.since_start)


def _seen(events: Iterable[Event], view: Callable[[Event], Event | None]) -> list[Event]:
    return [seen for event in events if (seen := view(event)) is not None]


class EventLog:
    """Events in the order they were completed, bounded per kind (entries spoken of, or template)."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}
        self._count = [0, 0]  # kinds of unknown and of known events
        self._start = 0

    def add(self, event: Event) -> None:
        key = "|".join(m.entry for m in event.matches) or event.template
        known = bool(event.matches)  # a flood of unknown errors must not push out the cause
        kind = self._kinds.get(key)
        if kind is None:
            if self._count[known] >= MAX_KINDS:
                key = _OTHERS[known]
            else:
                self._count[known] += 1
            kind = self._kinds.setdefault(key, _Kind())
        kind.add(event, self._start)

    def new_start(self) -> None:
        """What follows may be another run: of every kind its first ones are kept again."""
        self._start += 1

    def seen_as(self, view: Callable[[Event], Event | None]) -> EventLog:
        """What is kept, every event as ``view`` sees it; None leaves it out. For a text that is at its end."""
        made = self.copy()
        for kind in made._kinds.values():
            kind.first, kind.begin = _seen(kind.first, view), _seen(kind.begin, view)
            kind.earlier, kind.last = deque(_seen(kind.earlier, view)), deque(_seen(kind.last, view))
        return made

    def copy(self) -> EventLog:
        """One of its own that goes on from here."""
        made = EventLog()
        made._kinds = {key: kind.copy() for key, kind in self._kinds.items()}
        made._count, made._start = list(self._count), self._start
        return made

    def since(self, line: int) -> EventLog:
        """What is kept of the lines from ``line`` on; nobody knows which of them were only counted."""
        made = EventLog()
        kinds = {key: kind.since(line) for key, kind in self._kinds.items()}
        made._kinds = {key: kind for key, kind in kinds.items() if any(True for _ in kind.kept())}
        known = [any(event.matches for event in kind.kept()) for kind in made._kinds.values()]
        made._count, made._start = [known.count(False), known.count(True)], self._start
        return made

    def __iter__(self) -> Iterator[Event]:
        """Kept events by line."""
        kept = (event for kind in self._kinds.values() for event in kind.kept())
        return iter(sorted(kept, key=lambda e: (e.record.line, e.record.offset)))

    def dropped(self, key: str) -> int:
        """How many events of a kind were only counted."""
        kind = self._kinds.get(key)
        return 0 if kind is None else kind.dropped

    @property
    def all_dropped(self) -> int:
        """How many events were only counted."""
        return sum(kind.dropped for kind in self._kinds.values())

    @property
    def lost(self) -> int:
        """How many of these were not even counted under their own kind."""
        return sum(self.dropped(key) for key in _OTHERS)
