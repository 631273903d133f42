"""The nouns of the project. Every room takes and gives these; none of them does any work.

All are frozen and slotted. Units stand in the names (``*_bytes``, ``*_s``). Line numbers count
``\\n`` only, from 1. Offsets are bytes from the start of the input after it was brought to UTF-8.
"""

from __future__ import annotations

from diagnose.model.finding import (
    SURETY,
    Change,
    Consequence,
    Copy,
    Diagnosis,
    Finding,
    InputInfo,
    Nearest,
    Remedy,
    Unknown,
)
from diagnose.model.record import (
    ExceptionInfo,
    Line,
    Match,
    Piece,
    Record,
    RecordKind,
)
from diagnose.model.run import (
    LM_FIELDS,
    MESSAGE,
    Additional,
    Fact,
    GivenConfig,
    Noted,
    Overruled,
    RunContext,
    Setting,
)
from diagnose.model.text import (
    Applicability,
    Domain,
    InputError,
    Lang,
    Outcome,
    Role,
    Severity,
    Text,
    Value,
)

__all__ = [
    "LM_FIELDS",
    "MESSAGE",
    "SURETY",
    "Additional",
    "Applicability",
    "Change",
    "Consequence",
    "Copy",
    "Diagnosis",
    "Domain",
    "ExceptionInfo",
    "Fact",
    "Finding",
    "GivenConfig",
    "InputError",
    "InputInfo",
    "Lang",
    "Line",
    "Match",
    "Nearest",
    "Noted",
    "Outcome",
    "Overruled",
    "Piece",
    "Record",
    "RecordKind",
    "Remedy",
    "Role",
    "RunContext",
    "Setting",
    "Severity",
    "Text",
    "Unknown",
    "Value",
]
