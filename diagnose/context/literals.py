"""Python values as they stand in a log: ``repr`` of a dict, ``k=v`` lists. Never evaluated."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping

from diagnose.late import late
from diagnose.model import Value

_OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}
_DEEPEST = 12
"""Levels that are opened; what lies deeper stays text."""
_QUOTES = ("'", '"')
_BROKEN = late(r"(?<=\d)\n(?=\d)")
"""Where a terminal broke a number: nothing else puts a line end between two digits."""
_GROUP = late(r"\d+")
_SEPARATED = late(r"[:=]\s*[-+]?\d{1,3}(?:,\d{3})+\Z")
_WITHOUT_COMMA = late(r"\s*[\w.+-]+[ \t\r]*\n\s*(?P<rest>[\"'][\w.]+[\"']\s*:.*)", re.DOTALL)
"""A value without its comma before the next key: the rest of it was on a line that is not here."""
_LOST = object()
"""The value of a number of which only a part can be told."""


def read_value(text: str) -> Value:
    """The value of one printed literal; text that is no literal (``torch.float16``, ``<Enum: 1>``) stays
    text.

    A number that was broken in two is whole again, and one with separators (``40,960``) is one number. An item whose
    number cannot be told is left out.
    """
    return _without_lost(_value(text, 0))


def reads_whole(text: str) -> bool:
    """Whether ``read_dict`` leaves out no item of the dict at the beginning of ``text``."""
    return not _has_lost(_value(_body(text.strip()), 0))


def _without_lost(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _without_lost(item) for key, item in value.items() if item is not _LOST}
    return [_without_lost(item) for item in value] if isinstance(value, list) else value


def _has_lost(value: Value) -> bool:
    if isinstance(value, dict):
        return any(map(_has_lost, value.values()))
    return any(map(_has_lost, value)) if isinstance(value, list) else value is _LOST


def _value(text: str, depth: int) -> Value:
    text = text.strip()
    try:
        return _literal(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    if (whole := _BROKEN.sub("", text)) != text:
        return _value(whole, depth)
    if depth >= _DEEPEST:
        return text
    if text.startswith("{") and text.endswith("}"):
        return dict(_items(text, depth + 1))
    if text.startswith("[") and text.endswith("]"):
        return [_value(part, depth + 1) for part in split_top(text[1:-1])]
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
    value = read_value(_body(text))
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else None


def read_pairs(text: str) -> Mapping[str, Value]:
    """``model='a', dtype=torch.float32, x={'a': 1}`` as a mapping; bare words stay text, ``None`` becomes
    None.
    """
    found: dict[str, Value] = {}
    for part, lost in _parts(text):
        key, equals, value = part.partition("=")
        if equals and not lost and key.strip().isidentifier():
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
    for part, lost in _parts(text[1:-1]):
        cut = next((index for index, char in _outside(part) if char == ":"), None)
        if cut is None:
            continue
        broken = _WITHOUT_COMMA.fullmatch(part, cut + 1)
        yield str(_value(part[:cut], depth)), _LOST if lost or broken else _value(part[cut + 1 :], depth)
        if broken is not None and depth < _DEEPEST:
            yield from _items(f"{{{broken['rest']}}}", depth + 1)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Items of a printed mapping, and whether the number at the end of one cannot be told: digits behind a comma are
    no item of their own."""
    parts = split_top(text)
    index = 0
    while index < len(parts):
        part = parts[index]
        end = index + 1
        while end < len(parts) and _GROUP.fullmatch(parts[end]):
            end += 1
        whole = ",".join(parts[index:end])
        index = end
        number = _SEPARATED.search(whole)
        if number is not None and whole != part:
            yield whole[: number.start()] + number[0].replace(",", ""), False
        else:
            yield part, whole != part


def _body(text: str) -> str:
    """The dict at the beginning of ``text``, closed where it was cut off."""
    end = closing(text, 0) if text.startswith("{") else None
    return text[: end + 1] if end is not None else _whole_items(text)


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
