"""What reasoning comes to: causes with their copies and echoes, run by run."""

from __future__ import annotations

from collections.abc import Mapping

from diagnose.light import dataclass
from diagnose.model import Match, Value
from diagnose.reasoning.events import Event
from diagnose.reasoning.runs import Run


@dataclass(frozen=True, slots=True)
class Echo:
    """A later error that a root explains."""

    entry: str
    """Entry id, or ``engine.echo`` for an error no entry knows."""
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """One cause in one run, with all its copies and echoes."""

    entry: str
    lead: Match
    copies: tuple[Match, ...]
    """By line, the lead among them."""
    numbers: Mapping[str, Value]
    weight: int
    """0 stopped the run, 1 failed a request, 2 warned, 3 informed."""
    echoes: tuple[Echo, ...] = ()
    since: int = 0
    """Line of the first copy of the last try, where earlier ones had other settings."""

    @property
    def is_uniform(self) -> bool:
        """Whether all copies have the same numbers."""
        return all(copy.numbers == self.lead.numbers for copy in self.copies)

    @property
    def in_force(self) -> tuple[Match, ...]:
        """The copies of the last try."""
        return tuple(copy for copy in self.copies if copy.line >= self.since)


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """Everything that was found out about one run."""

    run: Run
    roots: tuple[Verdict, ...] = ()
    """The cause that stopped the run first, then independent ones."""
    consequences: tuple[Verdict, ...] = ()
    """Echoes whose root is not in the log (only when there is no root)."""
    notes: tuple[Verdict, ...] = ()
    recovered: tuple[Verdict, ...] = ()
    """Causes of failures the same start got over."""
    unknown: tuple[Event, ...] = ()

    @property
    def failed_on(self) -> int | None:
        """The first line with a failure; None where there is none."""
        lines = [copy.record.line for verdict in (*self.roots, *self.consequences) for copy in verdict.copies]
        return min([*lines, *(event.line for event in self.unknown)], default=None)
