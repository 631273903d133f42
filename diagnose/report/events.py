"""A diagnosis as a flat list of events, for the formats other programs show beside a file (SARIF, CI)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import field
from typing import Literal

from diagnose.light import dataclass
from diagnose.model import Diagnosis, Finding, Lang, Severity, Unknown
from diagnose.report import values
from diagnose.report.clean import cleaned, one_line
from diagnose.report.markup import flags
from diagnose.report.remedy_text import commands_shown
from diagnose.report.words import word

Kind = Literal["finding", "note", "unknown"]
UNKNOWN_RULE = "unknown-error"

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing to show at one line of the input."""

    kind: Kind
    rule: str
    """Entry id, or ``unknown-error``."""
    severity: Severity
    line: int
    """0 when it stands on no line."""
    title: str
    body: str
    """What is to be said under the title; several lines."""
    text: str
    """The message of the log."""
    fingerprint: str
    """Stable between runs of the same failure, unique within one diagnosis; 64 hexadecimal digits."""
    related: tuple[tuple[int, str], ...] = field(default=())
    """(line, title) of the consequences."""


def events(diagnosis: Diagnosis, lang: Lang) -> list[Event]:
    """Findings, unknown errors and notes in that order, every string cleaned."""
    d = cleaned(diagnosis)
    seen: Counter[str] = Counter()
    found = [_of_finding(f, "finding", lang, seen) for f in d.findings]
    found += [_of_unknown(u, lang, seen) for u in d.unknown]
    found += [_of_finding(n, "note", lang, seen) for n in d.notes]
    return found


def _of_finding(finding: Finding, kind: Kind, lang: Lang, seen: Counter[str]) -> Event:
    return Event(
        kind=kind,
        rule=finding.entry,
        severity=finding.severity,
        line=finding.line,
        title=finding.title.in_(lang),
        body="\n".join(body_lines(finding, lang)),
        text=finding.text,
        fingerprint=_fingerprint(finding.entry, finding.text, seen),
        related=tuple((c.line, c.title.in_(lang)) for c in finding.consequences),
    )


def _of_unknown(unknown: Unknown, lang: Lang, seen: Counter[str]) -> Event:
    nearest = unknown.nearest[0] if unknown.nearest else None
    known = (
        word("nearest", lang).format(entry=nearest.entry, score=nearest.score)
        if nearest
        else word("nearest_none", lang)
    )
    return Event(
        kind="unknown",
        rule=UNKNOWN_RULE,
        severity="error",
        line=unknown.line,
        title=word("unknown_error", lang),
        body=f"{one_line(unknown.text, 400)}\n{known}",
        text=unknown.text,
        fingerprint=_fingerprint(UNKNOWN_RULE, unknown.template or unknown.text, seen),
    )


def body_lines(finding: Finding, lang: Lang) -> list[str]:
    """Cause, then each remedy with its changes, arithmetic and command, then the echoes."""
    lines = flags(finding, lang)
    lines.append(finding.cause.in_(lang))
    for number, remedy in enumerate(finding.remedies, 1):
        lines.append(f"{number}. [{values.badge(remedy, lang)}] {remedy.title.in_(lang)}")
        lines += [f"   {values.change_line(change, lang)}" for change in remedy.changes]
        lines += [f"   {remedy.arithmetic}"] if remedy.arithmetic else []
        for _, command in commands_shown(remedy.commands):
            lines += [f"   {line}" for line in command.rstrip().split("\n")]
    echoes = values.echoes_line(finding, lang)
    return [*lines, echoes] if echoes else lines


def _fingerprint(rule: str, text: str, seen: Counter[str]) -> str:
    basis = f"{rule}\0{_DIGITS.sub('0', one_line(text))}"
    seen[basis] += 1
    return hashlib.sha256(f"{basis}\0{seen[basis]}".encode()).hexdigest()
