"""Runs in one input: a server that failed, was changed and was started again leaves several in one file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from diagnose.light import dataclass

EVERY_PROCESS = "platform"
"""Key of a start that every child process prints again: it begins a run only after a stop."""
ENDS = ("ready", "stopping", "stopped")


class MarkLike(Protocol):
    """A sign of life of a server (``diagnose.context.runs.Mark``) with its line."""

    @property
    def kind(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def pid(self) -> int | None: ...


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
    when another process says it. Lines before the first start belong to the first run.
    """
    runs: list[_Open] = [_Open(first_line)]
    started: dict[int, _Open] = {}
    for line, mark in sorted(marks, key=lambda m: m[0]):
        current = runs[-1]
        if mark.kind == "start" and current.is_over_for(mark):
            # No run is empty: the first one ends where an input that begins with a start begins.
            runs[-1 if current.first == line else len(runs) :] = [_Open(line)]
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
    current = _Open(1)
    started: dict[int, _Open] = {}
    for line, mark in sorted(marks, key=lambda m: m[0]):
        begins = mark.kind == "start" and current.is_over_for(mark)
        if begins:
            current = _Open(line)
        owner = _owner(mark, current, started)
        if begins or owner.would_learn(mark):
            made.append((line, mark))
        owner.take(line, mark)
    return made


def _owner(mark: MarkLike, current: _Open, started: dict[int, _Open]) -> _Open:
    """The run whose mark it is. Of two servers that write into one stream, one comes up after the other was started:
    its readiness says nothing about the other. ``started``: where each process started, kept up here."""
    if mark.pid is None or mark.key.startswith(EVERY_PROCESS):
        return current
    if mark.kind == "start":
        started[mark.pid] = current
    return started.get(mark.pid, current) if mark.kind == "ready" else current


class _Open:
    """A run while its marks are read."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.keys: set[str] = set()
        self.pids: set[int] = set()
        self.lines: dict[str, int] = {}

    def is_over_for(self, mark: MarkLike) -> bool:
        if not self.keys:
            return False
        if mark.key.startswith(EVERY_PROCESS):
            return "stopping" in self.lines or "stopped" in self.lines
        if mark.key in self.keys or self.lines:
            return True
        return mark.pid is not None and bool(self.pids) and mark.pid not in self.pids

    def would_learn(self, mark: MarkLike) -> bool:
        """Whether anything is other after the mark."""
        if mark.kind != "start":
            return mark.kind in ENDS and mark.kind not in self.lines
        if mark.key.startswith(EVERY_PROCESS):
            return not self.keys  # it tells by being there, not by what it is
        return mark.key not in self.keys or (mark.pid is not None and mark.pid not in self.pids)

    def take(self, line: int, mark: MarkLike) -> None:
        if mark.kind != "start":
            if mark.kind in ENDS:
                self.lines.setdefault(mark.kind, line)
            return
        self.keys.add(mark.key)
        if mark.pid is not None and not mark.key.startswith(EVERY_PROCESS):
            self.pids.add(mark.pid)


def last_failed(runs: Sequence[Run], failed: Sequence[bool]) -> int | None:
    """Index of the last run that failed and has not recovered since: no later run became ready."""
    for index in range(len(runs) - 1, -1, -1):
        if failed[index]:
            return index
        if runs[index].ready is not None:
            return None
    return None
