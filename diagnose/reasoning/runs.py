"""Runs in one input: a server that failed, was changed and was started again leaves several in one file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from diagnose.light import dataclass
from diagnose.reasoning.open_run import EVERY_PROCESS, MarkLike, OpenRun

MarkT = TypeVar("MarkT", bound=MarkLike)


@dataclass(frozen=True, slots=True)
class Run:
    """One start of the program: the lines from ``first`` to ``last``, both included."""

    number: int
    first: int
    last: int
    ready: int | None = None
    """Line on which the server said it was up."""
    stopping: int | None = None
    """Line on which it was asked to stop."""
    stopped: int | None = None

    def holds(self, line: int) -> bool:
        return self.first <= line <= self.last


def split(marks: Iterable[tuple[int, MarkLike]], last_line: int, first_line: int = 1) -> tuple[Run, ...]:
    """Runs of the lines ``first_line`` to ``last_line`` of an input, from its marks (line, mark) in order.

    A start begins a new run when the current one has seen that kind of start already, or came up, or was stopped, or
    when another process says it (``open_run`` has the rules for each kind). Lines before the first start belong to
    the first run.
    """
    runs: list[OpenRun] = [OpenRun(first_line)]
    started: dict[int, OpenRun] = {}
    for line, mark in sorted(marks, key=lambda m: m[0]):
        current = runs[-1]
        if current.is_over_for(mark):
            # No run is empty: the first one ends where an input that begins with a start begins.
            runs[-1 if current.first == line else len(runs) :] = [OpenRun(line)]
            current = runs[-1]
        _owner(mark, current, started).take(line, mark)
    ends = [r.first - 1 for r in runs[1:]] + [max(last_line, first_line)]
    return tuple(
        Run(i, r.first, end, r.lines.get("ready"), r.lines.get("stopping"), r.lines.get("stopped"))
        for i, (r, end) in enumerate(zip(runs, ends, strict=True))
    )


def shaping(marks: Iterable[tuple[int, MarkT]]) -> list[tuple[int, MarkT]]:
    """The marks (line, mark) in order without those that tell nothing new: the runs are the same with and without."""
    made: list[tuple[int, MarkT]] = []
    current = OpenRun(1)
    started: dict[int, OpenRun] = {}
    for line, mark in sorted(marks, key=lambda m: m[0]):
        begins = current.is_over_for(mark)
        if begins:
            current = OpenRun(line)
        owner = _owner(mark, current, started)
        if begins or owner.would_learn(mark):
            made.append((line, mark))
        owner.take(line, mark)
    return made


def _owner(mark: MarkLike, current: OpenRun, started: dict[int, OpenRun]) -> OpenRun:
    """The run whose mark it is. Of two servers that write into one stream, one comes up after the other was started:
    its readiness says nothing about the other. ``started``: where each process started, kept up here."""
    if mark.pid is None or mark.key.startswith(EVERY_PROCESS):
        return current
    if mark.kind == "start":
        started[mark.pid] = current
    return started.get(mark.pid, current) if mark.kind == "ready" else current


def last_failed(runs: Sequence[Run], failed_on: Sequence[int | None]) -> int | None:
    """Index of the last run that failed and has not recovered since: no run that was started later became ready.

    ``failed_on``: the first line with a failure of each run, None for one without. A server that was started before
    another one failed is no new start of it.
    """
    ready_from = 0
    for index in range(len(runs) - 1, -1, -1):
        line = failed_on[index]
        if line is not None:
            return index if line >= ready_from else None
        if runs[index].ready is not None:
            ready_from = max(ready_from, runs[index].first)
    return None
