"""Messages whose names lost their quotes on the way: Markdown and chats take backticks for a sign of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from diagnose.knowledge.schema import Signature
from diagnose.knowledge.templates import compile_template
from diagnose.late import late
from diagnose.matching.matcher import Matcher

QUOTES = "`'\"‘’“”"
MAX_CHARS = 20_000
"""A longer record is matched as it stands: no message has as many."""
_NO_QUOTES = dict.fromkeys(map(ord, QUOTES))
_MARK = "\ue000"
"""Stands for a quote while a template is compiled; no message holds it."""
_QUOTE = rf"(?:[{QUOTES}]|(?<![\w.-])|(?!\w))"
"""A quote, or where none is the place between a name and what is none: no quote stands in mid name."""
_OF_PATTERN = late(rf"(?P<other>\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|[{QUOTES}](?![?*+{{])")
"""Quotes of a pattern that was written by hand, not those in a set of characters and repeated ones."""
_UP_TO_QUOTE = late(rf"\[\^[^\]]*[{QUOTES}]")
"""What ends at a quote would not end without it."""
_AS_MARK = dict.fromkeys(map(ord, QUOTES), _MARK)


class UnquotedMatcher(Matcher):
    """As ``Matcher``, with other quotes than those of a template, or none. For errors that no entry knows as they
    stand: it takes another pattern of every signature that comes into question."""

    def _candidates(self, text: str) -> Sequence[int]:
        known = super()._candidates(text)
        if len(text) > MAX_CHARS:
            return known
        bare = _bare(text)
        return sorted({*known, *(index for literal, index in _unquoted(self._knowledge.literals) if literal in bare)})

    def _pattern(self, index: int, signature: Signature) -> Any:
        if index not in self._patterns:
            signature = replace(signature, pattern=_loose(signature))
        return super()._pattern(index, signature)


def _loose(signature: Signature) -> str:
    """The pattern of ``signature`` with any quote, or none, for each of its own."""
    if signature.template:
        return compile_template(signature.template.translate(_AS_MARK)).pattern.replace(_MARK, _QUOTE)
    if _UP_TO_QUOTE.search(signature.pattern) is not None:
        return signature.pattern
    return _OF_PATTERN.sub(lambda found: found["other"] or _QUOTE, signature.pattern)


@lru_cache(maxsize=2)
def _unquoted(literals: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """Literals with quotes, without them, and the signatures they stand in."""
    return tuple((_bare(text), index) for text, index in literals if not _NO_QUOTES.keys().isdisjoint(map(ord, text)))


def _bare(text: str) -> str:
    return " ".join(text.translate(_NO_QUOTES).split())
