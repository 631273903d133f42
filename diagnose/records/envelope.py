"""Lines that are JSON objects around the real line: docker's json-file, journald's export, JSON loggers."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any, NamedTuple

_DOCKER_KEYS = frozenset({"log", "stream", "time", "attrs"})
_DOCKER_SPLIT_BYTES = 16_384
"""Docker cuts a longer line into entries of this size; only such an entry may be an unfinished line."""
_LEVEL_KEYS = ("level", "severity", "levelname", "lvl")
_TEXT_KEYS = ("message", "msg")
_TIME_KEYS = ("time", "timestamp", "ts", "asctime", "@timestamp")
_GATES = ('"log"', '"MESSAGE"', '"message"', '"msg"')


class Enclosed(NamedTuple):
    """The real text inside a JSON line."""

    text: str
    """May hold several lines."""
    time: str | None
    origin: str
    partial: bool
    level: str | None


def open_envelope(text: str) -> Enclosed | None:
    """What a JSON line carries, or None when it is no envelope (or was cut and cannot be read)."""
    if not text.startswith("{") or not any(gate in text for gate in _GATES):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    for reader in (_docker, _journal, _logger):
        enclosed = reader(found)
        if enclosed is not None:
            return enclosed
    return None


def _docker(found: dict[str, Any]) -> Enclosed | None:
    log = found.get("log")
    if not isinstance(log, str):
        return None
    whole = log.endswith("\n") or not (
        found.keys() <= _DOCKER_KEYS and len(log.encode("utf-8", "replace")) >= _DOCKER_SPLIT_BYTES
    )
    text = log[:-1] if log.endswith("\n") else log
    return Enclosed(text, _text(found.get("time")), _text(found.get("stream")) or "", not whole, None)


def _journal(found: dict[str, Any]) -> Enclosed | None:
    message = found.get("MESSAGE")
    if isinstance(message, list) and all(isinstance(part, int) and 0 <= part < 256 for part in message):
        message = bytes(message).decode("utf-8", "replace")
    if not isinstance(message, str):
        return None
    unit = _text(found.get("SYSLOG_IDENTIFIER")) or _text(found.get("_SYSTEMD_UNIT")) or ""
    origin = f"{unit}[{_text(found.get('_PID')) or ''}]"
    return Enclosed(message, _micros(found.get("__REALTIME_TIMESTAMP")), origin, False, None)


def _logger(found: dict[str, Any]) -> Enclosed | None:
    level = next((found[key] for key in _LEVEL_KEYS if isinstance(found.get(key), str)), None)
    text = next((found[key] for key in _TEXT_KEYS if isinstance(found.get(key), str)), None)
    if level is None or text is None:
        return None
    for key in ("exception", "exc_info", "error", "stack", "traceback"):
        if isinstance(found.get(key), str):
            text = f"{text}\n{found[key]}"
    time = next((found[key] for key in _TIME_KEYS if isinstance(found.get(key), str)), None)
    return Enclosed(text, time, "", False, level)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _micros(value: Any) -> str | None:
    """journald counts microseconds since 1970 (UTC)."""
    try:
        moment = datetime.fromtimestamp(int(value) / 1_000_000, tz=timezone.utc)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
    return moment.isoformat()
