"""Verdicts as a table and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from oracle.judge import CLEAN, NEXT, RULE, SAME, UNWRITTEN, Trial, Verdict


@dataclass(slots=True)
class Line:
    """The score of one remedy."""

    entry: str
    remedy: str
    applicability: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    tight: Counter[str] = field(default_factory=Counter)
    low: Counter[str] = field(default_factory=Counter)

    @property
    def tried(self) -> int:
        return self.results.total() - self.results[UNWRITTEN]


@dataclass(slots=True)
class Loop:
    """The closed loop of one entry: exact remedies after which the real check passes, and claims that hold."""

    entry: str
    exact: int = 0
    passed: int = 0
    claims: int = 0
    held: int = 0


@dataclass(slots=True)
class Score:
    """Everything that is printed and saved."""

    lines: list[Line]
    loops: list[Loop]
    families: Mapping[str, Counter[str]]
    broken: list[tuple[Verdict, Trial]]
    """Exact remedies that did not help, changes that break a rule, and claims that were refuted."""
    followed: list[tuple[Verdict, Trial]]
    """Exact remedies after which something else came to light that the configuration alone does not tell."""
    misnamed: list[Verdict]
    asked: Counter[tuple[str, str, str]]

    @property
    def failed(self) -> bool:
        return bool(self.broken or self.misnamed)


def score(verdicts: Iterable[Verdict]) -> Score:
    """Counts what happened, per family and per (entry, remedy)."""
    lines: dict[tuple[str, str], Line] = {}
    loops: dict[str, Loop] = {}
    families: dict[str, Counter[str]] = defaultdict(Counter)
    broken: list[tuple[Verdict, Trial]] = []
    followed: list[tuple[Verdict, Trial]] = []
    misnamed: list[Verdict] = []
    asked: Counter[tuple[str, str, str]] = Counter()
    for verdict in verdicts:
        tally = families[verdict.family]
        tally["cases"] += 1
        tally["errors"] += verdict.error is not None
        tally["healthy"] += verdict.error is None and verdict.entry is None
        tally["named"] += verdict.named
        if not verdict.named:
            misnamed.append(verdict)
        asked.update((verdict.entry or "", remedy, names) for remedy, names in verdict.asked)
        for trial in verdict.trials:
            line = lines.setdefault((trial.entry, trial.remedy), Line(trial.entry, trial.remedy))
            _count(line, trial)
            _close(loops.setdefault(trial.entry, Loop(trial.entry)), trial)
            tally[f"{trial.applicability} {trial.result}"] += 1
            if is_broken(trial):
                broken.append((verdict, trial))
            elif trial.applicability == "exact" and trial.result == NEXT:
                followed.append((verdict, trial))
    ordered = sorted(lines.values(), key=lambda line: (line.entry, line.remedy))
    return Score(ordered, [loops[e] for e in sorted(loops)], families, broken, followed, misnamed, asked)


def is_broken(trial: Trial) -> bool:
    """An exact remedy after which the error is still there, any change that breaks a rule, a claim that does not hold,
    or an interval whose safe end fails."""
    return (
        (trial.applicability == "exact" and trial.result == SAME)
        or trial.result == RULE
        or trial.tight is False
        or trial.low_holds is False
    )


def _count(line: Line, trial: Trial) -> None:
    line.applicability[trial.applicability] += 1
    line.results[trial.result] += 1
    if trial.tight is not None:
        line.tight["held" if trial.tight else "refuted"] += 1
    if trial.low_holds is not None:
        line.low["held" if trial.low_holds else "failed"] += 1


def _close(loop: Loop, trial: Trial) -> None:
    if trial.applicability == "exact" and trial.result != UNWRITTEN:
        loop.exact += 1
        loop.passed += trial.result in (CLEAN, NEXT)
    if trial.tight is not None:
        loop.claims += 1
        loop.held += trial.tight


def closed_loop(found: Score) -> str:
    """Per entry and for all: exact remedies after which the real check passes, and claims of a largest or smallest
    value that hold."""
    every = Loop("all")
    for loop in found.loops:
        every.exact, every.passed = every.exact + loop.exact, every.passed + loop.passed
        every.claims, every.held = every.claims + loop.claims, every.held + loop.held
    rows: list[tuple[str, ...]] = [("closed loop", "exact pass", "", "claims hold", "")]
    rows += [
        (x.entry, _share(x.passed, x.exact), _percent(x.passed, x.exact), _share(x.held, x.claims),
         _percent(x.held, x.claims))
        for x in (*found.loops, every) if x.exact or x.claims
    ]  # fmt: skip
    return _columns(rows)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def table(found: Score) -> str:
    """The score for a terminal."""
    rows: list[tuple[str, ...]] = [
        ("entry", "remedy", "kind", "tried", "clean", "next", "same", "rule", "tight", "safe end")
    ]
    for line in found.lines:
        kinds = "/".join(sorted(line.applicability))
        counts = (str(line.results[r] or "") for r in (NEXT, SAME, RULE))
        clean = _share(line.results[CLEAN], line.tried)
        held = (_held(line.tight, "refuted"), _held(line.low, "failed"))
        rows.append((line.entry, line.remedy, kinds, str(line.tried), clean, *counts, *held))
    text = _columns(rows)
    text += "\n\n" + _columns(
        [("family", "cases", "errors", "named", "healthy")]
        + [
            (name, str(c["cases"]), str(c["errors"]), _share(c["named"], c["cases"]), str(c["healthy"]))
            for name, c in sorted(found.families.items())
        ]
    )
    return text + "\n\n" + closed_loop(found) + "\n" + "".join(_complaints(found))


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole}" if whole else "-"


def _held(counter: Counter[str], bad: str) -> str:
    return (
        f"{counter['held']}/{counter.total()}" + (f" ({counter[bad]} {bad})" if counter[bad] else "") if counter else ""
    )


def _complaints(found: Score, most: int = 12) -> Iterable[str]:
    for verdict, trial in found.broken[:most]:
        yield f"\n! {trial.entry} / {trial.remedy} ({trial.applicability}): {trial.offered} -> {trial.result}"
        yield f"; better: {trial.refuted}" if trial.refuted is not None else ""
        yield f"\n  {trial.after}\n  {verdict.case}\n"
    for verdict in found.misnamed[:most]:
        yield f"\n? {verdict.family}: {verdict.error or 'no error'} -> {verdict.entry}\n  {verdict.case}\n"
    for (entry, remedy, names), count in sorted(found.asked.items()):
        yield f"\n- {entry} / {remedy}: asks for {names} ({count} times)"


def _columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _shown(verdict: Verdict, trial: Trial) -> dict[str, Any]:
    return {"case": verdict.case, "form": verdict.form, "error": verdict.error, "trial": asdict(trial)}


def as_json(found: Score, verdicts: Sequence[Verdict], about: Mapping[str, Any]) -> dict[str, Any]:
    """The object of ``oracle/out/results.json``."""
    return {
        "about": dict(about),
        "remedies": [
            {"entry": line.entry, "remedy": line.remedy, "applicability": dict(line.applicability),
             "results": dict(line.results), "tight": dict(line.tight), "safe_end": dict(line.low)}
            for line in found.lines
        ],
        "families": {name: dict(counter) for name, counter in found.families.items()},
        "broken": [_shown(v, t) for v, t in found.broken],
        "followed": [_shown(v, t) for v, t in found.followed],
        "misnamed": [{"case": v.case, "form": v.form, "error": v.error, "entry": v.entry} for v in found.misnamed],
        "asked": [{"entry": e, "remedy": r, "missing": n, "count": c} for (e, r, n), c in found.asked.items()],
        "cases": len(verdicts),
    }  # fmt: skip
