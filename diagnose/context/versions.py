"""Versions: banners, pins between the packages, and what the file numbers and dates of a record give away.

Sources: requirements of the vllm-rbln releases (pins); ``Initializing a V1 LLM engine`` in
``v1/engine/core.py`` of vLLM 0.9.1 – 0.30.0 and ``non-default args`` (line numbers); the plugin's logging
configuration by release (date form).
"""

from __future__ import annotations

import re

from diagnose.late import late
from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Releases ``first`` to ``last``, both included."""

    first: str
    last: str


PINS: dict[str, Span] = {
    "0.9.1": Span("0.8.1", "0.9.1"),
    "0.10.2": Span("0.9.2", "0.10.0"),
    "0.13.0": Span("0.10.1", "0.10.2"),
    "0.18.0": Span("0.10.3", "0.10.5"),
    "0.22.0": Span("0.11.0", "0.11.1"),
    "0.30.0": Span("0.12.0", "0.12.0"),
}
"""vLLM release → the vllm-rbln releases that require it."""

FILE_NUMBERS: dict[tuple[str, str], str] = {
    ("core.py:70", "Initializing a V1 LLM engine"): "0.9.1",
    ("core.py:76", "Initializing a V1 LLM engine"): "0.10.2",
    ("core.py:94", "Initializing a V1 LLM engine"): "0.13.0",
    ("core.py:104", "Initializing a V1 LLM engine"): "0.18.0",
    ("core.py:113", "Initializing a V1 LLM engine"): "0.22.0",
    ("core.py:124", "Initializing a V1 LLM engine"): "0.30.0",
    ("cli_args.py:309", "non-default args"): "0.9.1",
    ("utils.py:328", "non-default args"): "0.10.2",
    ("utils.py:253", "non-default args"): "0.13.0",
    ("utils.py:233", "non-default args"): "0.18.0",
    ("utils.py:278", "non-default args"): "0.22.0",
    ("api_utils.py:286", "non-default args"): "0.30.0",
    ("core.py:1366", "EngineCore failed to start."): "0.30.0",
}
"""(file and line of a record, beginning of its message) → vLLM release."""

_YEAR = late(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}$")


def pinned(vllm: str) -> Span | None:
    """The vllm-rbln releases made for a vLLM version (``0.30.0+cpu`` counts as ``0.30.0``)."""
    return PINS.get(base(vllm))


_PLACES = frozenset(place for place, _ in FILE_NUMBERS)


def by_file_number(place: str, message: str) -> str | None:
    """The vLLM release that prints this message at this ``file.py:line`` (base name), or None."""
    if place not in _PLACES:
        return None
    return next(
        (v for (where, begin), v in FILE_NUMBERS.items() if where == place and message.startswith(begin)),
        None,
    )


def by_plugin_dates(time: str | None) -> Span | None:
    """Releases whose tagged records carry this form of date; None when the form does not decide.

    Tagged records have year and milliseconds from 0.9.4 to 0.11.x only; 0.8.1 – 0.9.3 and 0.12 share the
    short form.
    """
    return Span("0.9.4", "0.11.1") if time and _YEAR.match(time) else None


def base(version: str) -> str:
    """``0.30.0+cpu`` → ``0.30.0``; ``0.10.1.post2`` stays."""
    return version.partition("+")[0].strip()


def release(version: str) -> tuple[int, ...]:
    """Numbers of a version for comparison: ``0.11.0.post1`` → (0, 11, 0). Empty when there is none."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", version.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def before(version: str, other: str) -> bool:
    """True when ``version`` is an earlier release than ``other`` (numbers only)."""
    return release(version) < release(other)


def overlap(left: Span, right: Span) -> Span | None:
    """The releases in both spans, or None."""
    first = max(left.first, right.first, key=release)
    last = min(left.last, right.last, key=release)
    return None if before(last, first) else Span(first, last)
