"""What the analyser gathers while it reads, within bounds however long the input is: the latest is kept."""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from diagnose.context import FactBook, Mark
from diagnose.light import dataclass
from diagnose.model import Fact, GivenConfig, Value
from diagnose.reasoning import EventLog, Run, split
from diagnose.reasoning.open_run import REFUSED
from diagnose.reasoning.runs import shaping

MAX_FACTS = 20_000
"""Facts kept about one input; see ``FactBook.shrink`` for those that go."""
MAX_MARKS = 20_000
"""Signs of life kept about one input."""
MAX_RUNS = 200
"""Runs of one input that are judged, the latest: a program that is started over and over must not cost its square."""
MAX_NAMES = 64
"""Names of servers kept, to find theirs among the sections of a file given by hand."""


@dataclass(slots=True)
class Collected:
    """Everything that is known of an input so far."""

    name: str
    given: Sequence[GivenConfig]
    sets: Mapping[str, Value]
    npu: str | None
    all_runs: bool
    events: EventLog = field(default_factory=EventLog)
    facts: FactBook = field(default_factory=FactBook)
    marks: list[tuple[int, Mark]] = field(default_factory=list)
    bytes: int = 0
    lines: int = 0
    damaged: bool = False
    """The input broke off."""
    left_out: Mapping[int, int] = field(default_factory=dict)
    """Line → copies of it the scan only counted."""
    lines_lost: int = 0
    """Lines the scan could not keep whole in which something may stand that it looks for, and …"""
    lines_lost_to: int = 0
    """… the last of them."""
    earlier_runs: int = 0
    """Runs whose marks were let go: too many came after them for them to be judged."""
    servers: dict[str, None] = field(default_factory=dict)
    """Names of those whose lines were taken, as ``Record.server``; the first ``MAX_NAMES``."""
    first: int = 1
    """First line of the first run that is left."""
    marks_lost: int = 0
    """Signs of life that were let go."""
    facts_lost: int = 0
    """Facts that were let go, and …"""
    facts_lost_to: int = 0
    """… the last line of them; 0 when all are kept."""
    _started: int = 0
    """Line of the last start."""
    _said: dict[Mark, int] = field(default_factory=dict)
    """Signs of life since then, with their lines: one that comes again tells nothing new."""

    @property
    def news(self) -> int:
        """Grows whenever a mark or a fact came that can change the diagnosis, also when others had to go."""
        return len(self.marks) + self.marks_lost + len(self.facts) + self.facts_lost

    def anew(self) -> Collected:
        """For another reading of the same input."""
        return Collected(self.name, self.given, self.sets, self.npu, self.all_runs, bytes=self.bytes, lines=self.lines)

    def twin(self, lines: int) -> Collected:
        """A copy of its own that goes on from here, as of ``lines`` lines."""
        book = copy.copy(self.facts)
        vars(book).update({name: copy.copy(value) for name, value in vars(self.facts).items()})
        marks, said = list(self.marks), dict(self._said)
        servers = dict(self.servers)
        return replace(
            self, events=self.events.copy(), facts=book, marks=marks, lines=lines, servers=servers, _said=said
        )

    def runs(self) -> tuple[Run, ...]:
        """The runs seen so far, without those that were let go."""
        return split(self.marks, self.lines, self.first)

    def take(self, line: int, mark: Mark | None, facts: Iterable[Fact]) -> None:
        """Take what a record on ``line`` says."""
        if mark is not None:
            self.mark(line, mark)
        self.learn(facts)

    def from_server(self, name: str) -> None:
        """Take the name a line carries."""
        if name and len(self.servers) < MAX_NAMES:
            self.servers[name] = None

    def mark(self, line: int, mark: Mark) -> None:
        """Take a sign of life."""
        if self.earlier_runs and line < self.first:
            return
        if mark.kind == "start" or mark.key == REFUSED:
            self.facts.new_start()
            self.events.new_start()
            self._started, self._said = line, {}
        elif line > self._started:
            if self._said.get(mark, line + 1) <= line:
                return
            self._said[mark] = line
        self.marks.append((line, mark))
        if len(self.marks) > MAX_MARKS:
            self._make_room()

    def _make_room(self) -> None:
        """Only marks that tell something new stay, and of the latest runs as many as leave half of the room.

        One run has few of the former, so that there always is room for what comes.
        """
        kept, runs = len(self.marks), self.runs()
        self.marks = shaping(self.marks)
        lines = [line for line, _ in self.marks]
        judged = runs[-MAX_RUNS:]
        fits = (run.first for run in judged if len(lines) - bisect_left(lines, run.first) <= MAX_MARKS // 2)
        before, self.first = self.first, next(fits, judged[-1].first)
        self.earlier_runs += sum(before <= run.first < self.first for run in runs)
        self.marks = self.marks[bisect_left(lines, self.first) :]
        self.marks_lost += kept - len(self.marks)

    def learn(self, facts: Iterable[Fact]) -> None:
        """Take what a record said about the run."""
        self.facts.add(facts)
        kept = len(self.facts)
        if kept > MAX_FACTS:
            self.facts_lost_to = max(self.facts_lost_to, self.facts.shrink(MAX_FACTS // 2))
            self.facts_lost += kept - len(self.facts)
