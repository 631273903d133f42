"""Signature templates: from the text of a message to a ``regex`` pattern, its types and its literals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

ALIAS = r"<[a-z][a-z-]{1,20}(?:-\d{1,6})?>"
"""What stands where a secret was, in a log that was redacted before (``diagnose.redact``)."""
INT = r"-?\d+(?:[,_]\d{3}(?!\d))*"
TYPES: Mapping[str, str] = {
    "int": INT,
    "float": r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?",
    "bytes": INT + r"(?:\.\d+)?\s*(?:[KMGTP]i?B|[Bb]ytes?|바이트|B)?",
    "ints": r"[\[(]\s*(?:-?\d+(?:\s*,\s*-?\d+)*\s*,?\s*)?[\])]",
    "shape": r"(?:torch\.Size\()?[\[(]\s*-?\d+(?:\s*,\s*-?\d+)*\s*,?\s*[\])]\)?",
    "word": rf"(?:[^\s'\"`()\[\]{{}}<>,;]|{ALIAS})+",
    "quoted": r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`",
    "rest": r"[^\n]*",
}
"""Placeholder type → pattern. Thousands separators are commas or underscores."""

SKIP = r"(?s:.{0,2000}?)"
"""``{*}``: anything, over lines, but not without end."""

SPLIT_LITERAL_AT = 44
"""A longer literal run is given to the prefilter in two halves, so that one line break cannot hide both."""

_TOKEN = re.compile(r"\{\{|\}\}|\{(\*|[a-z_][a-z0-9_]*)(?::([a-z]+))?\}|[{}]")


class TemplateError(ValueError):
    """A template that cannot be compiled; the message says why."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A template ready for matching."""

    pattern: str
    types: Mapping[str, str]
    literals: tuple[str, ...]


def compile_template(template: str) -> Compiled:
    """Pattern, placeholder types and prefilter literals of ``template``.

    Raises TemplateError for an unknown type, a stray brace, a placeholder used twice, or no usable literal.
    """
    parts: list[str] = []
    runs: list[str] = [""]
    types: dict[str, str] = {}
    position = 0
    for token in _TOKEN.finditer(template):
        _literal(template[position : token.start()], parts, runs)
        position = token.end()
        text, name, type_ = token.group(0), token.group(1), token.group(2)
        if text in ("{{", "}}"):
            _literal(text[0], parts, runs)
        elif name is None:
            raise TemplateError(f"stray {text!r}; write {text * 2} for a brace")
        elif name == "*":
            parts.append(SKIP)
            runs.append("")
        else:
            parts.append(_placeholder(name, type_ or "word", types))
            runs.append("")
    _literal(template[position:], parts, runs)
    return Compiled("".join(parts), types, pick_literals(runs))


def _placeholder(name: str, type_: str, types: dict[str, str]) -> str:
    if type_ not in TYPES:
        raise TemplateError(f"unknown type {type_!r}; one of {', '.join(TYPES)}")
    if name in types:
        raise TemplateError(f"placeholder {name!r} stands twice")
    types[name] = type_
    return f"(?P<{name}>{TYPES[type_]})"


def _literal(text: str, parts: list[str], runs: list[str]) -> None:
    if not text:
        return
    parts.extend(r"\s+" if piece.isspace() else re.escape(piece) for piece in re.split(r"(\s+)", text) if piece)
    runs[-1] += text


def pick_literals(runs: list[str]) -> tuple[str, ...]:
    """The longest run that stands in every match, single-spaced; in two halves when it is long.

    A run is cut where the template has more than one white-space character: the prefilter also sees text whose
    white space is as it was printed.
    """
    pieces = [p for run in runs for p in re.split(r"\s{2,}|[\n\t]", run.strip())]
    best = max((p.strip() for p in pieces), key=len, default="")
    if len(best) < 6:
        raise TemplateError("no run of at least 6 characters that is in every match")
    if len(best) <= SPLIT_LITERAL_AT:
        return (best,)
    middle = best.find(" ", len(best) // 2)
    if middle < 0 or len(best) - middle < 12:
        return (best,)
    return (best[:middle], best[middle + 1 :])
