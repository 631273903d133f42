"""Entries whose own example is what a site prints: for values no rendering guesses (versions, class names)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnose.authoring.coverage.message import Template
from diagnose.knowledge import Knowledge

LEAST_LETTERS = 16
"""Fixed letters a template needs before an example may stand for it."""
LONGEST_VALUE = 200


class Examples:
    """Every example of the knowledge base, white space single."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._texts = [
            (entry.id, " ".join(example.text.split()))
            for entry in knowledge.entries.values()
            for example in entry.examples
        ]

    def of(self, template: Template) -> Iterator[tuple[str, str]]:
        """(entry, example) of every example that holds a text ``template`` can print."""
        texts = [" ".join(part.split()) for part in template if isinstance(part, str)]
        if sum(c.isalpha() for text in texts for c in text) < LEAST_LETTERS:
            return
        longest = max(texts, key=len)
        pattern = re.compile(_pattern(template))
        for entry, text in self._texts:
            if longest in text and pattern.search(text):
                yield entry, text


def _pattern(template: Template) -> str:
    hole = f".{{0,{LONGEST_VALUE}}}?"
    parts = (re.sub(r"(?:\\\s|\s)+", r"\\s*", re.escape(p)) if isinstance(p, str) else hole for p in template)
    return "".join(parts)
