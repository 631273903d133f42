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
from diagnose.records.levelled import levelled, logfmt, records_of

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
_NAMES_ERROR = late(r"(?i:err|crit|fatal|panic|alert|emerg|sever|fail)|\"level\": ?\d")
_BAR = late(r"\d{1,3}%\|")
_BAR_WITHIN = 400
_WORKER_FATAL = "rbln.worker.fatal"
"""Has a reader of its own."""
_KEY_WITHIN = 80
_MAX_INSIDE = 3


class Enclosed(NamedTuple):
    """The real text inside a JSON line."""

    text: str
    """May hold several lines."""
    time: str | None
    origin: str
    partial: bool
    level: str | None
    is_error: bool = False
    """True when it is one record, which its logger called an error."""
    more: tuple[Enclosed, ...] = ()
    """Further records of the same line."""


def open_envelope(text: str) -> Enclosed | None:
    """What a line carries that is an object, or None when it is no envelope (or was cut and cannot be read)."""
    if text.startswith("["):
        return _fluent(text) or _array(text)
    if not text.startswith("{") and (head := _FLUENTD.match(text)) is not None:
        text = text[head.end() :]
    if not text.startswith("{"):
        return _pairs(text) if may_be_pairs(text) and _NAMES_ERROR.search(text) else None
    if not any(gate in text for gate in _GATES) and not _NAMES_ERROR.search(text):
        return None
    found = _opened(parsed(text))
    if found is None or found.partial or not found.text.startswith("{"):
        return found
    inner = _opened(parsed(found.text)) if _NAMES_ERROR.search(found.text) else None
    return found if inner is None else inner._replace(time=inner.time or found.time, origin=found.origin)


def reports_error(row: str, message: str) -> bool:
    """Whether ``row`` ends in an object that names its own level an error, of which ``message`` is."""
    start = row.find("{")
    found = open_envelope(row[start:].rstrip()) if start >= 0 else None
    return found is not None and any(one.is_error and message in one.text for one in (found, *found.more))


def may_be_pairs(text: str) -> bool:
    """Whether a line begins as one of logfmt does."""
    return "=" in text[:_KEY_WITHIN] and "=" in text.split(" ", 1)[0]


def parsed(text: str) -> Any:
    """The JSON value of ``text``; None when it is broken or nested without end."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _opened(found: Any) -> Enclosed | None:
    if not isinstance(found, dict):
        return None
    for reader in (_docker, _journal, _error, _logger, _stored):
        enclosed = reader(found)
        if enclosed is not None and enclosed.level and _BAR.search(enclosed.text, 0, _BAR_WITHIN):
            return enclosed._replace(level=None, is_error=False)  # whoever collects stderr calls all of it an error
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


def _error(found: dict[str, Any]) -> Enclosed | None:
    """An object of any logger that names its own level an error; the errors of an export of many."""
    if found.get("event") == _WORKER_FATAL:
        return None
    errors: list[Enclosed] = []
    for one in records_of(found):
        said = levelled(one)
        if said is not None:
            time = next((one[key] for key in (*_TIME_KEYS, *_STORED_TIME) if isinstance(one.get(key), str)), None)
            errors.append(Enclosed(said.text, time, _named(found), False, said.level, True))
    return errors[0]._replace(more=tuple(errors[1:])) if errors else None


def _pairs(text: str) -> Enclosed | None:
    """A line of logfmt that names its own level an error."""
    pairs = logfmt(text)
    return _error(pairs) if pairs is not None else None


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
    found = [one for one in opened if one is not None]
    if not found or len(found) != len(opened):
        return None
    if any(one.level for one in found):
        return found[0]._replace(more=(*found[0].more, *(each for one in found[1:] for each in (one, *one.more))))
    return Enclosed("\n".join(one.text for one in found), None, "", False, None)


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
