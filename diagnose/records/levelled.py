"""Objects and logfmt lines that call themselves an error: structlog, ECS, bunyan, pino, zap, GELF, OpenTelemetry, ….

There are more of them than names, so nothing of a format is known here but what all have: a key for the level, and
under keys of a few words the message and what an exception said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from diagnose.late import late

_LEVELS = frozenset(
    {"level", "lvl", "severity", "levelname", "loglevel", "log.level", "l", "severitytext", "@l", "@level"}
    | {"level.name", "log.severity"}
)
_ERRORS = frozenset({"error", "err", "eror", "severe", "failure", "failed"})
_CRITICAL = frozenset({"critical", "crit", "fatal", "panic", "dpanic", "alert", "emerg", "emergency"})
_BUNYAN = {50: "ERROR", 60: "CRITICAL"}
"""pino's too. Python's 40 and 50 are not: loggers of Python write the name."""
_OTEL = {**dict.fromkeys(range(17, 21), "ERROR"), **dict.fromkeys(range(21, 25), "CRITICAL")}
_GELF = {3: "ERROR", 2: "CRITICAL", 1: "CRITICAL", 0: "CRITICAL"}
"""The levels of syslog. Others count theirs the other way round."""
_GELF_TEXT = "shortmessage"
_FAILED_KEYS = ("status", "result.status")
_FAILED = frozenset({"failed", "failure"})
_PAYLOADS = ("jsonpayload.", "record.", "attributes.", "fields.", "result.", "source.", "data.", "extra.")
_MESSAGES = ("message", "msg", "@m", "@mt", "event", "m", "body", "shortmessage", "details", "detail", "reason")
"""Keys of the message; the first that is there. ``@m`` is Serilog's, ``m`` zap's."""
_TROUBLE = frozenset(
    {"error", "err", "exception", "exc", "excinfo", "thrown", "stack", "stacktrace", "traceback", "fullmessage"}
    | {"errormessage", "@x", "s", "extendedstacktrace"}
)
_INNER = _TROUBLE | {"message", "msg", "value", "excvalue", "details", "reason"}
_STREAMS_OWN = "textPayload"
"""Google Cloud calls every bare line of stderr an ERROR, progress bars too."""
_READS_AS_ONE = late(r"(?:[A-Za-z_]\w*\.)+[A-Z]\w*: \S")
MAX_DEEP = 3
"""Objects in one another in which a key may stand."""
MAX_VALUES = 200
"""Texts and numbers of one object that are looked at."""
_PAIR = late(r"(?P<key>[A-Za-z_@][\w.@/-]{0,80})=(?P<value>\"(?:[^\"\\]|\\.)*\"|[^\s\"]*)(?:\s+|$)")
_BEGINS = late(r"[A-Za-z_@][\w.@/-]{0,80}=\S")


class Levelled(NamedTuple):
    level: str
    """``ERROR`` or ``CRITICAL``."""
    text: str
    """The message and what the exception said, of several lines."""


def levelled(found: Mapping[str, Any]) -> Levelled | None:
    """What an object reports that names its own level an error; None for any other, and for one without a message."""
    named = _named(found)
    level = _level(named)
    if level is None:
        return None
    texts = _texts(named)
    own = found.get(_STREAMS_OWN)
    if not texts and isinstance(own, str) and _READS_AS_ONE.match(own):
        texts = [own]
    return Levelled(level, "\n".join(texts)) if texts else None


def records_of(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The records in OpenTelemetry's export of many, ``found`` itself for any other object."""
    inside: list[Any] = [found]
    for key in ("resourceLogs", "scopeLogs", "logRecords") if "resourceLogs" in found else ():
        lists = [one.get(key) for one in inside if isinstance(one, dict)]
        inside = [one for several in lists if isinstance(several, list) for one in several]
    return [one for one in inside if isinstance(one, dict)]


def logfmt(text: str) -> dict[str, str] | None:
    """The pairs of a line that is nothing but ``key=value``; None for any other line."""
    if not _BEGINS.match(text):
        return None
    pairs: dict[str, str] = {}
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None:
            return None
        pairs.setdefault(pair["key"], _unquoted(pair["value"]))
        at = pair.end()
    return pairs


def _unquoted(value: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value, strict=False))
    except ValueError:
        return value.strip('"')


def _named(found: Mapping[str, Any]) -> dict[str, Any]:
    """Texts and numbers by the names of their keys, joined by dots, as all loggers could have spelled them."""
    named: dict[str, Any] = {}
    for name, value in _walk(found, "", 0):
        for payload in _PAYLOADS:
            name = name.removeprefix(payload)
        named.setdefault(name, value)
        if len(named) >= MAX_VALUES:
            break
    return named


def _walk(found: Any, above: str, deep: int) -> Iterator[tuple[str, Any]]:
    """The own texts of an object come ahead of those of the objects in it."""
    if deep > MAX_DEEP:
        return
    pairs = [(key.lower().replace("_", "").replace("-", ""), value) for key, value in found.items()]
    yield from ((above + key, value) for key, value in pairs if isinstance(value, (str, int)))
    for key, value in pairs:
        if isinstance(value, dict):
            # OpenTelemetry's {"stringValue": text}
            plain = value.get("stringValue")
            yield from [(above + key, plain)] if isinstance(plain, str) else _walk(value, f"{above}{key}.", deep + 1)
        elif isinstance(value, list) and (listed := _listed(value)):
            yield from _walk(listed, f"{above}{key}.", deep + 1)


def _listed(several: list[Any]) -> dict[str, Any]:
    """Attributes in a list of keys and values; of a list of exceptions (structlog) the last, which was raised first."""
    attributes = {
        str(one["key"]): one["value"] for one in several if isinstance(one, dict) and {"key", "value"} <= one.keys()
    }
    return attributes or (several[-1] if several and isinstance(several[-1], dict) else {})


def _level(named: Mapping[str, Any]) -> str | None:
    for name, value in named.items():
        if name in _LEVELS and isinstance(value, str):
            word = value.strip().lower()
            return "ERROR" if word in _ERRORS else "CRITICAL" if word in _CRITICAL else None
    number, of_otel = named.get("level", -1), named.get("severitynumber", -1)
    if number in _GELF and _GELF_TEXT in named:
        return _GELF[number]
    if number in _BUNYAN or of_otel in _OTEL:
        return _BUNYAN[number] if number in _BUNYAN else _OTEL[of_otel]
    says = any(isinstance(named.get(key), str) and named[key].lower() in _FAILED for key in _FAILED_KEYS)
    return "ERROR" if says else None


def _texts(named: Mapping[str, Any]) -> list[str]:
    """The message, and behind it what exceptions said, none of them twice."""
    # loguru prints the whole record, in "text", beside its parts
    keys = ("text", *_MESSAGES) if "level.name" in named else _MESSAGES
    texts = [named[key] for key in keys if isinstance(named.get(key), str)][:1]
    for name, value in named.items():
        parts = name.split(".")
        if isinstance(value, str) and parts[-1] in _INNER and _TROUBLE.intersection(parts):
            texts.append(_typed(named, name, value))
    texts = [text.strip("\n") for text in texts if text.strip()]
    return [text for i, text in enumerate(texts) if not _told(text, texts[:i], texts[i + 1 :])]


def _typed(named: Mapping[str, Any], name: str, value: str) -> str:
    """An exception's message behind its type, where the object has them apart."""
    above = name.rpartition(".")[0]
    type_ = named.get(f"{above}.type") or named.get(f"{above}.exctype")
    apart = isinstance(type_, str) and type_.isprintable() and " " not in type_ and type_ not in value
    return f"{type_}: {value}" if apart and name.endswith((".message", ".value", ".excvalue")) else value


def _told(text: str, before: list[str], behind: list[str]) -> bool:
    """Whether a traceback ends with it, or it came already."""
    return any(text in other for other in before) or any(other.rstrip().endswith(text) for other in behind)
