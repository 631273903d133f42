"""Captured text to values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from diagnose.model import Value

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}
_BYTES = re.compile(r"(-?[\d,_]+(?:\.\d+)?)\s*([KMGTP])?i?(?:B|[Bb]ytes?|바이트)?\s*$")


def to_int(text: str) -> int:
    return int(text.replace(",", "").replace("_", ""))


def to_bytes(text: str) -> int:
    """Bytes. ``GB`` is read as 2**30: optimum-rbln and vllm-rbln print binary sizes under both names
    (optimum-rbln 0.12.0 ``utils/runtime_utils.py``, ``format_byte_size``)."""
    found = _BYTES.match(text.strip())
    if found is None:
        raise ValueError(f"not a byte size: {text!r}")
    number = found.group(1).replace(",", "").replace("_", "")
    scale = _UNITS[found.group(2) or ""]
    return int(float(number) * scale) if "." in number else int(number) * scale


def to_ints(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", text)]


CONVERT: Mapping[str, Callable[[str], Value]] = {
    "int": to_int,
    "float": float,
    "bytes": to_bytes,
    "ints": to_ints,
    "shape": to_ints,
    "word": str,
    "quoted": lambda text: text[1:-1],
    "rest": str.strip,
}


def convert(type_: str, text: str) -> Value:
    """Value of a captured text; the text itself where it cannot be read as its type."""
    try:
        return CONVERT[type_](text)
    except (ValueError, KeyError, OverflowError):
        return text
