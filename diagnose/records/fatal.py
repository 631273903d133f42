"""The JSON line a vllm-rbln 0.12 worker writes to file descriptor 2 before it ends itself.

It has no prefix and can stand in the middle of another process's line. Source: vllm_rbln 0.12.0,
``v1/worker/utils.py``: ``exception_message`` holds at most 500 characters; the exit code is 70.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from diagnose.late import late
from diagnose.model import ExceptionInfo, Record, RecordKind
from diagnose.records.process import NOBODY, Owner
from diagnose.records.span import Span
from diagnose.records.text_builder import TextBuilder

NEEDLE = "rbln.worker.fatal"
_START = late(r'\{\s*"event"\s*:\s*"rbln\.worker\.fatal"')
_QUOTED = late(r"""prompt: ['"]|Received request|['"`\\]$""")
"""In front of the object: somebody asks about it or quotes it."""
_FIELD = late(r'"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"?|-?[\d.]+|null)')
_EXTRA = ("where", "exit_code", "rank", "dp_rank", "cause")
_DEFAULT_PROCESS = "Worker"


class Found(NamedTuple):
    before: Span
    fields: dict[str, Any]
    at: Span
    after: Span


def find_fatal(span: Span) -> Found | None:
    """The JSON object in a line that holds ``NEEDLE``, with what stands before and after it."""
    start = _START.search(span.text)
    if start is None:
        return None
    begin = start.start()
    if _QUOTED.search(span.text, 0, begin):
        return None
    try:
        fields, end = json.JSONDecoder().raw_decode(span.text, begin)
    except (ValueError, RecursionError):
        fields, end = _pieces(span.text[begin:]), len(span.text)
    rest = span.drop(begin)
    return Found(span.keep(begin), fields, rest.keep(end - begin), rest.drop(end - begin))


def _pieces(text: str) -> dict[str, Any]:
    """Fields of an object that was cut off: every one that is still whole, the last one as far as it goes."""
    fields: dict[str, Any] = {}
    for name, value in _FIELD.findall(text):
        try:
            fields[name] = json.loads(value)
        except ValueError:
            fields[name] = value.strip('"')
    return fields


def fatal_record(found: Found, owner: Owner, number: int, time: str | None) -> Record:
    """``Type: message`` and a line with the remaining fields, all from the one physical line.

    ``owner`` is the process whose prefix the line had, if any; ``number`` is a chain of its own.
    """
    fields = found.fields
    type_ = str(fields.get("exception_type") or "Exception")
    message = str(fields.get("exception_message") or "").rstrip()
    extra = " ".join(f"{name}={fields[name]}" for name in _EXTRA if fields.get(name) is not None)
    text = TextBuilder()
    for line in f"{type_}: {message}".split("\n"):
        text.add(found.at.with_text(line))
    if extra:
        text.add(found.at.with_text(extra))
    joined, pieces = text.build()
    pid = fields.get("pid")
    if isinstance(pid, int) and owner.pid not in (None, pid):
        owner = NOBODY  # glued into a line of another process
    stamp = fields.get("ts")
    return Record(
        RecordKind.FATAL,
        joined,
        pieces,
        writer="vllm-rbln",
        time=str(stamp) if stamp is not None else time,
        process=owner.process or _DEFAULT_PROCESS,
        pid=pid if isinstance(pid, int) else owner.pid,
        exception=ExceptionInfo(type_, number, 0, None, True, bare=True),
    )
