"""Fills ``{name}`` in the texts of an entry with the numbers of the message and the configuration in
force."""

from __future__ import annotations

import re
from collections.abc import Callable

from diagnose.late import late
from diagnose.model import Lang, Text, Value
from diagnose.remedies.environment import Environment
from diagnose.remedies.memory.kv import GIB

MISSING = Text("(not in the log)", "(로그에 없음)")

_PLACEHOLDER = late(r"\{([A-Za-z_][\w.]*)(?::([^{}\"' ]*))?\}")


def fill(text: Text, env: Environment) -> Text:
    """Both languages with the values put in; a name nobody knows becomes ``(not in the log)``.

    ``{name}``, ``{visual.max_seq_len}``, ``{name:,}`` (thousands), ``{name:gib}`` (bytes as GiB). Any other
    brace stays, so JSON in a text needs no escapes.
    """
    return Text(_fill(text.en, env.get, "en"), _fill(text.ko, env.get, "ko"))


def fill_command(command: str, env: Environment) -> str:
    """A command with its placeholders filled; a name nobody knows becomes ``<name>``."""

    def put(found: re.Match[str]) -> str:
        value = env.get(found[1])
        return f"<{found[1]}>" if value is None else _shown(value, found[2] or "")

    return _PLACEHOLDER.sub(put, command)


def _fill(text: str, find: Callable[[str], Value], lang: Lang) -> str:
    def put(found: re.Match[str]) -> str:
        value = find(found[1])
        return MISSING.in_(lang) if value is None else _shown(value, found[2] or "")

    return _PLACEHOLDER.sub(put, text)


def _shown(value: Value, spec: str) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and spec:
        if spec == "gib":
            return f"{value / GIB:.2f} GiB"
        try:
            return format(value, spec)
        except ValueError:
            return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_shown(v, spec) for v in value) + "]"
    return str(value)
