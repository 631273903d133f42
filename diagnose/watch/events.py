"""Events as data: the object of ``--format json``, and what it is made of."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from diagnose.model import Diagnosis, Finding, InputInfo, RunContext, Unknown
from diagnose.watch.nouns import Event


def iso(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601, UTC."""
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def finding_object(finding: Finding) -> dict[str, Any]:
    """A finding as in the report's JSON."""
    return _object(findings=(finding,))["findings"][0]  # type: ignore[no-any-return]


def _object(findings: tuple[Finding, ...] = (), unknown: tuple[Unknown, ...] = ()) -> dict[str, Any]:
    info = InputInfo("-", 0, 0)
    found = Diagnosis(input=info, outcome="unknown", run=RunContext(), findings=findings, unknown=unknown)
    return found.to_dict()


def event_object(event: Event) -> dict[str, Any]:
    """``{"event": …, "incident": …, "finding": …}`` with where and when; ``unknown`` in place of a finding."""
    made: dict[str, Any] = {"event": event.kind, "incident": event.incident}
    if event.finding is not None:
        made["finding"] = finding_object(event.finding)
    if event.unknown is not None:
        made["unknown"] = _object(unknown=(event.unknown,))["unknown"][0]
    made |= {"source": event.source, "at": event.at}
    return made | ({"replayed": True} if event.replayed else {})


def json_line(event: Event) -> str:
    """One line, Hangul as it is."""
    return json.dumps(event_object(event), ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
