"""``--format github``: workflow commands, shown by GitHub Actions as annotations."""

from __future__ import annotations

from diagnose.model import Diagnosis, Lang
from diagnose.report.clean import clean
from diagnose.report.events import Event, events

_COMMAND = {"fatal": "error", "error": "error", "warning": "warning", "info": "notice"}


def render(diagnosis: Diagnosis, lang: Lang) -> str:
    """One line per finding, unknown error and note; empty for a healthy log without notes."""
    name = clean(diagnosis.input.name)
    return "".join(_line(event, name) for event in events(diagnosis, lang))


def _line(event: Event, name: str) -> str:
    command = "notice" if event.kind == "note" else _COMMAND[event.severity]
    place = {"file": name} if name not in ("", "-") else {}
    if place and event.line:
        place["line"] = str(event.line)
    properties = {**place, "title": f"{event.title} ({event.rule})"}
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{command} {given}::{_data(event.body)}\n"


def _data(text: str) -> str:
    """The escapes of the runner's toolkit for the message; ``%`` first, it begins the others."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
