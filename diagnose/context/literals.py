"""Python values as they stand in a log: ``repr`` of a dict, ``k=v`` lists. Never evaluated."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping

from diagnose.model import Value

_OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}
_DEEPEST = 12
"""Levels that are opened; what lies deeper stays text."""
_QUOTES = ("'", '"')


def read_value(text: str, depth: int = 0) -> Value:
    """The value of one printed literal; text that is no literal (``torch.float16``, ``<Enum: 1>``) stays
    text.
    """
    text = text.strip()
    try:
        return _literal(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    if depth >= _DEEPEST:
        return text
    if text.startswith("{") and text.endswith("}"):
        return dict(_items(text, depth + 1))
    if text.startswith("[") and text.endswith("]"):
        return [read_value(part, depth + 1) for part in split_top(text[1:-1])]
    return text


def _literal(text: str) -> Value:
    with warnings.catch_warnings():  # ``1if``, or an unknown escape in a cut-off string, would warn on stderr
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def read_dict(text: str) -> Mapping[str, Value] | None:
    """The dict at the beginning of ``text`` (what follows its closing brace is ignored), or None.

    A dict cut off before its brace (a log collector's line limit) gives the complete items it still has.
    """
    text = text.strip()
    if not text.startswith("{"):
        return None
    end = closing(text, 0)
    body = text[: end + 1] if end is not None else _whole_items(text)
    value = read_value(body)
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else None


def read_pairs(text: str) -> Mapping[str, Value]:
    """``model='a', dtype=torch.float32, x={'a': 1}`` as a mapping; bare words stay text, ``None`` becomes
    None.
    """
    found: dict[str, Value] = {}
    for part in split_top(text):
        key, equals, value = part.partition("=")
        if equals and key.strip().isidentifier():
            found[key.strip()] = read_value(value)
    return found


def split_top(text: str, separator: str = ",") -> list[str]:
    """``text`` split at the separators that stand outside every bracket and quote; empty parts are left
    out.
    """
    parts, start = [], 0
    for index, char in _outside(text):
        if char == separator:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def closing(text: str, start: int) -> int | None:
    """Index of the bracket that closes the one at ``start``, or None when the text ends before it."""
    for index, char in _outside(text[start + 1 :]):
        if char == _OPEN[text[start]]:
            return start + 1 + index
    return None


def _items(text: str, depth: int) -> Iterator[tuple[str, Value]]:
    for part in split_top(text[1:-1]):
        cut = next((index for index, char in _outside(part) if char == ":"), None)
        if cut is not None:
            yield str(read_value(part[:cut], depth)), read_value(part[cut + 1 :], depth)


def _whole_items(text: str) -> str:
    """A dict without its end, closed after the last item that is followed by a comma."""
    last = max((index for index, char in _outside(text[1:]) if char == ","), default=-1)
    return text[: last + 1] + "}" if last >= 0 else "{}"


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """Characters outside quotes and brackets, with their index. A closing bracket without opener is reported.

    ``<`` opens a bracket only at the start of a value (``<Enum: 1>``), elsewhere it is a comparison sign.
    """
    stack: list[str] = []
    quote = ""
    skip = False
    before = ""
    for index, char in enumerate(text):
        if skip:
            skip = False
        elif quote:
            skip = char == "\\"
            quote = "" if char == quote else quote
        elif char in _QUOTES and not (before.isalnum() or (before in _QUOTES and before)):
            quote = char
        elif stack and char == stack[-1]:
            stack.pop()
        elif char in _OPEN and (char != "<" or not before or before in ":=,([{"):
            stack.append(_OPEN[char])
        elif not stack:
            yield index, char
        if not char.isspace():
            before = char
