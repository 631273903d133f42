"""Tables a store of logs exports (CSV): one column has the line.

Shapes: CloudWatch Logs Insights (``@timestamp,@message``), Grafana and Loki (``Time,Line,…``), Datadog
(``Date,Host,Service,Content``), Splunk (``_raw``), Azure Log Analytics (``TimeGenerated,LogMessage``). Quoting is
that of RFC 4180.
"""

from __future__ import annotations

from diagnose.late import late
from diagnose.records.envelope import Enclosed
from diagnose.records.fields import DROPPED
from diagnose.records.limits import MAX_RECORD_LINES

_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\d{13}(?:\d{6})?"
_ROW = late(rf'"(?:{_TIME})"[,;]|(?:{_TIME}),(?!\d{{3}}(?:[\s\]]|$))|"\{{""|"(?:[^"]|""){{0,400}}","')
_ROW_BEGINS = tuple('"0123456789')
_WHEN = late(rf"(?:{_TIME})$|[A-Z][a-z]{{2}} \d{{1,2}}, \d{{4}} @ [\d:.]+$")
_NAMES = ("@message", "line", "content", "message", "logmessage", "textpayload", "_raw", "log", "logentry", "msg")
"""Columns with the line, lower case; the first that a header has is the one."""
_HEADER = late(r'"?@?[A-Za-z_][\w .@/-]{0,40}"?(?:,(?:"[\w .@/-]{0,60}"|[\w .@/-]{0,60})){1,40}\s*$')
_BEGINS = late(
    r"\(|\s{2}|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|Traceback|\[|[\w.]{1,80}(?:Error|Exception|Interrupt)\b"
)
"""How lines of a log begin, and hardly a value of another column."""
_MAX_FIELDS = 64


class Table:
    """Takes the lines of one input in order; the column with the line is the same in all rows."""

    def __init__(self) -> None:
        self._column: int | None = None
        self._width = 0
        self._inside = 0
        """Lines since a quoted value began that has not ended."""

    @property
    def is_idle(self) -> bool:
        """No value of several lines is open."""
        return not self._inside

    def open(self, text: str) -> Enclosed | None:
        """The line a row carries, ``DROPPED`` for the header, None for what is no row."""
        if self._inside:
            return self._go_on(text)
        found = self._row(text) if text[:1] in _ROW_BEGINS and _ROW.match(text) else None
        return self._header(text) if found is None and "," in text[:60] and _HEADER.match(text) else found

    def gap(self) -> None:
        """Lines are left out here: a value of several lines ends."""
        self._inside = 0

    def _header(self, text: str) -> Enclosed | None:
        names = [name.strip().lower() for name in _fields(text)]
        column = next((names.index(name) for name in _NAMES if name in names), None)
        if column is None or len(names) < 2 or not any("time" in name or "date" in name for name in names):
            return None
        self._column, self._width = column, len(names)
        return DROPPED

    def _row(self, text: str) -> Enclosed | None:
        values = _fields(text)
        when = next((value for value in values if _WHEN.match(value)), None)
        if when is None or not 2 <= len(values) <= _MAX_FIELDS:
            return None
        column = self._column if self._column is not None and len(values) <= self._width else _longest(values)
        if column is None:
            return None
        if self._column is None and _BEGINS.match(values[column]):
            self._column, self._width = column, len(values)
        if column >= len(values):
            return None
        self._inside = int(text.count('"') % 2 == 1 and column == len(values) - 1)
        return Enclosed(values[column].removesuffix("\n"), when, "", False, None)

    def _go_on(self, text: str) -> Enclosed:
        self._inside += 1
        last = text.count('"') % 2 == 1
        if last or self._inside > MAX_RECORD_LINES:
            self._inside = 0
        shown = text.replace('""', "\0")
        return Enclosed(shown.partition('"')[0].replace("\0", '"'), None, "", False, None)


def _fields(text: str) -> list[str]:
    import csv

    try:
        return next(csv.reader([text]), [])
    except csv.Error:  # a value above the reader's limit
        return []


def _longest(values: list[str]) -> int | None:
    """The column that holds the line, as far as one row tells: what begins as lines of a log do, else the longest."""
    told = [index for index, value in enumerate(values) if not _WHEN.match(value) and not value.startswith("{")]
    begun = [index for index in told if _BEGINS.match(values[index])]
    return max(begun or told, key=lambda index: len(values[index]), default=None)
