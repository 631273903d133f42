"""What a server is doing, as far as its log tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from diagnose.model import Diagnosis
from diagnose.reasoning import Run
from diagnose.watch.nouns import RunState


def run_state(runs: Sequence[Run], diagnosis: Diagnosis) -> RunState:
    """Of the last of ``runs``."""
    run = runs[-1]
    lines = [*(f.line for f in diagnosis.findings), *(u.line for u in diagnosis.unknown)]
    failed = any(map(run.holds, lines))
    states: tuple[tuple[bool, RunState], ...] = (
        (failed, "failed"),
        (run.stopped is not None or run.stopping is not None, "stopped"),
        (run.ready is not None, "ready"),
        ("compile" in diagnosis.run.phases, "compiling"),
        (run.last > run.first, "starting"),
    )
    return next((state for holds, state in states if holds), "idle")


def with_later(runs: Sequence[Run], key: Callable[[Run], str]) -> Iterator[tuple[Run, Collection[str]]]:
    """Each run with the keys of itself and those behind it; the collection is the same one, and shrinks."""
    later = Counter(map(key, runs))
    for run in runs:
        yield run, later
        later[key(run)] -= 1
        if not later[key(run)]:
            del later[key(run)]
