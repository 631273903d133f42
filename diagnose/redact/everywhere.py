"""Names of persons and machines that can be told from words: once known, they are looked for on every line."""

from __future__ import annotations

import re
from typing import Final

from diagnose.late import late
from diagnose.redact.boxes import is_telling
from diagnose.redact.public import is_nobody

OWNERS: Final = frozenset({"user", "host", "home"})
_NAME: Final = late(r"[A-Za-z](?:[\w.-]{0,100}\w)?")
_TELLS: Final = late(r"\d|\w[.-]\w")
_NOT_BEFORE: Final = frozenset("-_/.")
_NOT_BEHIND: Final = frozenset("-_/(=")
_PERSON: Final = late(r"[A-Za-z_][A-Za-z_]{2,31}")


def is_known_by(kind: str, name: str) -> bool:
    """Whether ``name`` can be told: with a digit, a dot or a hyphen, and none of the software or of every system."""
    if not _NAME.fullmatch(name) or not _TELLS.search(name):
        return False
    return is_telling(name) if kind == "host" else not is_nobody(name)


def is_person(kind: str, name: str) -> bool:
    """Whether ``name`` is somebody's that could be a word as well: it is one only where a sign says so."""
    return kind != "host" and _PERSON.fullmatch(name) is not None and not is_nobody(name)


def stands_alone(name: str, start: int, text: str) -> bool:
    """Whether ``name`` at ``start`` is no part of a longer name, a path or a parameter: of a model's, say."""
    before, behind = text[start - 1 : start], text[start + len(name) : start + len(name) + 2]
    return before not in _NOT_BEFORE and behind[:1] not in _NOT_BEHIND and not re.match(r"\.\w", behind)


def has_sign(name: str, start: int, text: str) -> bool:
    """Whether ``name`` at ``start`` is a person by the sign at it: ``~kim``, ``kim@host``."""
    end = start + len(name)
    if text[start - 1 : start] == "~":
        return not re.match(r"\w", text[end : end + 1])
    return text[end : end + 1] == "@" and not re.match(r"[\w.+-]", text[start - 1 : start])
