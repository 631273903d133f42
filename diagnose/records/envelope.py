"""Lines that are objects around the real line: docker's json-file, journald's JSON, JSON loggers, stores of logs.

Of the stores: Loki's ``logcli -o jsonl``, Google Cloud Logging, Azure Log Analytics, CloudWatch, Datadog, Splunk,
Elasticsearch; and what the ``stdout`` outputs of fluentd (an object behind time and tag) and fluent-bit (no JSON)
print.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any, NamedTuple

from diagnose.late import late

_DOCKER_KEYS = frozenset({"log", "stream", "time", "attrs"})
_DOCKER_SPLIT_BYTES = 16_384
"""Docker cuts a longer line into entries of this size; only such an entry may be an unfinished line."""
_LEVEL_KEYS = ("level", "severity", "levelname", "lvl")
_TEXT_KEYS = ("message", "msg")
_TIME_KEYS = ("time", "timestamp", "ts", "asctime", "@timestamp")
_STORED_TEXT = ("textPayload", "line", "LogMessage", "LogEntry", "log_s", "Log_s", "@message", "_raw", "message", "msg")
_STORED_TIME = ("timestamp", "TimeGenerated", "_time", "@timestamp", "ts", "time", "eventTime", "ingestionTime")
_STORED_IN = ("_source", "result", "attributes", "content", "jsonPayload", "fields")
"""Keys under which a store keeps the record it was given, one of them in the other."""
_NAMED_IN = ("kubernetes", "labels", "resource")
"""Objects in which the name of who wrote a record stands: fluent-bit's filter, Loki, Google Cloud."""
_NAME_KEYS = (("pod_name", "pod", "k8s.pod.name"), ("container_name", "container", "k8s.container.name"))
_GATES = ('"log"', '"MESSAGE"', *(f'"{key}"' for key in _STORED_TEXT))
_FLUENT = late(
    r"\[\d{1,6}\] [\w.*/-]{1,300}: \[(?:\[\d{1,12}\.\d{1,9}, \{[^{}]{0,400}\}\]|(?P<time>\d{1,12}\.\d{1,9})), \{"
)
_FLUENTD = late(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} [+-]\d{4} [\w.*/-]{1,300}: (?=\{\")")
_FLUENT_TEXT = late(r"\"(?:log|message|MESSAGE)\"=>\"(?P<text>.*?)(?:\"(?:\}\]$|, \"[\w.@-]{1,80}\"=>)|$)")
_MAX_INSIDE = 3


class Enclosed(NamedTuple):
    """The real text inside a JSON line."""

    text: str
    """May hold several lines."""
    time: str | None
    origin: str
    partial: bool
    level: str | None


def open_envelope(text: str) -> Enclosed | None:
    """What a line carries that is an object, or None when it is no envelope (or was cut and cannot be read)."""
    if text.startswith("["):
        return _fluent(text) or _array(text)
    if not text.startswith("{") and (head := _FLUENTD.match(text)) is not None:
        text = text[head.end() :]
    if not text.startswith("{") or not any(gate in text for gate in _GATES):
        return None
    return _opened(parsed(text))


def parsed(text: str) -> Any:
    """The JSON value of ``text``; None when it is broken or nested without end."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _opened(found: Any) -> Enclosed | None:
    if not isinstance(found, dict):
        return None
    for reader in (_docker, _journal, _logger, _stored):
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
    origin = " ".join(filter(None, (_named(found), _text(found.get("stream")))))
    return Enclosed(text, _text(found.get("time")), origin, not whole, None)


def _journal(found: dict[str, Any]) -> Enclosed | None:
    message = found.get("MESSAGE")
    if isinstance(message, list) and all(isinstance(part, int) and 0 <= part < 256 for part in message):
        message = bytes(message).decode("utf-8", "replace")
    if not isinstance(message, str):
        return None
    unit = _text(found.get("SYSLOG_IDENTIFIER")) or _text(found.get("_SYSTEMD_UNIT")) or ""
    origin = f"{unit}[{_text(found.get('_PID')) or ''}]"
    return Enclosed(message, micros(found.get("__REALTIME_TIMESTAMP")), origin, False, None)


def _logger(found: dict[str, Any]) -> Enclosed | None:
    level = next((found[key] for key in _LEVEL_KEYS if isinstance(found.get(key), str)), None)
    text = next((found[key] for key in _TEXT_KEYS if isinstance(found.get(key), str)), None)
    if level is None or text is None:
        return None
    for key in ("exception", "exc_info", "error", "stack", "traceback"):
        if isinstance(found.get(key), str):
            text = f"{text}\n{found[key]}"
    time = next((found[key] for key in _TIME_KEYS if isinstance(found.get(key), str)), None)
    return Enclosed(text, time, _named(found), False, level)


def _stored(found: dict[str, Any]) -> Enclosed | None:
    """A record of a store: the text beside a time, perhaps some objects deep."""
    time: str | None = None
    origin = ""
    for _ in range(_MAX_INSIDE):
        origin = origin or _named(found)
        time = time or next((str(found[key]) for key in _STORED_TIME if isinstance(found.get(key), (str, int))), None)
        text = next((found[key] for key in _STORED_TEXT if isinstance(found.get(key), str)), None)
        if text is not None and time is not None:
            return Enclosed(text.removesuffix("\n"), time, origin, False, None)
        found = next((found[key] for key in _STORED_IN if isinstance(found.get(key), dict)), {})
    return None


def _named(found: dict[str, Any]) -> str:
    """Pod and container as collectors of Kubernetes and stores add them; "" where none is named."""
    places: list[Any] = [found, *(found.get(key) for key in _NAMED_IN)]
    places.append(places[-1].get("labels") if isinstance(places[-1], dict) else None)
    for place in filter(lambda place: isinstance(place, dict), places):
        names = [next((place[key] for key in keys if _text(place.get(key))), "") for keys in _NAME_KEYS]
        if any(names):
            return " ".join(filter(None, names))
    return ""


def _array(text: str) -> Enclosed | None:
    """All records in one line, as a browser saves them."""
    if not text.startswith('[{"') or not any(gate in text for gate in _GATES):
        return None
    opened = [_opened(one) for one in parsed(text) or ()]
    texts = [one.text for one in opened if one is not None]
    return Enclosed("\n".join(texts), None, "", False, None) if texts and len(texts) == len(opened) else None


def _fluent(text: str) -> Enclosed | None:
    head = _FLUENT.match(text)
    found = _FLUENT_TEXT.search(text, head.end()) if head is not None else None
    if head is None or found is None:
        return None
    return Enclosed(found["text"], head["time"], "", False, None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def micros(value: Any) -> str | None:
    """journald counts microseconds since 1970 (UTC)."""
    try:
        moment = datetime.fromtimestamp(int(value) / 1_000_000, tz=timezone.utc)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
    return moment.isoformat()
