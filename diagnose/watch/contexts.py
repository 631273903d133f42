"""What each run of a source was: a failure is written down with the settings of its own run, not of the latest."""

from __future__ import annotations

from dataclasses import replace

from diagnose import redact
from diagnose.analyzer import Look
from diagnose.model import Diagnosis, RunContext
from diagnose.watch.doubts import shown_run


class RunContexts:
    """Contexts of the runs of one look, without secrets, each worked out when it is asked for.

    ``diagnosis`` is the one of the look, redacted: its context is the one of the run it shows.
    """

    def __init__(self, look: Look, diagnosis: Diagnosis, redactor: redact.Redactor) -> None:
        self._look, self._diagnosis, self._redactor = look, diagnosis, redactor
        shown = shown_run(look.runs, diagnosis)
        self._made = {len(look.runs) - 1 if shown is None else shown: diagnosis.run}

    def at(self, line: int) -> RunContext:
        """The context of the run that holds a line of the stream; of the run that is shown, when none does."""
        index = next((index for index, run in enumerate(self._look.runs) if run.holds(line)), None)
        if index is None:
            return self._diagnosis.run
        if index not in self._made:
            bare = replace(self._diagnosis, run=self._look.context_of(index), findings=(), notes=(), unknown=())
            self._made[index] = redact.redacted(bare, self._redactor).run
        return self._made[index]
