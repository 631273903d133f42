"""Records that take several lines, one field on each: ``journalctl -o export``, and JSON that was printed to be read.

Formats: systemd's Journal Export Format; ``gcloud logging read --format=json``, ``aws logs get-log-events``.
"""

from __future__ import annotations

import json

from diagnose.late import late
from diagnose.records.envelope import Enclosed, micros

_EXPORT_BEGINS = ("__CURSOR=", "__REALTIME_TIMESTAMP=", "_BOOT_ID=", "_TRANSPORT=", "SYSLOG_", "MESSAGE=")
_FIELD = late(r"(?s)(?P<name>[A-Z_][A-Z0-9_]{0,63})(?:=(?P<value>.*))?$")
_JSON_BEGINS = late(r'\s{1,40}"(?:textPayload|insertId|logName|ingestionTime)": |\s{1,40}"timestamp": \d{13},?$')
_JSON_LINE = late(r'\s{0,80}(?:"[^"\n]{1,200}": .*|[\[\]{}]{1,3},?|"[^\n]*",?|-?\d[\d.]*,?)?\s*$')
_JSON_TEXT = late(r'\s{1,40}"(?:textPayload|message|LogMessage)": (?P<text>".*"),?\s*$')

DROPPED = Enclosed("", None, "", False, None)
"""A field that carries no text of a program."""


class Fields:
    """Takes the lines of one input in order. Whether a line is a field is known from those before it."""

    def __init__(self) -> None:
        self._mode = ""
        self._time: str | None = None
        self._binary = ""
        """The field whose value begins on the next line, behind its length; then its further lines."""
        self._begun = False

    @property
    def is_idle(self) -> bool:
        """No record is open."""
        return not self._mode

    def open(self, text: str) -> Enclosed | None:
        """The text of a record, ``DROPPED`` for its other fields, None for a line that is of no such record."""
        if self._mode == "export" or text.startswith(_EXPORT_BEGINS):
            return self._export(text)
        if self._mode == "json" or (text[:1] in " \t" and _JSON_BEGINS.match(text)):
            return self._json(text)
        return None

    def gap(self) -> None:
        """Lines are left out here: a value of several lines ends."""
        self._binary = ""

    def _export(self, text: str) -> Enclosed | None:
        self._mode = "export"
        field = _FIELD.match(text) if not (self._binary and not self._begun) else None
        if field is not None:
            name, value = field["name"], field["value"]
            self._binary, self._begun = (name, False) if value is None else ("", False)
            if name == "__REALTIME_TIMESTAMP":
                self._time = micros(value)
            return self._carried(value) if name == "MESSAGE" and value is not None else DROPPED
        if self._binary:
            shown = text if self._begun else _behind_length(text)
            ours, self._begun = self._binary == "MESSAGE", True
            return self._carried(shown) if ours and shown else DROPPED
        if not text.strip():
            return DROPPED
        self._mode = ""
        return None

    def _json(self, text: str) -> Enclosed | None:
        if not _JSON_LINE.match(text):
            self._mode = ""
            return None
        self._mode = "json"
        found = _JSON_TEXT.match(text)
        if found is None:
            return DROPPED
        try:
            return self._carried(json.loads(found["text"]).removesuffix("\n"))
        except ValueError:
            return None

    def _carried(self, text: str) -> Enclosed:
        return Enclosed(text, self._time, "", False, None)


def _behind_length(text: str) -> str:
    """A value written as bytes: its length ahead of it is 8 bytes, of which the reading of lines has dropped those
    that are zero. One is left below 256 bytes, two above; the second is small then."""
    return text[2:] if len(text) > 1 and text[1] < "\x08" else text[1:]
