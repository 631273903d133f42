"""``--format junit``: one test suite; a finding is a failure, an unknown error an error, a note output."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from diagnose.model import Diagnosis, Lang
from diagnose.report.clean import clean
from diagnose.report.events import Event, events
from diagnose.report.markup import nothing_found

_ELEMENT = {"finding": "failure", "unknown": "error"}


def render(diagnosis: Diagnosis, lang: Lang) -> str:
    """An XML document; a log in which nothing is wrong is one passing test."""
    found = events(diagnosis, lang)
    wrong = [event for event in found if event.kind != "note"]
    name = clean(diagnosis.input.name)
    counts = {
        "name": "rbln-diagnose",
        "tests": str(max(len(wrong), 1)),
        "failures": str(sum(event.kind == "finding" for event in wrong)),
        "errors": str(sum(event.kind == "unknown" for event in wrong) + (diagnosis.is_open and not wrong)),
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {**counts, "name": name, "skipped": "0", "time": "0"})
    for event in wrong:
        _case(suite, event, name)
    if not wrong:
        title = clean(nothing_found(diagnosis, lang))
        case = ET.SubElement(suite, "testcase", {"classname": "rbln-diagnose", "name": title, "time": "0"})
        if diagnosis.is_open:
            ET.SubElement(case, "error", {"message": title})
    notes = [f"{event.title}\n{event.body}" for event in found if event.kind == "note"]
    if notes:
        ET.SubElement(suite, "system-out").text = "\n\n".join(notes)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(suite: ET.Element, event: Event, name: str) -> None:
    about = {
        "classname": event.rule,
        "name": f"{event.title} ({name}:{event.line})",
        "file": name,
        "time": "0",
    }
    case = ET.SubElement(suite, "testcase", about)
    what = ET.SubElement(case, _ELEMENT[event.kind], {"message": event.title, "type": event.rule})
    what.text = f"{name}:{event.line}\n{event.text}\n\n{event.body}"
