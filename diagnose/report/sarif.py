"""``--format sarif``: SARIF 2.1.0 (OASIS), one run, one rule per entry that was found."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from diagnose.model import Diagnosis, Lang
from diagnose.report.events import UNKNOWN_RULE, Event, events
from diagnose.report.words import word
from diagnose.version import __version__

_LEVEL = {"fatal": "error", "error": "error", "warning": "warning", "info": "note"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(diagnosis: Diagnosis, lang: Lang) -> str:
    """A SARIF log as JSON and a newline; messages are in ``lang``."""
    found = events(diagnosis, lang)
    rules = list(dict.fromkeys(e.rule for e in found))
    titles = {e.rule: e.title for e in found} | {UNKNOWN_RULE: word("unknown_rule", lang)}
    location = uri(diagnosis.input.name)
    run = {
        "tool": {
            "driver": {
                "name": "rbln-diagnose",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [{"id": rule, "shortDescription": {"text": titles[rule]}} for rule in rules],
            }
        },
        "language": "ko-KR" if lang == "ko" else "en-US",
        "columnKind": "unicodeCodePoints",
        "results": [_result(e, rules.index(e.rule), location) for e in found],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _result(event: Event, rule_index: int, location: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": event.rule,
        "ruleIndex": rule_index,
        "level": "note" if event.kind == "note" else _LEVEL[event.severity],
        "message": {"text": f"{event.title}\n{event.body}"},
        "locations": [_place(location, event.line, event.text)],
        "partialFingerprints": {"rblnDiagnose/v1": event.fingerprint},
    }
    if event.related:
        result["relatedLocations"] = [
            {"id": number, **_place(location, line, ""), "message": {"text": title}}
            for number, (line, title) in enumerate(event.related, 1)
        ]
    return result


def _place(location: str, line: int, text: str) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": location}}
    if line:
        snippet = {"snippet": {"text": text}} if text else {}
        physical["region"] = {"startLine": line, **snippet}
    return {"physicalLocation": physical}


def uri(name: str) -> str:
    """A URI reference (RFC 3986) for a path as the person gave it; standard input becomes ``stdin``."""
    if name in ("", "-"):
        return "stdin"
    path = name.replace("\\", "/")
    encoded = quote(path, safe="/~", errors="replace")
    if path.startswith("/"):
        # More than one leading slash would be read as a host.
        return "file:///" + encoded.lstrip("/")
    return encoded.removeprefix("./") or encoded
