"""Values as text: Python literals, shell words, JSON for a shell."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping

from diagnose.model import Value


def python(value: Value) -> str:
    """A Python literal; integers from 1,000 on are grouped (``262_144``)."""
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return f"{value:_}"
    if isinstance(value, float):
        # A configuration has no infinity of its own; the call keeps the snippet valid Python.
        return repr(value) if value - value == 0 else f'float("{value!r}")'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(python(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(str(k))}: {python(v)}" for k, v in value.items()) + "}"
    return quoted(str(value))


def quoted(text: str) -> str:
    """A Python string in double quotes."""
    return json.dumps(text)


def json_word(value: Value) -> str:
    """JSON as one shell word, in single quotes."""
    return shlex.quote(json.dumps(value, ensure_ascii=False))


def word(value: Value) -> str:
    """One value of a command line: numbers plain, lists and dicts as JSON, text quoted where it must be."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, Mapping)):
        return json_word(value)
    return shlex.quote(str(value))
