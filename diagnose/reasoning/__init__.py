"""What happened: runs in a file, root or echo, recovered or not, outcome."""

from __future__ import annotations

from diagnose.reasoning.events import Event, EventLog
from diagnose.reasoning.judge import judge
from diagnose.reasoning.runs import Run, split
from diagnose.reasoning.verdict import RunVerdict, Verdict

__all__ = ["Event", "EventLog", "Run", "RunVerdict", "Verdict", "judge", "split"]
