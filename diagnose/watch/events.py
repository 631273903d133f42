"""Events as data: the object of ``--format json``, and what it is made of."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from diagnose.model import Diagnosis, Finding, InputInfo, RunContext, Unknown
from diagnose.watch.nouns import Event, Said


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


def _said(said: Said) -> dict[str, Any]:
    if isinstance(said, Finding):
        return {"finding": finding_object(said)}
    return {"unknown": _object(unknown=(said,))["unknown"][0]}


def event_object(event: Event) -> dict[str, Any]:
    """``{"event": …, "incident": …, "finding": …}`` with where and when; ``unknown`` in place of a finding.

    Of one that was amended, ``changed`` says in words what is different; ``was`` is an error without a cause, told
    before, that ``finding`` explains now (``finding`` and ``unknown`` are missing where it is no failure any more).
    """
    made: dict[str, Any] = {"event": event.kind, "incident": event.incident}
    for said in (event.finding, event.unknown):
        made |= {} if said is None else _said(said)
    if event.was is not None:
        made["was"] = _said(event.was)
    if event.changed is not None:
        made["changed"] = event.changed.to_dict()
    made |= {"source": event.source, "at": event.at}
    return made | ({"replayed": True} if event.replayed else {})


def json_line(event: Event) -> str:
    """One line, Hangul as it is."""
    return json.dumps(event_object(event), ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
