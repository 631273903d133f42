"""Where in a log a signature counts as an event.

A prompt echoed by the server, a sentence of documentation or advice inside another message may hold the very text of
an error. Only records that report something may match, and raw program output only where the message begins it.
"""

from __future__ import annotations

import re

from diagnose.knowledge.schema import Signature
from diagnose.model import Record, RecordKind

REPORTING = frozenset({RecordKind.EXCEPTION, RecordKind.FATAL, RecordKind.USAGE, RecordKind.WARNING})
REPORTING_LEVELS = frozenset({"WARNING", "WARN", "ERROR", "CRITICAL", "FATAL"})
ERROR_LEVELS = frozenset({"ERROR", "CRITICAL", "FATAL"})

IGNORED = "ignored"
"""Writer of what Python prints under ``Exception ignored in …``: it stopped nothing."""

LONGEST_LEAD = 60
"""Characters that may stand before a message on a raw line: ``compile failed: <message>``."""

LONGEST_TYPES = 400
"""Characters of exception types that may stand before a message: ``a.b.OuterError: InnerError: <message>``."""

_BARE_LEAD = re.compile(
    r"[\s\W]*(?:[\w.]+(?:Error|Exception|error|실패|오류|에러)[\w.]*\s*[:：]\s*)*"
    r"(?:(?:Value error|Assertion failed),\s*)?\Z"
)
_SAID_LEAD = re.compile(r"[^`'\"“‘]*[:：\]>)-]\s*\Z")


def is_error(record: Record) -> bool:
    """Whether the record reports an error by its form alone, known or not."""
    if record.writer == IGNORED:
        return False
    if record.kind in (RecordKind.EXCEPTION, RecordKind.FATAL, RecordKind.USAGE):
        return True
    return record.kind is RecordKind.LOG and record.level in ERROR_LEVELS


def may_match(signature: Signature, record: Record) -> bool:
    """Whether a record of this kind may hold an event of this signature at all."""
    if record.writer == IGNORED:
        return False
    if signature.frame is not None and not any(signature.frame in frame for frame in frames(record)):
        return False
    if signature.where:
        return record.kind.value in signature.where
    if record.kind is RecordKind.LOG:
        return record.level in REPORTING_LEVELS
    return record.kind in REPORTING or record.kind is RecordKind.RAW


def frames(record: Record) -> tuple[str, ...]:
    """Innermost frames of an exception; none for another record."""
    return record.exception.frames if record.exception is not None else ()


def searched_text(record: Record) -> str:
    """What signatures are searched in: the message, and for an exception without one the line that raised it."""
    info = record.exception
    if info is None or not info.frames or record.text.rstrip(": \n") != info.type:
        return record.text
    source = info.frames[-1].rpartition(": ")[2]
    return f"{record.text}\n{source}"


def begins(record: Record, start: int, signature: Signature) -> bool:
    """Whether a match at ``start`` of a raw record stands where a message begins."""
    if record.kind is not RecordKind.RAW:
        return True
    line_start = record.text.rfind("\n", 0, start) + 1
    lead = record.text[line_start:start]
    if signature.anywhere:
        # A name in code quotes is spoken of, not reported.
        return lead.count("`") % 2 == 0
    if len(lead) <= LONGEST_TYPES and "`" not in lead and _BARE_LEAD.fullmatch(lead):
        return True
    return len(lead) <= LONGEST_LEAD and _SAID_LEAD.fullmatch(lead) is not None
