"""Messages of several lines that lost the white space between two of their words along with the line end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from diagnose.knowledge.schema import Knowledge, Signature
from diagnose.late import late
from diagnose.matching.matcher import Literals, Matcher
from diagnose.model import Match, Record

MAX_GLUED_CHARS = 20_000
"""A longer record is matched as it stands: every signature is looked for by itself here."""
_BLANKS = late(r"(?<!\()\\s\+(?P<possessive>\+)?(?=[A-Za-z'\"`]|\\[^a-zA-Z]|\(\?P<)")
"""White space of a pattern between words. Not at the beginning of a group: repeated, it could match nothing."""


class GluedMatcher(Matcher):
    """As ``Matcher``, with the white space inside templates optional. For a text whose line ends are known to be lost:
    elsewhere words that run together are no message."""

    def __init__(self, knowledge: Knowledge, literals: Literals) -> None:
        super().__init__(knowledge, literals)
        self._strict = Matcher(knowledge, literals)

    def match(self, record: Record) -> tuple[Match, ...]:
        """As the strict matcher where it finds something; then only numbers are added to it."""
        found = self._strict.match(record)
        loose = super().match(record)
        if not found:
            return loose
        more = {match.entry: match for match in loose}
        return tuple(max(match, more.get(match.entry, match), key=lambda m: len(m.numbers)) for match in found)

    def _candidates(self, text: str) -> Sequence[int]:
        known = super()._candidates(text)
        if len(text) > MAX_GLUED_CHARS:
            return known
        squeezed = "".join(text.split())
        return sorted(
            {*known, *(index for literal, index in _squeezed(self._knowledge.literals) if literal in squeezed)}
        )

    def _pattern(self, index: int, signature: Signature) -> Any:
        if index not in self._patterns:
            import regex

            loose = _BLANKS.sub(lambda found: rf"\s*{found['possessive'] or ''}", signature.pattern)
            self._patterns[index] = regex.compile(loose)
        return self._patterns[index]


@lru_cache(maxsize=2)
def _squeezed(literals: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """Literals of more than one word without their blanks, and the signatures they stand in."""
    return tuple(("".join(text.split()), index) for text, index in literals if " " in text.strip())
