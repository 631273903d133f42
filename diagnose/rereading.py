"""Which reading of a text explains most of it, and where its findings stand in the input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from diagnose.collected import Collected
from diagnose.knowledge import Knowledge
from diagnose.knowledge.schema import Signature
from diagnose.late import late
from diagnose.light import dataclass
from diagnose.model import Diagnosis, Finding, InputInfo, Match, Overruled, RecordKind, RunContext, Setting, Unknown
from diagnose.reasoning import Event, EventLog
from diagnose.servers import Servers

if TYPE_CHECKING:
    from diagnose.matching import Matcher
    from diagnose.reasoning.spoken import Spoken

OfLine = Callable[[int], int]
"""Line of a reading → line of the input."""
OfOffset = Callable[[int], "tuple[int, int]"]
"""Byte of a reading → line and byte of the input."""

Shown = Callable[[], "Spoken"]
"""Asks what a text only shows."""

_FIRST_WORDS = 20
MOSTLY = 0.5
"""Share of what was found that stands on rests of lines: then the others do not make the lines whole ones."""
_NO_WORDING = late(r"\(\?[^()]*\)|\[[^\]]*\]|\\.|\{[^}]*\}|[().*+?|^$]")
_BROKEN_NAME = late(r"\s")
_PLACEHOLDER = late(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Explained:
    """How much of a text was understood."""

    entries: Mapping[str, int]
    """Entry spoken of → characters of its fixed wording that were found."""
    facts: int
    """Values the text says about the run."""
    numbers: int
    """Values that stand in the messages."""
    reported: int
    """Messages in records of a logger, an exception or another form that reports something: not on a raw line."""
    across: int
    """Messages that were found across a place where lines were joined, in mid word or in mid number."""
    strange: frozenset[int] = frozenset()
    """Lines of the input with errors that no entry knows."""
    told_on: frozenset[int] = frozenset()
    """Lines of the input on which anything is reported."""
    root: bool = False
    """Whether a root cause is among the entries."""

    def better_than(self, other: Explained, *, sure: bool, told: bool, joins: bool = False) -> bool:
        """Whether the reading this is of is to be taken instead of the ``other``.

        Other entries count by their wording, and where the shape is ``sure`` by their number: a message cut in two
        can be taken for another one, and so can one whose logger is not seen. With the same entries it is what the
        text says about the run and in its messages, then the shape. Messages that go on across a join count where
        the joins are ``told`` by the shape: the end of a path is made longer by any line that is put behind it.
        Where both know the same and no root cause, an error that nobody knows is never lost to a reading that
        ``joins`` lines: it may have become the rest of another one, or of what another one quotes. Nor is one made of
        what is understood by cutting it at beginnings alone. One that a ``told`` shape shows to be the beginning of a
        message that is known is no other error.
        """
        if self.entries.keys() != other.entries.keys():
            logged = self.facts > other.facts and self.reported > other.reported
            if sure and (logged or len(self.entries) >= len(other.entries)):
                return True
            return sum(self.entries.values()) > sum(other.entries.values())
        if not self.root and bool(self.strange) != bool(other.strange):
            if not self.strange and other.strange <= self.told_on and told and not joins:
                return True
            if joins and not self.strange and not other.strange <= self.told_on:
                return False
            if not other.strange and not self.strange <= other.told_on and (sure or told or not other.entries):
                return True
        if (self.facts, self.numbers) != (other.facts, other.numbers):
            return (self.facts, self.numbers) > (other.facts, other.numbers)
        return sure or (told and (self.reported, self.across) > (other.reported, other.across))


def explained(
    collected: Collected, knowledge: Knowledge, without: frozenset[int] = frozenset(), of_line: OfLine = int
) -> Explained:
    """How much of what was ``collected`` the knowledge base explains. ``without``: lines on which nothing begins."""
    longest: dict[str, int] = {}
    numbers: dict[str, int] = {}
    across = reported = 0
    lines: dict[bool, set[int]] = {True: set(), False: set()}
    for event in collected.events:
        line = of_line(event.line)
        if line in without:
            continue
        # The message of an exception may begin above what is known of it.
        lines[_is_unknown(event)].update((line, of_line(event.record.line)))
        reported += bool(event.matches) and event.record.kind is not RecordKind.RAW
        for match in event.matches:
            size = wording(knowledge.entries[match.entry].signatures[match.signature], match)
            longest[match.entry] = max(longest.get(match.entry, 0), size)
            numbers[match.entry] = max(numbers.get(match.entry, 0), len(match.numbers))
            across += _is_across(match)
    facts = sum(_leaves(fact.value) for fact in collected.facts if is_name(fact.name))
    strange, known = frozenset(lines[True]), frozenset(lines[False])
    root = any(knowledge.entries[entry].role == "root" for entry in longest)
    return Explained(longest, facts, sum(numbers.values()), reported, across, strange, strange | known, root)


def spoken_of(text: bytes) -> Shown:
    """What a small text only shows; looked for once, when the first error asks for it."""

    @cache
    def look() -> Spoken:
        from diagnose.reasoning.spoken import Spoken

        return Spoken(text.decode("utf-8", "replace"))

    return look


def leave_out(shown: Shown | None, collected: Collected, servers: Servers, of_line: OfLine = int) -> None:
    """Let go of errors among what was gathered that the input only shows."""
    if shown is None or not any(collected.events):
        return

    spoken = shown()

    def view(events: EventLog) -> EventLog:
        return without_shown(events, spoken, of_line)

    collected.events = view(collected.events)
    servers.see_as(view)


def settle(shown: Shown | None, of: Collected, servers: Servers, matcher: Matcher, of_line: OfLine = int) -> None:
    """What the events of a small text are, which only its end tells: errors it only shows are let go of, and those
    that no entry knows are looked at once more without quotes."""
    leave_out(shown, of, servers, of_line)
    if shown is None or not any(map(_is_unknown, of.events)):
        return

    def view(event: Event) -> Event:
        return replace(event, matches=matcher.unquoted.match(event.record)) if _is_unknown(event) else event

    of.events = of.events.seen_as(view)
    servers.see_as(lambda events: events.seen_as(view))


def _is_unknown(event: Event) -> bool:
    return event.error and not event.matches


def without_shown(events: EventLog, shown: Spoken, of_line: OfLine) -> EventLog:
    """``events`` without those the text only shows, and marked where the program got over them."""

    def holds(event: Event) -> bool:
        return shown.holds(of_line(event.line), _first_words(event))

    def view(event: Event) -> Event | None:
        if holds(event) or (found and of_line(event.line) in shown.searched):
            return None
        told = event.record.exception is None and bool(event.matches)
        return replace(event, got_over=True) if told and shown.got_over(of_line(event.line)) else event

    others = [e for e in events if not holds(e) and of_line(e.line) not in shown.searched]
    found = not others or any(event.matches for event in others)  # else the search may have found their cause
    return events.seen_as(view)


def _first_words(event: Event) -> str:
    """Of the message as far as it stands on its line as it was written."""
    start = event.matches[0].start if event.matches else 0
    begin = event.record.text.rfind("\n", 0, start) + 1
    return event.record.text[begin : begin + _FIRST_WORDS].partition("\n")[0].rstrip()


def is_name(key: object) -> bool:
    """Whether a value has a name: one that a line end or a blank goes through was broken, and names nothing."""
    return not isinstance(key, str) or _BROKEN_NAME.search(key) is None


def _leaves(value: object) -> int:
    """Values in a value: a table that was cut says less than the whole one."""
    if isinstance(value, Mapping):
        return sum(_leaves(one) for key, one in value.items() if is_name(key)) + 1
    return sum(map(_leaves, value)) + 1 if isinstance(value, (list, tuple)) else 1


_WORD = late(r"[a-z]{2,}|\ba\b")
_VOCABULARIES: dict[str, frozenset[str]] = {}
"""One for every knowledge base that was asked for: making it takes longer than reading a paste."""


def vocabulary(knowledge: Knowledge) -> frozenset[str]:
    """Words of messages and of what is said about them, in small letters."""
    if knowledge.hash not in _VOCABULARIES:
        texts = [s.template for s in knowledge.signatures if s.template]
        for entry in knowledge.entries.values():
            texts += [entry.title.en, *(case.text.en for case in entry.cause)]
        _VOCABULARIES[knowledge.hash] = frozenset(_WORD.findall(" ".join(texts).lower()))
    return _VOCABULARIES[knowledge.hash]


def wording(signature: Signature, match: Match) -> int:
    """Characters of a signature that are the same in every message; of a pattern as far as they can be told."""
    if signature.template:
        return len(_PLACEHOLDER.sub("", signature.template))
    captured = sum(end - start for start, end in match.number_spans if match.start <= start and end <= match.end)
    told = len(_NO_WORDING.sub("", signature.pattern))
    return max(min(told, match.end - match.start - captured), *map(len, signature.literals), 0)


def _is_across(match: Match) -> bool:
    text = match.record.text
    ends = [match.end, *(end for _, end in match.number_spans)]  # a value can stand behind what is matched
    return any(match.start < p.start <= max(ends) and text[p.start - 1] != "\n" for p in match.record.pieces)


def in_rests(collected: Collected, rests: frozenset[int], of_line: OfLine = int) -> float:
    """Share of what was found that begins on lines that are only the rest of the line before: of many broken lines
    some begin as a line of a log does."""
    lines = {of_line(event.line) for event in collected.events} if rests else set()
    return len(lines & rests) / len(lines) if lines else 0.0


def moved(found: Diagnosis, of_line: OfLine, of_offset: OfOffset, info: InputInfo) -> Diagnosis:
    """A diagnosis of a repaired text with the lines and offsets of the input."""

    def finding(one: Finding) -> Finding:
        consequences = tuple(replace(echo, line=of_line(echo.line)) for echo in one.consequences)
        line, offset = one.line, one.offset
        if line:  # what the configuration says stands on none
            line, offset = of_offset(offset) if one.lines else (of_line(line), offset)

        def place(number: int) -> int:
            """Of a broken line the message may begin on its second part: that is its line wherever it is named."""
            return line if number == one.line else of_line(number)

        lines = tuple(dict.fromkeys(map(place, one.lines)))
        remedies = tuple(remedy.on_lines(place) for remedy in one.remedies)
        return replace(one, line=line, offset=offset, lines=lines, consequences=consequences, remedies=remedies)

    def unknown(one: Unknown) -> Unknown:
        line, offset = of_offset(one.offset)
        return replace(one, line=line, offset=offset)

    return replace(
        found,
        input=info,
        run=_context(found.run, of_line),
        findings=tuple(map(finding, found.findings)),
        notes=tuple(map(finding, found.notes)),
        unknown=tuple(map(unknown, found.unknown)),
    )


def _context(run: RunContext, of_line: OfLine) -> RunContext:
    def setting(one: Setting) -> Setting:
        return one if one.line is None else replace(one, line=of_line(one.line))

    def overruled(one: Overruled) -> Overruled:
        return replace(one, asked=setting(one.asked), in_force=setting(one.in_force))

    return replace(
        run,
        config={name: setting(value) for name, value in run.config.items()},
        overruled=tuple(map(overruled, run.overruled)),
    )
