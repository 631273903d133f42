"""Where in a log a signature counts as an event.

A prompt echoed by the server, a sentence of documentation or advice inside another message may hold the very text of
an error. Only records that report something may match, and raw program output only where the message begins it.
"""

from __future__ import annotations

import re

from diagnose.knowledge.schema import Signature
from diagnose.late import late
from diagnose.matching.kernel import driver_failed
from diagnose.matching.quotations import is_handed_on, is_of_a_person, quoted
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

_BARE_LEAD = late(
    r"[\s•·*|❌✗×]*(?:[\w.]+(?:Error|Exception|error|실패|오류|에러)[\w.]*\s*[:：]\s*)*"
    r"(?:(?:Value error|Assertion failed),\s*)?\Z"
)
_SAID_LEAD = late(r"[^`'\"“‘<>#+]*[:：\])-]\s*\Z")
_CITED_LEAD = late(
    r"\S+\.\w+:\d+:|::|\b(?:docs?|says?|means?|example|e\.g|FAQ|README|commit|fix(?:es|ed)?|XFAIL|PASSED)\b|예[:시)]|문서|^\s*(?:-|INFO\b|DEBUG\b|TRACE\b)",
    re.IGNORECASE,
)
"""A search result, a test's name, a document or a change log in front: the message is spoken of."""
_CHANGE = late(
    r"\s*[-*•+]\s+(?:\[[^\]]{0,40}\]\s*|\([^)]{0,40}\)\s*)?(?:add|change|fix|handle|improve|mend|remove|support)(?:e?s|e?d)?\b",
    re.IGNORECASE,
)
"""How an item of a list of changes begins."""
_CITED_TAIL = late(r"(?:이|가|라는|라고)\s+(?:나오면|뜨면|발생하면)|\bmeans that\b|\bif you see\b", re.IGNORECASE)

_ECHO = late(r"Received\srequest|prompt:\s['\"]|non-default\sargs:\s|with\sconfig:\s|Dumping\s(?:input|scheduler)")
"""What a server echoes: requests with their prompts, its arguments, its configuration."""

_REQUEST = late(r".{0,200}Received\srequest\s\S{1,120}\sprompt:\s(?:'[^']*|\"[^\"]*)\Z", re.DOTALL)
"""A request whose prompt goes on, in a line whose logger is not seen."""

_SERIOUS = late(
    r"(?:\[?(?:ERROR|FATAL|CRITICAL|ALERT|EMERG)\]?[:\s]|(?:[Ee]rror|fatal)(?: error)?: |make: \*\*\* "
    r"|Segmentation fault|Aborted(?: \(core dumped\))?\s*$|Bus error|Killed\s*$)"
    r"|\S+:\d+(?::\d+)?: (?:fatal )?error: "
    # MSVC and its linker, ninja
    r"|\S.{0,300}?\(\d{1,7}(?:,\d{1,7})?\) ?: (?:fatal )?error [A-Z]{1,5}\d{1,5}: |LINK : fatal error LNK\d{1,5}: "
    r"|FAILED: (?:\[code=[1-9]\d{0,4}\] )?\S+\.o(?:bj)?\b|ninja: build stopped: "
    # Rust, Go
    r"|thread '[^'\n]{1,80}' (?:\(\d{1,10}\) )?panicked at |panic: \S"
    r"|(?:치명적(?:인)? )?(?:오류|에러)(?:가 발생(?:했|하였)습니다)?\s?[:：]\s(?!\s*(?:\d{1,9}\s?(?:건|개|$)|없음))"
    r"|[^.!?\n\"'`]{0,80}실패(?:했|하였)습니다(?:[.!]|\s?\([^()\n]{1,200}\)|\s?[:：] .{1,200})?\s*$"
    r"|[^.!?\n\"'`]{0,80}비정상(?:적으로)? 종료(?:되었습니다|됐습니다|했습니다|됨)[.!]?\s*$"
)
"""How programs without a logger begin a line that reports an error."""


def is_error(record: Record) -> bool:
    """Whether the record reports an error by its form alone, known or not."""
    if record.writer == IGNORED:
        return False
    if record.kind in (RecordKind.EXCEPTION, RecordKind.FATAL, RecordKind.USAGE):
        return True
    if record.kind is RecordKind.RAW:
        return _SERIOUS.match(record.text, 0, LONGEST_TYPES) is not None or driver_failed(record.text)
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


def begins(record: Record, start: int, end: int, signature: Signature) -> bool:
    """Whether a match stands where something is reported, and is not only spoken of or echoed."""
    if record.kind is RecordKind.LOG:
        return _ECHO.search(record.text, 0, start) is None and not _spoken_of(record, start)
    if record.kind is RecordKind.EXCEPTION:
        return not _spoken_of(record, start)
    if record.kind is not RecordKind.RAW:
        return True
    line_start = record.text.rfind("\n", 0, start) + 1
    lead = record.text[line_start:start]
    tail = record.text[end : end + LONGEST_TYPES].partition("\n")[0]
    if _REQUEST.match(record.text[line_start:end]):
        return False
    if _CHANGE.match(record.text, line_start, line_start + LONGEST_TYPES):
        return False
    if _CITED_LEAD.search(lead[-LONGEST_TYPES:]) or _CITED_TAIL.search(tail):
        return False
    if signature.anywhere:
        # A name in code quotes is spoken of, not reported.
        return lead.count("`") % 2 == 0
    if len(lead) <= LONGEST_TYPES and "`" not in lead and _BARE_LEAD.fullmatch(lead):
        return True
    return len(lead) <= LONGEST_LEAD and _SAID_LEAD.fullmatch(lead) is not None


def _spoken_of(record: Record, start: int) -> bool:
    """Whether a match stands in a quotation: in an exception's message any but one that is handed on, in a record of
    a logger what a person wrote."""
    before = record.text[:start]
    lead = quoted(record.text, start) if '"' in before or "'" in before or "“" in before else None
    if lead is None:
        return False
    if record.kind is RecordKind.EXCEPTION:
        return not is_handed_on(lead)
    return is_of_a_person(lead) or (record.level not in REPORTING_LEVELS and not is_handed_on(lead))
