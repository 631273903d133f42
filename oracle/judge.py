"""The closed loop: error, diagnosis, remedy, the library once more."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import Knowledge, load
from diagnose.model import Diagnosis, Finding, InputError, Remedy
from diagnose.scan import Engine
from oracle.apply import CannotApply, applied, with_value
from oracle.capture import Outcome
from oracle.case import Case
from oracle.claims import CLAIMS, refuted_by
from oracle.given import give
from oracle.names import breaks_a_rule, entry_for

Run = Callable[[Case], Outcome]

CLEAN, SAME, RULE, NEXT, UNWRITTEN = "clean", "same error", "breaks a rule", "next error", "not applied"
"""What became of an error after a remedy. ``RULE``: gone, but the change runs into another rule of the configuration,
which the product knows. ``NEXT``: gone, and something comes to light that the configuration alone does not tell
(memory, devices, the request)."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One remedy carried out."""

    entry: str
    remedy: str
    applicability: str
    result: str
    offered: str
    tight: bool | None = None
    """Whether the claim of a largest or smallest value held; None when nothing is claimed."""
    refuted: int | None = None
    """The better value that works too."""
    low_holds: bool | None = None
    """For an estimate with an interval: whether its safe end works."""
    after: str = ""
    """The error that was there afterwards."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one case showed."""

    family: str
    error: str | None
    """The library's error; None when the configuration was fine."""
    entry: str | None
    named: bool
    """The finding is one of the expected entries (healthy: nothing was found)."""
    trials: tuple[Trial, ...] = ()
    asked: tuple[tuple[str, str], ...] = ()
    """(remedy, missing names) that could not be computed although everything was given."""
    form: str = ""
    case: str = ""
    log: str = field(default="", repr=False)


def judge(case: Case, run: Run, form: str) -> Verdict:
    """Runs the case, diagnoses what came out, and tries every computed remedy."""
    outcome = run(case)
    diagnosis = read(case, outcome, form)
    right = entry_for(outcome.error, outcome.log)
    finding = problem(diagnosis, right)
    about: dict[str, Any] = {"family": case.family, "error": outcome.error, "form": form, "case": shown(case)}
    if outcome.clean and finding is None:
        return Verdict(**about, entry=None, named=right is None, log=outcome.log)
    if finding is None:
        return Verdict(**about, entry=None, named=False, log=outcome.log)
    named = finding.entry == right or (right == "" and diagnosis.outcome == "diagnosed")
    return Verdict(
        **about,
        entry=finding.entry,
        named=named,
        trials=tuple(_trial(case, run, finding, remedy) for remedy in finding.remedies if remedy.changes),
        asked=tuple((r.id, ", ".join(r.missing)) for r in finding.remedies if r.missing),
        log="" if named else outcome.log,
    )


def read(case: Case, outcome: Outcome, form: str) -> Diagnosis:
    """The diagnosis of the outcome's log, with the configuration given in ``form``."""
    try:
        return _read(case, outcome, form)
    except InputError:
        return _read(case, outcome, "script")  # ``--set`` takes no value that can never be right; a script holds it


def _read(case: Case, outcome: Outcome, form: str) -> Diagnosis:
    with tempfile.TemporaryDirectory() as directory:
        given = give(case, form, Path(directory))
        npu = case.config.get("npu") or (case.machine.npu if case.machine.devices else None)
        analyzer = Analyzer(
            config=given.config, sets=given.sets, npu=npu, knowledge=_knowledge(), engine=_engine()
        )  # as diagnose.diagnose_bytes, with the knowledge base compiled once
        analyzer.feed(outcome.log.encode())
        return analyzer.finish()


@lru_cache(maxsize=1)
def _knowledge() -> Knowledge:
    return load()


@lru_cache(maxsize=1)
def _engine() -> Engine:
    return engine_for(_knowledge())


def problem(diagnosis: Diagnosis, right: str | None) -> Finding | None:
    """The finding; without one, the note that is right (a warning of the library is a note, no failure)."""
    if diagnosis.findings:
        return diagnosis.findings[0]
    return next((note for note in diagnosis.notes if note.entry == right), None)


def _trial(case: Case, run: Run, finding: Finding, remedy: Remedy) -> Trial:
    offered = ", ".join(f"{c.parameter}={c.to}" for c in remedy.changes)
    about: dict[str, Any] = {
        "entry": finding.entry,
        "remedy": remedy.id,
        "applicability": remedy.applicability,
        "offered": offered,
    }
    try:
        changed = applied(case, remedy)
        outcome = run(changed)
        result = _became(outcome, finding)
        tight, refuted = _tight(case, changed, run, finding, remedy) if result == CLEAN else (None, None)
    except (CannotApply, InputError) as error:
        return Trial(**about, result=UNWRITTEN, after=str(error))
    return Trial(
        **about,
        result=result,
        tight=tight,
        refuted=refuted,
        low_holds=_low_holds(case, run, remedy),
        after=_short(outcome.error),
    )


def _became(outcome: Outcome, finding: Finding) -> str:
    right = entry_for(outcome.error, outcome.log)
    if right == finding.entry:
        return SAME
    if outcome.clean:
        return CLEAN
    return RULE if breaks_a_rule(right) else NEXT


def _tight(case: Case, changed: Case, run: Run, finding: Finding, remedy: Remedy) -> tuple[bool | None, int | None]:
    claim = CLAIMS.get((finding.entry, remedy.id))
    if claim is None:
        return None, None
    change = next((c for c in remedy.changes if c.parameter.split(".")[-1] == claim.parameter), None)
    tried = False
    for value in () if change is None else refuted_by(claim, change, case, finding):
        tried = True
        outcome = run(with_value(changed, change.parameter if change else "", value))
        if entry_for(outcome.error, outcome.log) is None:
            return False, value
    return (True, None) if tried else (None, None)


_INTERVAL = re.compile(r"between ([\d,]+) and ([\d,]+) blocks fit")


def interval(remedy: Remedy) -> tuple[int, int] | None:
    """(safe, most) of an estimate that gives an interval of blocks."""
    found = _INTERVAL.search(remedy.bound.en) if remedy.bound is not None else None
    return (int(found[1].replace(",", "")), int(found[2].replace(",", ""))) if found else None


def _low_holds(case: Case, run: Run, remedy: Remedy) -> bool | None:
    ends = interval(remedy)
    if ends is None or not any(c.parameter.endswith("kvcache_num_blocks") for c in remedy.changes):
        return None
    return run(with_value(applied(case, remedy), "kvcache_num_blocks", ends[0])).clean


def _short(error: str | None, width: int = 160) -> str:
    text = " ".join((error or "").split())
    return text if len(text) <= width else text[: width - 1] + "…"


def shown(case: Case) -> str:
    """A case in one line, enough to repeat it by hand."""
    parts: list[Any] = [dict(case.config), case.machine]
    parts += [case.model] if case.model is not None else []
    parts += [dict(case.request)] if case.request else []
    return " | ".join(str(part) for part in parts)


def judged(cases: Iterator[tuple[Case, str]], run: Run) -> Iterator[Verdict]:
    """Verdicts, one after the other."""
    for case, form in cases:
        yield judge(case, run, form)
