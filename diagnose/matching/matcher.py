"""The matcher: literals first, then the pattern, with a time limit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from diagnose.knowledge.schema import Knowledge, Signature
from diagnose.knowledge.values import convert
from diagnose.late import late
from diagnose.matching.places import begins, may_match, searched_text
from diagnose.model import Match, Record, Value

MATCH_LIMIT_S = 0.25
"""A pattern that has not matched a record by then has not matched."""
RECORD_LIMIT_S = 1.0
"""The same for all patterns together. No signature that passes ``kb lint`` comes near either."""
MAX_TRIES = 64
"""Places of one record at which one signature is tried: a message is told, not repeated, in one record."""


class Literals(Protocol):
    """The part of a scan engine the matcher needs."""

    def which(self, text: bytes) -> set[int]: ...


class Matcher:
    """Finds the entries a record speaks of.

    ``literals`` must have been made over ``knowledge.literals`` first, in order; further literals may follow.
    """

    def __init__(self, knowledge: Knowledge, literals: Literals) -> None:
        self._knowledge = knowledge
        self._literals = literals
        self._patterns: dict[int, Any] = {}
        self._unquoted: Matcher | None = None

    @property
    def unquoted(self) -> Matcher:
        """The one for messages whose names lost their quotes; made when it is first asked for."""
        if self._unquoted is None:
            from diagnose.matching.unquoted import UnquotedMatcher

            self._unquoted = UnquotedMatcher(self._knowledge, self._literals)
        return self._unquoted

    def match(self, record: Record) -> tuple[Match, ...]:
        """One match per entry found in ``record``, in the order they stand in its text."""
        found: dict[str, Match] = {}
        text = searched_text(record)
        deadline = _Deadline(RECORD_LIMIT_S)
        for index in self._candidates(text):
            signature = self._knowledge.signatures[index]
            if not may_match(signature, record):
                continue
            match = self._try(index, signature, record, text, deadline)
            if match is not None:
                found[match.entry] = _joined(found.get(match.entry), match)
        return tuple(sorted(found.values(), key=lambda m: (m.start, -m.end)))

    def _candidates(self, text: str) -> Sequence[int]:
        """Signatures with a literal in the text, white space single as in the literals."""
        flat = " ".join(text.split())
        count = len(self._knowledge.literals)
        hits = self._literals.which(flat.encode("utf-8", "replace"))
        return sorted({self._knowledge.literals[i][1] for i in hits if i < count})

    def _try(self, index: int, signature: Signature, record: Record, text: str, deadline: _Deadline) -> Match | None:
        limit = deadline.within(MATCH_LIMIT_S)
        position = 0
        for _ in range(MAX_TRIES):
            left = limit.left_s()
            if left <= 0 or position > len(text):  # behind the end a pattern of no width is found again and again
                return None
            try:
                found = self._pattern(index, signature).search(text, position, timeout=left)
            except TimeoutError:
                return None
            if found is None:
                return None
            if begins(record, found.start(), found.end(), signature):
                return _match(signature, record, found)
            position = found.start() + 1
        return None

    def _pattern(self, index: int, signature: Signature) -> Any:
        if index not in self._patterns:
            import regex

            self._patterns[index] = regex.compile(signature.pattern)
        return self._patterns[index]


class _Deadline:
    """A point in processor time: a busy machine must not change a diagnosis."""

    __slots__ = ("_at",)

    def __init__(self, in_s: float) -> None:
        self._at = time.process_time() + in_s

    def within(self, in_s: float) -> _Deadline:
        """The earlier of this one and the one in ``in_s`` seconds."""
        sooner = _Deadline(in_s)
        sooner._at = min(sooner._at, self._at)
        return sooner

    def left_s(self) -> float:
        return self._at - time.process_time()


_COUNTED = frozenset({"int", "float", "bytes", "ints", "shape"})
_CUT = late(r"(?:\.{3}|…)(?:\s|$)|\n\d[\d,]*(?:[.,;)\]\s]|$)|=\r?\n\d")
"""How pytest's summary and viewers end a line they shortened, in mid number as well, and how one goes on that was
broken in mid number."""


def _match(signature: Signature, record: Record, found: Any) -> Match:
    numbers: dict[str, Value] = {}
    spans: list[tuple[int, int]] = []
    for name, text in found.groupdict().items():
        if text is None:
            continue
        type_ = signature.types.get(name, "word")
        if type_ in _COUNTED and _CUT.match(record.text, found.end(name)):
            continue  # half a number is none
        numbers[name] = convert(type_, text)
        spans.append(found.span(name))
    return Match(
        entry=signature.entry,
        signature=signature.index,
        record=record,
        start=found.start(),
        end=found.end(),
        numbers=numbers,
        number_spans=tuple(sorted(spans)),
    )


def _joined(first: Match | None, second: Match) -> Match:
    """Two wordings of one entry in one record are one match with the numbers of both."""
    if first is None:
        return second
    lead, other = sorted((first, second), key=lambda m: (-len(m.numbers), m.start))
    numbers: Mapping[str, Value] = {**other.numbers, **lead.numbers}
    return Match(
        entry=lead.entry,
        signature=lead.signature,
        record=lead.record,
        start=min(first.start, second.start),
        end=max(first.end, second.end),
        numbers=numbers,
        number_spans=tuple(sorted({*first.number_spans, *second.number_spans})),
    )
