"""Which of the run's values a reader needs beside a finding, and which are missing."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.late import late
from diagnose.model import Diagnosis, Finding, Remedy, RunContext, Setting

_NAME = late(r"[A-Za-z_][\w.]*\w")
_NUMBER = late(r"(?<![\w.])\d+(?![\w.])")
_TELLING = 64
"""A smaller number in an arithmetic line could stand for anything; a larger one is taken as that setting."""


def settings_used(finding: Finding, run: RunContext) -> tuple[tuple[str, Setting], ...]:
    """(parameter, setting) of every value in force that the finding's remedies change or compute with.

    Nothing for a finding of another run or server, whose remedies change other values than ``run`` had.
    """
    changes = [change for remedy in finding.remedies for change in remedy.changes]
    if any((s := run.setting(c.parameter)) is not None and s.value != c.from_ for c in changes):
        return ()
    found: dict[str, Setting] = {}
    for remedy in finding.remedies:
        for name in _names(remedy, run):
            setting = run.setting(name)
            if setting is not None:
                placed = run.place(name)
                found.setdefault(placed if placed in run.config else name, setting)
    return tuple(found.items())


def _names(remedy: Remedy, run: RunContext) -> Iterator[str]:
    yield from (change.parameter for change in remedy.changes)
    yield from remedy.missing
    yield from _NAME.findall(remedy.arithmetic)
    numbers = {int(n) for n in _NUMBER.findall(remedy.arithmetic.replace("_", ""))}
    for name, setting in run.config.items():
        value = setting.value
        if isinstance(value, int) and not isinstance(value, bool) and value >= _TELLING and value in numbers:
            yield name


def missing(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Parameters the person should supply, each once, in the order the remedies need them."""
    names = (name for f in diagnosis.findings for r in f.remedies for name in r.missing)
    return tuple(dict.fromkeys(names))
