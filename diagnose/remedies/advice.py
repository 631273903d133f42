"""What a finding says beside its message, in one piece: title, cause and remedies, worked out once for the same run."""

from __future__ import annotations

from collections.abc import Mapping

from diagnose.knowledge.schema import Entry, Knowledge
from diagnose.light import dataclass
from diagnose.model import Remedy, RunContext, Text, Value
from diagnose.once import Once
from diagnose.remedies.prescribe import cause_in, environment, observe, prescribe_in, title_in


@dataclass(frozen=True, slots=True)
class Advice:
    """The texts of an entry filled in, and what can be done."""

    title: Text
    cause: Text
    remedies: tuple[Remedy, ...]


@dataclass(frozen=True, slots=True)
class Advisor:
    """Gives advice from one knowledge base. ``once`` outlives it: advice depends on nothing but its arguments."""

    knowledge: Knowledge
    once: Once

    def __call__(self, entry: Entry, numbers: Mapping[str, Value], context: RunContext) -> Advice:
        """The advice of ``entry`` for these numbers in this run; the same object for the same arguments."""
        return self.once((entry.id, numbers, context), lambda: self._worked_out(entry, numbers, context))

    def _worked_out(self, entry: Entry, numbers: Mapping[str, Value], context: RunContext) -> Advice:
        env = environment(numbers, context, self.knowledge)
        return Advice(title_in(env, entry), cause_in(env, entry), prescribe_in(env, entry, context))

    def observed(self, context: RunContext) -> tuple[tuple[Entry, Mapping[str, Value]], ...]:
        """What ``observe`` finds in this run's configuration."""
        return self.once(("observed", context), lambda: tuple(observe(self.knowledge, context)))
