"""What of an input belongs to which of its runs: everything is looked at once, however many runs there are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from diagnose.collected import Collected
from diagnose.context import in_force
from diagnose.knowledge import Knowledge
from diagnose.model import Fact, Record, RunContext, Value
from diagnose.reasoning import Event, Run
from diagnose.reasoning.vendor import another_platform

if TYPE_CHECKING:
    from diagnose.context.clues import Clues

Speaker = tuple[str, int]
"""Name and pid of a process."""
ENGINES = "EngineCore"
OF_THE_MACHINE = ("npu", "version:", "devices_available")
"""Facts that stay true from one run of a file to the next."""

STATED = ("batch_size",)
"""Numbers of a message that are the run's own value. The number of devices may be a submodule's."""


class _OnALine(Protocol):
    @property
    def line(self) -> int: ...


_T = TypeVar("_T", bound=_OnALine)


def by_run(items: Iterable[_T], runs: Sequence[Run]) -> list[list[_T]]:
    """``items`` of each of ``runs`` (in order, without gaps), as they come; those of no run are left out."""
    made: list[list[_T]] = [[] for _ in runs]
    firsts = [run.first for run in runs]
    for item in items:
        place = bisect_right(firsts, item.line) - 1
        if place >= 0 and runs[place].holds(item.line):
            made[place].append(item)
    return made


class Contexts:
    """What each run was, by its place in ``runs``; worked out when it is asked for.

    Machine and versions may have been said by an earlier run of the same file.
    """

    def __init__(self, collected: Collected, runs: Sequence[Run], knowledge: Knowledge) -> None:
        self._collected, self._knowledge = collected, knowledge
        self._stated: list[dict[str, list[Value]]] | None = None
        self._facts = by_run(collected.facts, runs)
        self.events = by_run(collected.events, runs)
        """Of each run."""
        self._earlier = _of_the_machine(collected.facts, runs)
        self._made: dict[int, RunContext] = {}
        self._servers: dict[int, Mapping[Speaker, int]] = {}
        self._of: dict[tuple[int, Speaker | None], RunContext] = {}

    def __getitem__(self, number: int) -> RunContext:
        if number not in self._made:
            self._made[number] = self._context(number, self._facts[number])
        return self._made[number]

    def facts(self, number: int) -> Sequence[Fact]:
        """What was said in a run."""
        return self._facts[number]

    def elsewhere(self, number: int) -> bool:
        """Whether the run was on another vendor's device: its platform is said, and no NPU."""
        said = any(fact.name == "platform" and another_platform(str(fact.value)) for fact in self._facts[number])
        return said and another_platform(self[number].platform) and self[number].npu is None

    def alone(self, number: int) -> RunContext:
        """What the run was by its own lines."""
        return self._in_force(number, self._facts[number])

    def of(self, number: int, record: Record) -> RunContext:
        """The run as the process that wrote ``record`` ran.

        Two servers that write into one stream are told apart by nothing but their pids: what a process said itself
        counts before what another one of its name said. Where it is known whose process it is, only what its own
        server said counts.
        """
        key = number, record.speaker
        if key not in self._of:
            self._of[key] = self._spoken(*key)
        return self._of[key]

    def alike(self, number: int) -> RunContext:
        """The run as far as all servers of it said the same."""
        return self._spoken(number, None)

    def servers(self, number: int) -> Mapping[Speaker, int]:
        """Which server each process of a run belongs to, where several write into one stream and it can be told."""
        if number not in self._servers:
            self._servers[number] = self._told_apart(number)
        return self._servers[number]

    def _told_apart(self, number: int) -> Mapping[Speaker, int]:
        spoken = {speaker for speaker, _ in self._lines(number)}
        engines = [name for name, _ in spoken if name.startswith(ENGINES)]
        if len(engines) == len(set(engines)):
            return {}
        from diagnose.reasoning.twins import told_apart

        started: dict[int, int] = {}
        for line, mark in self._collected.marks:
            if mark.kind == "start" and mark.pid is not None:
                started.setdefault(mark.pid, line)
        return told_apart((_lives(self._lines(one)) for one in range(number, -1, -1)), started)

    def _lines(self, number: int) -> Iterator[tuple[Speaker, int]]:
        """Who said something in a run, and on which line."""
        for fact in self._facts[number]:
            if fact.speaker is not None:
                yield fact.speaker, fact.line
        for event in self.events[number]:
            if event.record.speaker is not None:
                yield event.record.speaker, event.line

    def _spoken(self, number: int, me: Speaker | None) -> RunContext:
        servers, facts = self.servers(number), self._facts[number]
        if servers:
            return self._context(number, self._of_its_own(number, me))
        if me is None or not any(_is_twin(fact, me) for fact in facts):
            return self[number]
        own = self._said_by(me, number)
        names = {fact.name for fact in own}
        rest = (f for f in facts if f.speaker != me and not (f.name in names and _is_twin(f, me)))
        return self._context(number, [*own, *rest])

    def _of_its_own(self, number: int, me: Speaker | None) -> list[Fact]:
        """What holds for process ``me`` of a run of several servers: what its server said, and of what others said only
        that which cannot be another server's. For a process of nobody's that is what every server said alike."""
        servers, facts = self.servers(number), self._facts[number]
        whose = servers.get(me) if me is not None else None
        said: dict[int, list[Fact]] = {}
        for one, server in sorted(servers.items()):
            said.setdefault(server, []).extend(self._said_by(one, number))
        values = [_latest(its) for its in said.values()]
        if whose is not None:
            own = said.pop(whose)
            rest = list(_unsigned(facts, own, [fact for its in said.values() for fact in its]))
        else:
            own = self._said_by(me, number) if me is not None else []
            alike = {name for name, value in values[0].items() if all(name in v and v[name] == value for v in values)}
            rest = [fact for its in said.values() for fact in its if fact.name in alike]
        of_it = (f for f in facts if f.name.startswith(OF_THE_MACHINE) and f not in own)
        return [*own, *(f for f in rest if not f.name.startswith(OF_THE_MACHINE)), *of_it]

    def _said_by(self, speaker: Speaker, number: int) -> list[Fact]:
        """What one process said up to run ``number``: the start of another server cuts its life in two."""
        said: list[Fact] = []
        for facts in reversed(self._facts[: number + 1]):
            here = [fact for fact in facts if fact.speaker == speaker]
            if said and not here:
                break
            said = [*here, *said]
        return said

    def _context(self, number: int, facts: Sequence[Fact]) -> RunContext:
        named = {fact.name for fact in facts}
        return self._in_force(number, [*(fact for fact in self._earlier[number] if fact.name not in named), *facts])

    def _in_force(self, number: int, facts: Sequence[Fact]) -> RunContext:
        return in_force(
            facts,
            given=self._collected.given,
            sets=self._collected.sets,
            npu=self._collected.npu,
            clues=self._clues(number),
            parameters=self._knowledge.parameters,
        )

    def _clues(self, number: int) -> Clues | None:
        """What may go against the values given by hand."""
        collected = self._collected
        if not collected.given and not collected.sets:
            return None
        from diagnose.context.clues import Clues

        if self._stated is None:
            self._stated = [_stated(its, self._knowledge) for its in self.events]
        return Clues(tuple(collected.servers), self._stated[number])


def _stated(events: Iterable[Event], knowledge: Knowledge) -> dict[str, list[Value]]:
    """The values in force that messages of optimum-rbln name under the parameter's own name."""
    found: dict[str, list[Value]] = {}
    for event in events:
        for match in event.matches:
            if knowledge.entries[match.entry].component != "optimum-rbln":
                continue
            for name in STATED:
                if match.numbers.get(name) is not None:
                    found.setdefault(name, []).append(match.numbers[name])
    return found


def _unsigned(facts: Iterable[Fact], own: Sequence[Fact], theirs: Sequence[Fact]) -> Iterator[Fact]:
    """Of what no process signed, what holds for a server that said ``own`` beside others that said ``theirs``.

    What one of those said too is that one's. Of a server that did not say itself what it was given it may hold as
    well, where nobody says otherwise.
    """
    from diagnose.context.log_vllm import ASKED

    names, asked = {fact.name for fact in own}, any(fact.origin == ASKED for fact in own)
    unsigned = [fact for fact in facts if fact.speaker is None and fact.name not in names]
    values: dict[str, list[Value]] = {}
    for fact in (*theirs, *unsigned):
        its = values.setdefault(fact.name, [])
        if fact.value not in its:
            its.append(fact.value)
    said = {fact.name for fact in theirs}
    return (f for f in unsigned if f.name not in said or (not asked and len(values[f.name]) == 1))


def _latest(facts: Iterable[Fact]) -> dict[str, Value]:
    """Name → the value of the highest rank, of one rank the latest."""
    return {fact.name: fact.value for fact in sorted(facts, key=lambda fact: (fact.rank, fact.line))}


def _lives(lines: Iterable[tuple[Speaker, int]]) -> dict[Speaker, tuple[int, int]]:
    """First and last line of each process."""
    made: dict[Speaker, tuple[int, int]] = {}
    for speaker, line in lines:
        first, last = made.get(speaker, (line, line))
        made[speaker] = (min(first, line), max(last, line))
    return made


def _is_twin(fact: Fact, speaker: Speaker) -> bool:
    """Whether another process of the same name said it."""
    return fact.speaker is not None and fact.speaker[0] == speaker[0] and fact.speaker != speaker


def _of_the_machine(facts: Iterable[Fact], runs: Sequence[Run]) -> list[tuple[Fact, ...]]:
    """For each run what was said of the machine before it: of one name the fact of the highest rank, the latest."""
    told = sorted((fact for fact in facts if fact.name.startswith(OF_THE_MACHINE)), key=lambda fact: fact.line)
    best: dict[str, list[Fact]] = {}
    made: list[tuple[Fact, ...]] = []
    place = 0
    for run in runs:
        while place < len(told) and told[place].line < run.first:
            _weigh(told[place], best)
            place += 1
        made.append(tuple(fact for kept in best.values() for fact in kept))
    return made


def _weigh(fact: Fact, best: dict[str, list[Fact]]) -> None:
    kept = best.get(fact.name)
    if kept is None or (fact.rank, fact.line) > (kept[0].rank, kept[0].line):
        best[fact.name] = [fact]
    elif (fact.rank, fact.line) == (kept[0].rank, kept[0].line):
        kept.append(fact)  # two on one line: whoever weighs them decides
