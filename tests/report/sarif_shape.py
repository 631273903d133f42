"""What SARIF 2.1.0 (OASIS, errata 01) demands of the objects the report writes, by its section numbers.

Only the properties that are written are named: one more is a mistake until its rule stands here.
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

Shape = dict[str, Any]


def an_object(required: str, **properties: Shape) -> Shape:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def a_list(items: Shape, **more: Any) -> Shape:
    return {"type": "array", "items": items, **more}


TEXT: Shape = {"type": "string", "minLength": 1}
MESSAGE = an_object("text", text={"type": "string"})  # 3.11: a message without an id has a text
INDEX: Shape = {"type": "integer", "minimum": 0}  # 3.27.6
REFERENCE = r"^[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+$"  # RFC 3986
URI: Shape = {"type": "string", "minLength": 1, "pattern": REFERENCE}  # 3.4.3
REGION = an_object(
    "startLine",  # 3.30.5: lines are counted from 1
    startLine={"type": "integer", "minimum": 1},
    snippet=an_object("text", text={"type": "string"}),  # 3.30.13, 3.3
)
PHYSICAL = an_object("artifactLocation", artifactLocation=an_object("uri", uri=URI), region=REGION)  # 3.29
LOCATION = an_object("physicalLocation", physicalLocation=PHYSICAL)  # 3.28
RELATED = an_object("id physicalLocation message", id=INDEX, physicalLocation=PHYSICAL, message=MESSAGE)
RESULT = an_object(
    "ruleId ruleIndex level message locations partialFingerprints",
    ruleId=TEXT,
    ruleIndex=INDEX,
    level={"enum": ["none", "note", "warning", "error"]},  # 3.27.10
    message=MESSAGE,
    locations=a_list(LOCATION),
    relatedLocations=a_list(RELATED, uniqueItems=True),  # 3.27.22
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},  # 3.27.17
)
RULE = an_object("id shortDescription", id=TEXT, shortDescription=MESSAGE)  # 3.49
DRIVER = an_object(
    "name version semanticVersion rules",  # 3.19
    name=TEXT,
    version=TEXT,
    semanticVersion={"type": "string", "pattern": r"^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$"},  # 3.19.12
    rules=a_list(RULE, uniqueItems=True),  # 3.19.23
)
RUN = an_object(
    "tool language columnKind results",
    tool=an_object("driver", driver=DRIVER),  # 3.18
    language={"type": "string", "pattern": "^[a-z]{2}-[A-Z]{2}$"},  # 3.14.7, RFC 5646
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},  # 3.14.27
    results=a_list(RESULT),
)
LOG: Shape = an_object(
    "$schema version runs",
    version={"const": "2.1.0"},  # 3.13.2
    runs=a_list(RUN, minItems=1, maxItems=1),
    **{"$schema": {"type": "string", "pattern": "^https://docs\\.oasis-open\\.org/sarif/"}},
)
SARIF = Draft202012Validator(LOG, format_checker=FormatChecker())
