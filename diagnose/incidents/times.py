"""Points in time as the store keeps them: ISO 8601, UTC, of one width, so that they sort as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Final

from diagnose.model import InputError, Text

Clock = Callable[[], float]
"""Seconds since 1970 (``time.time``)."""

FOREVER: Final = "9999-12-31T23:59:59.999Z"
_SPAN: Final = re.compile(r"(\d+)\s*(s|m|h|d|w)", re.IGNORECASE)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_LATEST_S: Final = 253_402_300_799.999
"""The end of the year 9999, the last one ``datetime`` has."""


def iso(seconds: float) -> str:
    """``2026-11-29T14:35:22.123Z``; times outside the years 1970 to 9999 become the nearest inside."""
    # Milliseconds are counted first: isoformat cuts, and a clock's 0.123 may be stored as 0.12299….
    whole = timedelta(milliseconds=round(min(max(seconds, 0.0), _LATEST_S) * 1_000))
    at = datetime(1970, 1, 1, tzinfo=timezone.utc) + whole
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(at: str) -> float:
    """Seconds since 1970 of what ``iso`` gave."""
    return datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()


def parse_span(text: str) -> float | None:
    """Seconds of ``90d``, ``12h``, ``30m``, ``2w``; None for anything else."""
    found = _SPAN.fullmatch(text.strip())
    return None if found is None else float(found.group(1)) * _SECONDS[found.group(2).lower()]


def span(text: str, option: str) -> float:
    """Seconds of ``text``. Raises InputError."""
    seconds = parse_span(text)
    if seconds is None:
        raise InputError(
            Text(
                f"{option} {text!r} is not a span of time; write it as 90d, 12h or 30m",
                f"{option} 값이 기간이 아닙니다: {text!r}. 90d, 12h, 30m처럼 쓰세요",
            )
        )
    return seconds


def moment(text: str, option: str, *, now: float, ahead: bool = False) -> str:
    """A point in time as the store keeps it: an ISO date or time (local when it names no zone), or a span back from
    ``now`` (with ``ahead`` forward). Raises InputError."""
    seconds = parse_span(text)
    if seconds is not None:
        return iso(now + seconds if ahead else now - seconds)
    try:
        # Python 3.10 does not read the Z.
        return iso(datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text.strip())).timestamp())
    except (ValueError, OverflowError, OSError):
        raise InputError(
            Text(
                f"{option} {text!r} is no date; write it as 2026-11-29, 2026-11-29T14:00 or 7d",
                f"{option} 값이 날짜가 아닙니다: {text!r}. 2026-11-29, 2026-11-29T14:00, 7d처럼 쓰세요",
            )
        ) from None


def readable(at: str) -> str:
    """``2026-11-29 14:35 UTC``."""
    return at if len(at) < 16 else f"{at[:10]} {at[11:16]} UTC"
