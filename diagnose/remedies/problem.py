"""What a solver is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from diagnose.knowledge.schema import Knowledge
from diagnose.light import dataclass
from diagnose.model import Applicability, RunContext, Text, Value

TOP = "rbln_config."
"""In front of a parameter that is meant at the top level also where the class keeps the field in a submodule."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One remedy to compute: the numbers of the message and what the run was."""

    numbers: Mapping[str, Value]
    context: RunContext
    knowledge: Knowledge
    options: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Solution:
    """A computed change, not yet checked against the constraints."""

    changes: Mapping[str, Value] = field(default_factory=dict)
    """Canonical parameter → new value; None removes the parameter."""
    arithmetic: str = ""
    """The computation with its numbers; for ``needs-value`` the formula with the known numbers filled in."""
    applicability: Applicability = "exact"
    bound: Text | None = None
    missing: tuple[str, ...] = ()
    doubt: Text | None = None
    """Why known values are not computed with; ``missing`` names them."""
    commands: Mapping[str, str] = field(default_factory=dict)
    first: bool = False
    """True when it costs nothing and rules out the likeliest cause: shown before surer remedies."""
    note: Text | None = None
    """Said beside the remedy's side effect: what this particular computation found."""


Solver = Callable[[Problem], Solution | None]
"""None: the remedy does not apply to this run."""
