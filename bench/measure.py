"""Runs commands and says what they cost.

The measuring runs in a process of its own (``python bench/measure.py``, JSON in and out): Linux counts the memory
of the process that starts a program into the peak of that program, so the starter must be small.
"""

from __future__ import annotations

import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians over the rounds, for one command."""

    wall_s: float
    cpu_s: float
    """User and system time: less disturbed by other work on the machine than ``wall_s``."""
    peak_mb: float
    """Largest resident set. For ripgrep it holds the pages of the file it maps."""
    first_line_s: float
    """Wall time until the first line of the output was there."""
    output: str
    """Standard output of the first round, shortened."""


@dataclass(frozen=True, slots=True)
class _Once:
    wall_s: float
    cpu_s: float
    peak_mb: float
    first_line_s: float
    output: str


def run_once(command: Sequence[str]) -> _Once:
    """What one run of ``command`` costs.

    Exit codes 0, 1 and 3 count as success: ripgrep's "nothing found", and "diagnosed" and "unknown" of ours.
    """
    with tempfile.TemporaryFile() as error:
        started = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=error, stdin=subprocess.DEVNULL)
        assert child.stdout is not None
        output = child.stdout.readline()
        first = time.perf_counter() - started
        output += child.stdout.read()
        child.stdout.close()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        error.seek(0)
        if child.returncode not in (0, 1, 3):
            last = error.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            raise SystemExit(f"bench: {command[:4]} ended with {child.returncode}: {' '.join(last)[:300]}")
    text = output[:400].decode("utf-8", "replace").strip()[:80].replace("\n", " / ")
    return _Once(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, first, text)


def measure(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Cost]:
    """Every command once per round, so that a slow minute of the machine hits all of them."""
    runs: dict[str, list[_Once]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run_once(command))
    return {
        name: Cost(
            wall_s=statistics.median(run.wall_s for run in results),
            cpu_s=statistics.median(run.cpu_s for run in results),
            peak_mb=max(run.peak_mb for run in results),
            first_line_s=statistics.median(run.first_line_s for run in results),
            output=results[0].output,
        )
        for name, results in runs.items()
    }


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int, cwd: Path) -> dict[str, Cost]:
    """``measure`` in a process of its own, with the project in ``cwd``."""
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps({"commands": commands, "rounds": rounds}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(cwd), "NO_COLOR": "1"},
    )
    return {name: Cost(**cost) for name, cost in json.loads(done.stdout).items()}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    found = measure(asked["commands"], asked["rounds"])
    json.dump({name: dataclasses.asdict(cost) for name, cost in found.items()}, sys.stdout)
