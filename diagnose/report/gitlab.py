"""``--format gitlab``: a GitLab Code Quality report."""

from __future__ import annotations

import json

from diagnose.model import Diagnosis, Lang
from diagnose.report.clean import clean
from diagnose.report.events import events

_SEVERITY = {"fatal": "critical", "error": "major", "warning": "minor", "info": "info"}


def render(diagnosis: Diagnosis, lang: Lang) -> str:
    """A JSON array and a newline. GitLab asks for a relative ``path`` without ``./`` and lines from 1."""
    path = clean(diagnosis.input.name).removeprefix("./") or "-"
    found = [
        {
            "description": f"{event.title}\n{event.body}",
            "check_name": event.rule,
            "fingerprint": event.fingerprint,
            "severity": "info" if event.kind == "note" else _SEVERITY[event.severity],
            "location": {"path": path, "lines": {"begin": max(event.line, 1)}},
        }
        for event in events(diagnosis, lang)
    ]
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"
