"""Signature templates: from the text of a message to a ``regex`` pattern, its types and its literals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from diagnose.light import dataclass

ALIAS = r"<[a-z][a-z-]{1,20}(?:-\d{1,6})?>"
"""What stands where a secret was, in a log that was redacted before (``diagnose.redact``)."""
MAX_TEMPLATE_CHARS = 600
"""The longest template has 220. The ``regex`` module prepares its search for a fixed text in time that grows with the
cube of its length, which no time limit ends."""
LONGEST_WORD = 400
"""Characters of a ``word``; a path has up to 300."""
LONGEST_SKIP = 2_000
"""Characters that ``{*}``, and a ``rest`` with text behind it, may stand for."""

INT = r"-?\d+(?:[,_]\d{3}(?!\d)){0,13}"
_WORD_CHARACTER = r"[^\s'\"`()\[\]{}<>,;]"
_WORD = rf"(?:{_WORD_CHARACTER}|{ALIAS})"
_INTS = r"\s*+-?\d++(?:\s*+,\s*+-?\d++)*+\s*+,?\s*+"
TYPES: Mapping[str, str] = {
    "int": INT,
    "float": r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?",
    "bytes": INT + r"(?:\.\d+)?(?:\s*+(?:[KMGTP]i?B|[Bb]ytes?|바이트|B))?",
    "ints": rf"[\[(](?:{_INTS}|\s*+)[\])]",
    "shape": rf"(?:torch\.Size\()?[\[(]{_INTS}[\])]\)?",
    "word": rf"{_WORD}{{1,{LONGEST_WORD}}}",
    "quoted": r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`",
    "rest": r"[^\n]*",
}
"""Placeholder type → pattern. Thousands separators are commas or underscores.

No two repetitions that stand side by side take the same characters, or a long run of them would cost the square of its
length; where they must, the first is possessive.
"""

_NO_DIGIT_BEFORE = r"(?<!\d)(?!(?<=\d[,_])\d{3}(?!\d))"
AT_FIRST: Mapping[str, str] = {
    "int": _NO_DIGIT_BEFORE,
    "float": _NO_DIGIT_BEFORE,
    "bytes": _NO_DIGIT_BEFORE,
    "word": rf"(?<!{_WORD_CHARACTER})",
    "rest": r"(?<![^\n])",
}
"""In front of a placeholder a template begins with: the leftmost match begins there anyway, and no other place of a
long word has to be tried."""

NUMBERS = ("int", "float", "bytes")

SKIP = rf"(?s:.{{0,{LONGEST_SKIP}}}?)"
"""``{*}``: anything, over lines, but not without end."""
REST_INSIDE = rf"[^\n]{{0,{LONGEST_SKIP}}}"
"""A ``rest`` with text behind it."""
TELLING = 6
"""A run of so many characters tells where the message begins anew."""

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
    if len(template) > MAX_TEMPLATE_CHARS:
        raise TemplateError(f"longer than {MAX_TEMPLATE_CHARS} characters; take the part that tells it from others")
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
            parts.append(_but(runs, SKIP, "."))
            runs.append("")
        else:
            if type_ == "rest" and parts and parts[-1].startswith("(?s:"):
                raise TemplateError(f"{text} right behind {{*}}: both stand for anything; leave one of them out")
            # Behind a skip every digit of a long number would be a place to begin.
            first = not parts or (parts[-1].startswith("(?s:") and type_ in NUMBERS)
            last = not template[position:].strip()
            made = _placeholder(name, type_ or "word", types, first=first, last=last)
            if REST_INSIDE in made:
                made = _but(runs, made, r"[^\n]")
            elif TYPES["word"] in made and runs[-1] and not runs[-1][-1].isspace():
                made = _but(runs, made, _WORD)
            parts.append(made)
            runs.append("")
    _literal(template[position:], parts, runs)
    return Compiled("".join(parts), types, pick_literals(runs))


def _placeholder(name: str, type_: str, types: dict[str, str], *, first: bool, last: bool) -> str:
    if type_ not in TYPES:
        raise TemplateError(f"unknown type {type_!r}; one of {', '.join(TYPES)}")
    if name in types:
        raise TemplateError(f"placeholder {name!r} stands twice")
    types[name] = type_
    pattern = REST_INSIDE if type_ == "rest" and not last else TYPES[type_]
    return f"{AT_FIRST.get(type_, '') if first else ''}(?P<{name}>{pattern})"


def _but(runs: Sequence[str], pattern: str, one: str) -> str:
    """``pattern`` without the text in front of it standing in it once more.

    A message that begins over and over and never ends would else be looked through from each of its beginnings.
    """
    before = [run.strip() for run in runs if run.strip()]
    if not before:
        return pattern
    lead = next((run for run in reversed(before) if len(run) >= TELLING), max(before, key=len))
    again = r"\s+".join(re.escape(word) for word in lead.split())
    return pattern.replace(f"{one}{{", f"(?:(?!{again}){one}){{")


def _literal(text: str, parts: list[str], runs: list[str]) -> None:
    if not text:
        return
    for piece in re.split(r"(\s+)", text):
        if piece.isspace():
            # Behind a placeholder that may hold blanks itself, only where the blanks begin.
            begins = r"(?<!\s)" if parts and not runs[-1] else ""
            parts.append(rf"{begins}\s++")
            runs[-1] += piece
        elif piece:
            parts.append(re.escape(piece))
            runs[-1] += piece


def pick_literals(runs: list[str]) -> tuple[str, ...]:
    """The longest run that stands in every match, single-spaced; in two halves when it is long.

    A run is cut where the template has more than one white-space character, or another one than a blank: the
    prefilter also sees text whose white space is as it was printed.
    """
    pieces = [p for run in runs for p in re.split(r"\s{2,}|[^\S ]", run.strip())]
    best = max((p.strip() for p in pieces), key=len, default="")
    if len(best) < 6:
        raise TemplateError("no run of at least 6 characters that is in every match")
    if len(best) <= SPLIT_LITERAL_AT:
        return (best,)
    middle = best.find(" ", len(best) // 2)
    if middle < 0 or len(best) - middle < 12:
        return (best,)
    return (best[:middle], best[middle + 1 :])
