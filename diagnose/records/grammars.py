"""How loggers begin a record: one pattern per format, tried by first character.

Formats from the sources of vLLM 0.9.1 to 0.30.0 and vllm-rbln 0.8 to 0.12, optimum-rbln 0.12.0, uvicorn, and
from the documented defaults of Python ``logging``, loguru, spdlog, glog, Ray, transformers, slog and GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from diagnose.late import late
from diagnose.model import RecordKind
from diagnose.records.writers import writer_of_file, writer_of_logger

_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_LEVEL = r"TRACE|DEBUG|INFO|NOTICE|SUCCESS|WARN(?:ING)?|ERROR|CRITICAL|FATAL"
_ANY_LEVEL = rf"{_LEVEL}|trace|debug|info|notice|warn(?:ing)?|err(?:or)?|critical|fatal"
_LEVELS = {"WARN": "WARNING", "FATAL": "CRITICAL", "ERR": "ERROR", "NOTICE": "INFO", "SUCCESS": "INFO"}
_GLOG = {
    "I": "INFO",
    "W": "WARNING",
    "E": "ERROR",
    "F": "CRITICAL",
    "C": "CRITICAL",
    "V": "DEBUG",
    "D": "DEBUG",
}


class Head(NamedTuple):
    """What stands before a record's message."""

    start: int
    """Index at which the message begins."""
    level: str | None = None
    writer: str | None = None
    source: str | None = None
    time: str | None = None
    kind: RecordKind = RecordKind.LOG
    repeats: bool = False
    """True when the logger repeats the head on every line of a message; others print bare new lines."""
    marks_lines: bool = False
    """True when it also ends every line but the last with ``\\r`` (vLLM)."""
    one_moment: bool = False
    """True when the time is fine enough (microseconds) that equal heads are one record."""

    @property
    def serious(self) -> bool:
        return self.level in ("WARNING", "ERROR", "CRITICAL")

    def same(self, other: Head) -> bool:
        """True when both heads may stand on lines of one record."""
        return self is other or (
            self.level == other.level
            and self.source == other.source
            and self.time == other.time
            and self.writer == other.writer
        )


@lru_cache(maxsize=64)
def normal_level(level: str | None) -> str | None:
    """``DEBUG`` … ``CRITICAL`` for any spelling of a level."""
    if level is None:
        return None
    upper = level.upper()
    return _LEVELS.get(upper, upper)


_Found = re.Match[str]
_Reader = Callable[[_Found], Head | None]

_VLLM_CORE = (
    r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) "
    r"(?P<time>\d\d-\d\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) "
    r"(?P<open>\[?)(?P<file>[\w./…-]+\.py):(?P<line>\d+)\](?: |$)"
)
_VLLM = late(rf"(?P<tag>\[vllm-rbln\] )?{_VLLM_CORE}")
# Text before the level: VLLM_LOGGING_PREFIX, or a progress bar or cut prefix the record was glued to. A quote
# before it would mean that somebody's text holds a log line.
_VLLM_LATER = late(rf"(?:[^\"'`]{{0,400}}?)(?P<tag>\[vllm-rbln\] )?(?<![\w.]){_VLLM_CORE}")
_VLLM_GLUED = late(rf"(?:[^\"'`]{{0,400}}?)(?P<tag>\[vllm-rbln\] )?{_VLLM_CORE}")


def _vllm(found: _Found) -> Head:
    short = len(found["time"]) == 14
    exact = short and found["open"] == "["
    file = found["file"]
    return Head(
        start=found.end(),
        level=found["level"],
        writer=writer_of_file(file, found["tag"] is not None, exact),
        source=f"{file}:{found['line']}",
        time=found["time"],
        repeats=True,
        marks_lines=True,
    )


def _plain(found: _Found) -> Head:
    """Head from the groups ``level``, ``time``, ``name``, ``source`` as far as the pattern has them."""
    groups = found.groupdict()
    return Head(
        start=found.end(),
        level=normal_level(groups.get("level") or groups.get("bare")),
        writer=writer_of_logger(groups.get("name")),
        source=groups.get("source"),
        time=groups.get("time"),
    )


def _transformers(found: _Found) -> Head:
    return Head(found.end(), found["level"], "transformers", found["source"], found["time"])


def _glog(found: _Found) -> Head:
    time = found["time"]
    return Head(
        start=found.end(),
        level=_GLOG[found["level"]],
        source=found["source"],
        time=f"{found['day'][:-2]}-{found['day'][-2:]} {time}",
        repeats=True,
        one_moment=len(time.partition(".")[2]) >= 6,
    )


_ACCESS_TEXT = late(r'\S+ - "[A-Z]+ \S+ HTTP/[\d.]+" \d{3}\b')


def _level_colon(found: _Found) -> Head:
    level = normal_level(found["level"])
    if _ACCESS_TEXT.match(found.string, found.end()):
        return Head(found.end(), level, "uvicorn", kind=RecordKind.ACCESS)
    # uvicorn pads level and colon to ten columns; pip and others put one blank.
    padded = found.end() == 10 and found["level"] != "CRITICAL"
    return Head(found.end(), level, "uvicorn" if padded else None)


def _access(found: _Found) -> Head:
    return Head(0, None, None, kind=RecordKind.ACCESS)


def _actions(found: _Found) -> Head | None:
    level = normal_level(found["level"])
    return Head(found.end(), level if level in ("ERROR", "WARNING", "DEBUG") else "INFO", "github-actions")


def _cross(found: _Found) -> Head:
    return Head(found.end(), "ERROR", "optimum" if found["optimum"] is not None else None)


_DIGIT = "0123456789"
_GRAMMARS: tuple[tuple[str, re.Pattern[str], _Reader], ...] = (
    (
        # optimum-rbln, rebel-compiler: `2026-11-29 11:57:53,295 WARNING [optimum.rbln] text`
        _DIGIT,
        late(
            rf"(?P<time>{_TIME})\s{{1,9}}(?P<level>{_LEVEL})\s{{1,9}}"
            rf"(?:[\w().-][\w ().-]{{0,80}}:\d+ )?\[(?P<name>[\w./:()-]+)\](?: |$)"
        ),
        _plain,
    ),
    (
        # Python logging with dashes: `2025-01-01 12:00:00,123 - name - ERROR - text`
        _DIGIT,
        late(
            rf"(?P<time>{_TIME}) - (?:(?P<name>[\w.:/]+) - )?(?P<level>{_LEVEL})"
            r"(?: - |: ?)(?:\[?(?P<source>[\w./-]+\.py:\d+)\]? - )?"
        ),
        _plain,
    ),
    (
        # loguru: `2025-01-01 12:00:00.123 | ERROR    | module:function:12 - text`
        _DIGIT,
        late(rf"(?P<time>{_TIME}) \| (?P<level>{_LEVEL})\s*\| (?:(?P<source>[\w.<>:-]+:\d+) - )?"),
        _plain,
    ),
    (
        # Ray: tab, level, file, two dashes
        _DIGIT,
        late(rf"(?P<time>{_TIME})\t(?P<level>{_LEVEL}) (?P<source>\S+:\d+) -- "),
        _plain,
    ),
    (
        _DIGIT,
        late(rf"(?P<time>{_TIME}) \[(?P<level>{_LEVEL})\s*\](?: \[?(?P<name>[\w.]+)\]?:)? ?"),
        _plain,
    ),
    (_DIGIT, late(rf"(?P<time>{_TIME})[ \t]+(?P<level>{_LEVEL})(?::[ \t]*|[ \t]+)"), _plain),
    (
        # transformers with its explicit format: `[WARNING|file.py:12] 2025-01-01 12:00:00,123 >> text`
        "[",
        late(rf"\[(?P<level>{_LEVEL})\|(?P<source>[\w.]+:\d+)\] (?P<time>{_TIME}) >> "),
        _transformers,
    ),
    (
        # spdlog and bracketed Python formats: `[2025-01-01 12:00:00.123] [name] [error] text`
        "[",
        late(
            rf"\[(?P<time>{_TIME})\] ?(?:\[(?P<name>(?!(?:{_ANY_LEVEL}|vllm-rbln)\])[^\]]{{1,60}})\] ?)?"
            rf"(?:\[(?P<level>{_ANY_LEVEL})\]|(?P<bare>{_LEVEL}))(?: - |: ?|\s+|$)"
        ),
        _plain,
    ),
    (
        # torch's C++ logger puts the glog head in brackets
        "[",
        late(
            r"\[(?P<level>[IWEFCVD])(?P<day>\d{3,4}) (?P<time>\d\d:\d\d:\d\d\.\d+)(?:\s+\d+)? "
            r"(?P<source>[^\s\]]+:\d+)\](?: \[\d+/\d+(?:_\d+)?\])?(?: |$)"
        ),
        _glog,
    ),
    ("[", late(rf"\[(?P<level>{_LEVEL})\]:?\s+"), _plain),
    (
        "IWEFCVD",
        late(
            r"(?P<level>[IWEFCVD])(?P<day>\d{3,4}) (?P<time>\d\d:\d\d:\d\d\.\d+)(?:\s+\d+)? "
            r"(?P<source>[^\s\]]+:\d+)\](?: \[\d+/\d+(?:_\d+)?\])?(?: |$)"
        ),
        _glog,
    ),
    ("TDINSWECF", late(rf"(?P<level>{_LEVEL}):[ \t]{{1,8}}(?=\S)"), _level_colon),
    ("TDINSWECF", late(rf"(?P<level>{_LEVEL}):(?P<name>[\w.-]+):"), _plain),
    ("t", late(rf"time=\"?(?P<time>\S+?)\"? level=(?P<level>{_ANY_LEVEL}) (?=.*msg=)"), _plain),
    ("#", late(r"##\[(?P<level>\w+)\]"), _actions),
    (":", late(r"::(?P<level>error|warning|notice|debug)(?: [^:]*)?::"), _actions),
    ("❌", late(r"❌\ufe0f?\s*(?P<optimum>(?=Error))?(?=.*(?i:error|fail|cannot))"), _cross),
    (
        _DIGIT + '"abcdefghijklmnopqrstuvwxyz',
        late(r'(?:\S+ - \S+ \[[^\]]+\] |\S+ - )?"(?:GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH) \S+ HTTP/'),
        _access,
    ),
)


_BY_FIRST = {
    first: tuple((pattern, reader) for begins, pattern, reader in _GRAMMARS if first in begins)
    for first in {character for begins, _, _ in _GRAMMARS for character in begins}
}


def read_head(text: str) -> Head | None:
    """The head of a logger's record, or None for anything else."""
    head = vllm_head(text)
    if head is not None:
        return head
    first = text[:1]
    if not first or first in " \t":
        return _later(text) if ".py:" in text else None
    for pattern, reader in _BY_FIRST.get(first, ()):
        found = pattern.match(text)
        if found is not None:
            return reader(found)
    return _later(text) if ".py:" in text else None


_TAG = "[vllm-rbln] "
_HEAD_WITHIN = 120


def vllm_head(text: str) -> Head | None:
    """The head in vLLM's own format. It ends at the first bracket behind the tag, and all lines of a traceback have
    the same."""
    end = text.find("] ", len(_TAG) if text.startswith(_TAG) else 0, _HEAD_WITHIN)
    if end >= 0:
        return _kept_head(text[: end + 2])
    found = _VLLM.match(text)
    return None if found is None else _vllm(found)


@lru_cache(maxsize=256)
def _kept_head(begin: str) -> Head | None:
    found = _VLLM.match(begin)
    return None if found is None else _vllm(found)


def _later(text: str) -> Head | None:
    """A vLLM record behind other text. Behind a progress bar even without a blank between."""
    glued = "%|" in text[:400] or "it/s]" in text[:400] or text.startswith("(")
    found = (_VLLM_GLUED if glued else _VLLM_LATER).match(text)
    return _vllm(found) if found is not None else None
