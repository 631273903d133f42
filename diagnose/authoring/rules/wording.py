"""Ids and texts: Korean and English say the same, with names that exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from diagnose.authoring.rules.entry_texts import GIVEN, LEFT_OUT, OVERRULED, captured, names, texts
from diagnose.knowledge import Entry, Knowledge

_PLACEHOLDER = re.compile(r"\{([a-z_][\w.]*)[^{}]*\}")
_CODE = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_DRAFT = re.compile(r"\A<.*>\Z", re.DOTALL)


def ids(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """``family.what-it-is``."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+", entry.id):
        yield f"id {entry.id!r} is not of the form family.what-it-is"


def parity(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Korean and English name the same placeholders, the same code and the same numbers."""
    for what, text in texts(entry):
        for kind, pattern in (("placeholders", _PLACEHOLDER), ("code", _CODE)):
            en, ko = (sorted(set(pattern.findall(t))) for t in (text.en, text.ko))
            if en != ko:
                yield f"{what}: {kind} differ between en {en} and ko {ko}"
        # A number one language spells out ("one step") may be a digit in the other; above ten nobody does.
        en_numbers, ko_numbers = (_large_numbers(t) for t in (text.en, text.ko))
        if en_numbers != ko_numbers:
            yield f"{what}: numbers differ between en {sorted(en_numbers)} and ko {sorted(ko_numbers)}"


def _large_numbers(text: str) -> set[str]:
    bare = _PLACEHOLDER.sub("", text)
    found = Counter(n.replace(",", "") for n in _NUMBER.findall(bare))
    return {n for n in found if "." in n or int(n) > 10}


def placeholders(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """Every placeholder of a text is a captured number or a name of the configuration."""
    known = captured(entry) | names(knowledge) | OVERRULED | GIVEN | LEFT_OUT
    for what, text in texts(entry):
        for name in sorted({*_PLACEHOLDER.findall(text.en), *_PLACEHOLDER.findall(text.ko)} - known):
            yield f"{what}: {{{name}}} is neither captured nor a name of the configuration"


def drafts(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    """A text that ``kb new`` left to be written."""
    for what, text in texts(entry):
        if _DRAFT.match(text.en) or _DRAFT.match(text.ko):
            yield f"{what}: still the text of the draft; write it"
