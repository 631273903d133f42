"""What was found: changes, remedies, findings, unknown errors, and the whole diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Literal

from diagnose.light import dataclass
from diagnose.model.run import RunContext
from diagnose.model.text import Applicability, Domain, Outcome, Role, Severity, Text, Value

SURETY: Mapping[Applicability, int] = {"exact": 0, "estimate": 1, "needs-value": 2, "advice": 3}
"""Applicability → place, the surest first."""


@dataclass(frozen=True, slots=True)
class Change:
    """One parameter, from the value in force to the value to set."""

    parameter: str
    """Dotted rbln_config name, or a ``processor.*`` name, or a vLLM name that has no rbln_config twin."""
    from_: Value
    """None when it was not set or is not known."""
    to: Value
    """None means: remove it, let the library choose."""
    scope: Literal["rbln_config", "processor", "vllm", "environment", "optimum-cli"] = "rbln_config"


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of a failure that came several times with numbers of its own."""

    line: int
    numbers: Mapping[str, Value]
    """Those in which the copies differ."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way out, complete enough to carry out."""

    id: str
    applicability: Applicability
    title: Text
    changes: tuple[Change, ...] = ()
    arithmetic: str = ""
    """The computation with its numbers, e.g. ``(12 - 1) * 16384 = 180224``."""
    bound: Text | None = None
    """For an estimate: how far off it can be."""
    missing: tuple[str, ...] = ()
    """For ``needs-value``: the parameters to supply with ``--set`` or ``--config``."""
    doubt: Text | None = None
    """For ``needs-value``: why those of ``missing`` that are known are not computed with. For ``advice``: why there is
    no value."""
    copies: tuple[Copy, ...] = ()
    """Where copies of the failure come to different values: the one that decides, or those no one value serves."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """``vllm``, ``python``, ``llm``, ``cli`` … → the text to paste, the person's own form first."""
    side_effect: Text | None = None
    verify: Text | None = None
    first: bool = False
    """True when it costs nothing and rules out the likeliest cause: shown before surer remedies."""

    @property
    def order(self) -> tuple[bool, int]:
        """Sorts remedies the way they are shown: what comes first by itself, then the surest."""
        return not self.first, SURETY[self.applicability]

    def on_lines(self, of_line: Callable[[int], int]) -> Remedy:
        """The same for a reader who counts the lines as ``of_line`` says."""
        if not self.copies:
            return self
        return replace(self, copies=tuple(replace(copy, line=of_line(copy.line)) for copy in self.copies))


@dataclass(frozen=True, slots=True)
class Consequence:
    """An error that is only the echo of a root cause."""

    entry: str
    line: int
    title: Text
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnosed error: the root cause, its numbers, its echoes and its remedies."""

    entry: str
    domain: Domain
    role: Role
    severity: Severity
    line: int
    offset: int
    text: str
    """The message line as it stood, prefix layers removed (its first lines if it is long)."""
    title: Text
    cause: Text
    count: int = 1
    lines: tuple[int, ...] = ()
    """Lines of all copies, the first one first."""
    process: str | None = None
    time: str | None = None
    numbers: Mapping[str, Value] = field(default_factory=dict)
    highlights: tuple[tuple[int, int], ...] = ()
    """Spans of the captured numbers in ``text``."""
    remedies: tuple[Remedy, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    recovered: bool = False
    """True when a later start of the same server succeeded."""
    own_title: bool = False
    """The title is the entry's as it stands: nothing of the log is in it, so there is nothing in it to hide."""


@dataclass(frozen=True, slots=True)
class Nearest:
    entry: str
    score: int
    """0–100."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """An error the knowledge base does not know."""

    line: int
    offset: int
    text: str
    template: str
    """``text`` with numbers, paths and ids masked: equal templates are one error."""
    count: int = 1
    process: str | None = None
    nearest: tuple[Nearest, ...] = ()


@dataclass(frozen=True, slots=True)
class InputInfo:
    name: str
    bytes: int
    lines: int
    repaired: tuple[str, ...] = ()
    """What was undone before the input said what it says, the outermost first (names of ``diagnose.repair``): it was
    wrapped, quoted, numbered, … on its way. Empty when it was read as it stands."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was found out about one input."""

    input: InputInfo
    outcome: Outcome
    run: RunContext
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    runs: int = 1
    """How many runs the input holds."""
    kb_hash: str = ""
    kb_entries: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the input broke off and nothing failed in what could be read of it: there is no verdict then."""
        return self.outcome == "unknown" and not self.unknown and all(f.recovered for f in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The object of the JSON contract ``rbln-diagnose/1`` (``diagnose/report/schema.json``)."""
        from diagnose.report.as_dict import diagnosis_to_dict

        return diagnosis_to_dict(self)
