"""What is wrong with an entry."""

from __future__ import annotations

from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """One thing to mend."""

    entry: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.entry}: {self.message} [{self.rule}]"
