"""Runs the inputs of one target in a process of its own, watched from outside.

A crash of the interpreter, an endless loop in C and a memory bomb end the child, never the runner. What is reported
is the number of the input: seed, target and number make it again.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
import traceback
from dataclasses import dataclass, field

from fuzz.target import Target, chance_of

LIMIT_S = 5.0
"""A single input that takes longer hangs. The machine may be busy, so this counts the child's own time."""
MEMORY_BYTES = 2 << 30
"""Address space of the child."""
GROWTH_MB = 120
"""What a target may hold more at its end than after its first inputs."""
WARM = 200
"""Inputs after which caches are filled."""
SLOW_S = 0.5
"""Counted apart: no hang, but worth a look."""
MAX_FAILURES = 20
"""Failures of one target that are reported."""


@dataclass(slots=True)
class Outcome:
    """What came of one target's inputs."""

    target: str
    runs: int = 0
    seconds: float = 0.0
    slowest_s: float = 0.0
    slowest: int = -1
    slow: int = 0
    peak_mb: float = 0.0
    grown_mb: float = 0.0
    failures: list[tuple[int, str]] = field(default_factory=list)
    """(number of the input, what happened)."""


def run_target(target: Target, seed: int, runs: int, first: int = 0) -> Outcome:
    """``runs`` inputs from number ``first``; a child that had to be ended is started again behind its input."""
    outcome = Outcome(target.name)
    number, last = first, first + runs
    context = multiprocessing.get_context("fork")
    while number < last and len(outcome.failures) < MAX_FAILURES:
        at = context.Value("q", number, lock=False)
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_child, args=(target, seed, number, last, at, theirs), daemon=True)
        child.start()
        theirs.close()
        hung = _watch(child, at)
        # A child that was ended has sent nothing; one that came to its end has sent everything.
        found: Outcome | None = None
        if ours.poll():
            try:
                found = ours.recv()
            except EOFError:
                found = None
        child.join()
        if found is not None:
            _add(outcome, found)
            return outcome
        why = f"no end within {LIMIT_S:.0f} s" if hung else f"the process ended with {child.exitcode}"
        outcome.failures.append((at.value, why))
        outcome.runs += at.value - number + 1
        number = at.value + 1
    return outcome


def _add(outcome: Outcome, found: Outcome) -> None:
    outcome.runs += found.runs
    outcome.seconds += found.seconds
    if found.slowest_s > outcome.slowest_s:
        outcome.slowest_s, outcome.slowest = found.slowest_s, found.slowest
    outcome.slow += found.slow
    outcome.peak_mb = max(outcome.peak_mb, found.peak_mb)
    outcome.grown_mb = max(outcome.grown_mb, found.grown_mb)
    outcome.failures += found.failures


def _watch(child: multiprocessing.process.BaseProcess, at: object) -> bool:
    """Waits for the child; True when it had to be ended because one input took too long."""
    seen, spent = -1, 0.0
    while child.is_alive():
        child.join(0.5)
        number = at.value  # type: ignore[attr-defined]
        used = _cpu_s(child.pid)
        if number != seen:
            seen, spent = number, used
        elif used - spent > LIMIT_S and child.is_alive():
            child.kill()
            child.join()
            return True
    return False


def _cpu_s(pid: int | None) -> float:
    """Processor time of another process, in seconds; wall time where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _child(target: Target, seed: int, first: int, last: int, at: object, out: object) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    outcome = Outcome(target.name)
    run = target.prepare()
    begun, warm_mb = time.process_time(), 0.0
    for number in range(first, last):
        at.value = number  # type: ignore[attr-defined]
        given = target.make(chance_of(seed, target.name, number))
        start = time.process_time()
        try:
            run(given)
        except Exception as error:
            outcome.failures.append((number, _where(error)))
        took = time.process_time() - start
        outcome.slow += took > SLOW_S
        if took > outcome.slowest_s:
            outcome.slowest_s, outcome.slowest = took, number
        outcome.runs += 1
        if outcome.runs == WARM:
            warm_mb = _peak_mb()
        if len(outcome.failures) >= MAX_FAILURES:
            break
    outcome.seconds = time.process_time() - begun
    outcome.peak_mb = _peak_mb()
    outcome.grown_mb = outcome.peak_mb - warm_mb if warm_mb else 0.0
    if outcome.grown_mb > GROWTH_MB:
        outcome.failures.append((last, f"memory grew by {outcome.grown_mb:.0f} MB"))
    out.send(outcome)  # type: ignore[attr-defined]


def _peak_mb() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _where(error: Exception) -> str:
    """The error with its innermost frames, on few lines."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = " < ".join(f"{os.path.basename(f.filename)}:{f.lineno}" for f in reversed(frames))  # noqa: PTH119
    return f"{type(error).__name__}: {str(error)[:160]!r} at {places}"
