"""Runs commands and says what they cost."""

from __future__ import annotations

import os
import statistics
import subprocess
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
    output: str
    """Standard output of the first round, shortened."""


def run_once(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float, float, str]:
    """Wall time (s), processor time (s), peak memory (MB) and standard output of one run.

    Exit codes 0, 1 and 3 count as success: ripgrep's "nothing found", and "diagnosed" and "unknown" of ours.
    """
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=dict(environment)
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        output = child.stdout.read()
        error = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 3):
        last = error.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise SystemExit(f"bench: {command[0]} … ended with {child.returncode}: {' '.join(last)[:300]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.decode("utf-8", "replace")


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int, cwd: Path) -> dict[str, Cost]:
    """Every command once per round, so that a slow minute of the machine hits all of them."""
    environment = {**os.environ, "PYTHONPATH": str(cwd), "NO_COLOR": "1"}
    runs: dict[str, list[tuple[float, float, float, str]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run_once(command, environment))
    return {
        name: Cost(
            wall_s=statistics.median(run[0] for run in results),
            cpu_s=statistics.median(run[1] for run in results),
            peak_mb=max(run[2] for run in results),
            output=results[0][3].strip()[:80].replace("\n", " / "),
        )
        for name, results in runs.items()
    }
