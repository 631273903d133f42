"""The lines of a log, and the times that programs put before them."""

from __future__ import annotations

from collections.abc import Callable

_SECONDS = 8 * 3600 + 7 * 60 + 35
"""Of the day, when the log begins."""


def lines_of(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def per_line(text: str, change: Callable[[int, str], str]) -> str:
    """``text`` with every line as ``change`` makes it of its number, from 1, and itself."""
    return "".join(change(number, line) + "\n" for number, line in enumerate(lines_of(text), 1))


def clock(number: int, digits: int = 0) -> str:
    """Time of day of a line, with so many digits of a second."""
    at = _SECONDS + number // 7
    fraction = f".{number * 1_234_567 % 10**9:09d}"[: digits + 1] if digits else ""
    return f"{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}{fraction}"


def stamp(number: int, digits: int = 9) -> str:
    """The same with its day."""
    return f"2026-11-29T{clock(number, digits)}Z"
