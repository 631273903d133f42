"""Two vLLM servers that write into one stream: whose a line is, by the names and pids of the processes alone.

One server has one process of each name and rank (``EngineCore``, ``EngineCore_DP1``, ``APIServer``). Two engines of
one name that were alive at the same time are those of two servers; nothing less is taken for a sign. Which API server
and which worker goes with which engine only their pids tell, whoever starts a process has the lower one, and the lines:
what spoke before a server was started is not that server's.
Source: vLLM 0.30 ``v1/engine/utils.py`` and ``v1/executor/multiproc_executor.py`` for the names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from diagnose.model import Match, Record
from diagnose.reasoning.events import Event

Speaker = tuple[str, int]
Lives = Mapping[Speaker, tuple[int, int]]
"""First and last line of each process."""

ENGINE = re.compile(r"EngineCore(?:_(?:DP)?\d+)?")
API = "APIServer"
_WORKER = re.compile(r"Worker(?:_[A-Z]+\d+)*")
"""As vLLM's own executor names them. Those of Ray have one name however many there are."""
_ANY_WORKER = "Worker"
"""Name of one without its rank: the report of its end does not give it."""
NONE_SEEN: Mapping[int, int] = MappingProxyType({})

MAX_TWINS = 16
"""Servers told apart; where there are more, all are read as one."""
MAX_LOOKED_AT = 8
"""Copies of one failure that a copy of nobody's is compared with: those of a storm differ in nothing that counts."""


def told_apart(runs: Iterable[Lives], started: Mapping[int, int] = NONE_SEEN) -> dict[Speaker, int]:
    """Which server (0, 1, … by the pids of their engines) each process belongs to, as far as it can be told.

    ``runs``: the run in question, then those before it. The start of another server begins a run, so that the lives
    of the first one's processes reach back. ``started``: pid of an API server → the line it was started on, where that
    was seen. Empty where nothing shows that there were two.
    """
    lives = _reaching_back(runs)
    pids: dict[str, list[int]] = {}
    for name, pid in sorted(lives):
        pids.setdefault(name, []).append(pid)
    engines = sorted((name for name in pids if ENGINE.fullmatch(name)), key=_rank)
    base = max(engines, key=lambda name: len(pids[name]), default="")
    if not base or not 2 <= len(pids[base]) <= MAX_TWINS:
        return {}
    place = engines.index(base)
    made = {name: _later(pids[base], pids[name]) for name in (*engines[place:], *_workers(pids, engines))}
    made |= {name: _earlier(pids[base], pids[name]) for name in (*engines[:place], API) if name in pids}
    met = _at_once(base, lives) or (len(made.get(API, ())) == len(pids[base]) and _at_once(API, lives))
    if not met:
        return {}
    starts = {server: started[pid] for pid, server in made.get(API, {}).items() if pid in started}
    workers = _workers(pids, engines)
    for name in workers:
        untold = {pid: lives[name, pid][0] for pid in pids[name] if pid not in made[name]}
        made[name] |= _left(sorted(pids[base]), untold, set(made[name].values()), starts)
    if _ANY_WORKER in made and len(workers) > 1:  # by its pid it is one of those that gave their rank
        ranked = {pid: server for name in workers if name != _ANY_WORKER for pid, server in made[name].items()}
        made[_ANY_WORKER] = {pid: ranked[pid] for pid in pids[_ANY_WORKER] if pid in ranked}
    return {(name, pid): server for name, its in made.items() for pid, server in its.items()}


def _reaching_back(runs: Iterable[Lives]) -> Lives:
    """The processes of the first of ``runs``, their lives as long as each was heard of in every run; of a run that such
    a life reaches into, the API servers too: they speak first, and then maybe no more."""
    lives: dict[Speaker, tuple[int, int]] = {}
    going_on: set[Speaker] = set()
    for number, run in enumerate(runs):
        going_on = going_on.intersection(run) if number else set(run)
        if not going_on:
            break
        for speaker, (first, last) in run.items():
            if speaker in going_on or (speaker not in lives and speaker[0] == API):
                lives[speaker] = (first, lives.get(speaker, (first, last))[1])
    return lives


def _rank(engine: str) -> int:
    """A server starts its engines in the order of their ranks."""
    return int("".join(filter(str.isdigit, engine)) or 0)


def _at_once(name: str, lives: Lives) -> bool:
    """Whether all processes of one name were alive at the same time: none fell silent before another began."""
    its = [life for (its_name, _), life in lives.items() if its_name == name]
    return len(its) > 1 and max(first for first, _ in its) <= min(last for _, last in its)


def _later(engines: Sequence[int], pids: Sequence[int]) -> dict[int, int]:
    """pid → server of processes that a server starts after its engine (or with it), one of the name.

    One with a pid below the second engine's can only be the first server's; if that is taken, the next can only be
    the second's, and so on. What does not go up like that is not told.
    """
    made: dict[int, int] = {}
    for place, pid in enumerate(sorted(pids)):
        server = sum(engine <= pid for engine in sorted(engines)) - 1
        if server < place:
            return {}  # two of one name in one server
        if server > place:
            break
        made[pid] = server
    return made


def _earlier(engines: Sequence[int], pids: Sequence[int]) -> dict[int, int]:
    """pid → server of processes that start before the engine: the same from the other end."""
    last = len(engines) - 1
    mirrored = _later([-engine for engine in engines], [-pid for pid in pids])
    return {-pid: last - server for pid, server in mirrored.items()}


def _left(
    engines: Sequence[int], firsts: Mapping[int, int], taken: Collection[int], starts: Mapping[int, int]
) -> dict[int, int]:
    """pid → server of the workers of one name that their pids alone did not tell, where one server is left for each.

    ``engines``: their pids in order; ``firsts``: pid → first line; ``taken``: servers that have one; ``starts``:
    server → line it was started on.
    """
    free = [server for server in range(len(engines)) if server not in taken]
    found: dict[int, int] = {}
    for pid, first in firsts.items():
        may = [n for n in free if engines[n] <= pid and starts.get(n, first) <= first]
        if len(may) != 1:
            continue
        if may[0] in found.values():
            return {}  # two of one name in one server
        found[pid] = may[0]
    return found


def _workers(pids: Mapping[str, Sequence[int]], engines: Sequence[str]) -> list[str]:
    """Names of workers that a server has one of: engines of several ranks name theirs alike, if without a rank."""
    ranks = len(engines) > 1
    return [name for name in pids if _WORKER.fullmatch(name) and ("_DP" in name or not ranks)]


def failures(found: Sequence[tuple[Event, Match]], servers: Mapping[Speaker, int]) -> list[list[tuple[Event, Match]]]:
    """Copies of one cause, those of one server together. What was written by a process nobody knows the server of
    goes where the same numbers are, else to the first that failed."""
    made: dict[int, list[tuple[Event, Match]]] = {}
    others: list[tuple[Event, Match]] = []
    for event, match in found:
        server = server_of([match.record], servers)
        (others if server is None else made.setdefault(server, [])).append((event, match))
    if len(made) < 2:
        return [list(found)]
    homes = list(made.values())
    kinds = [[match for _, match in home[:MAX_LOOKED_AT]] for home in homes]
    for event, match in others:
        fits = (n for n, kind in enumerate(kinds) if any(not _contradict(match, m) for m in kind))
        homes[next(fits, 0)].append((event, match))
    return homes


def _contradict(one: Match, other: Match) -> bool:
    """Whether they give one number of the message two values."""
    return any(other.numbers.get(name, value) != value for name, value in one.numbers.items())


def server_of(records: Iterable[Record], servers: Mapping[Speaker, int]) -> int | None:
    """Server of the first of ``records`` that is known to be one's."""
    told = (servers.get(record.speaker) for record in records if record.speaker is not None)
    return next((server for server in told if server is not None), None)
