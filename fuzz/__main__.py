"""``python -m fuzz --runs 20000 --seed 1``: inputs spread over the targets; exit code 1 when one of them fails.

``python -m fuzz show TARGET NUMBER --seed 1`` prints the input that a failure names, and runs it unguarded.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from fuzz import given_targets, log_targets, report_targets, text_targets
from fuzz.runner import Outcome, run_target
from fuzz.seeds import seeds
from fuzz.target import Target, chance_of

TARGETS: tuple[Target, ...] = (
    *log_targets.TARGETS,
    *given_targets.TARGETS,
    *report_targets.TARGETS,
    *text_targets.TARGETS,
)


def spread(targets: Sequence[Target], runs: int) -> list[int]:
    """Runs of each target by its share; every target gets at least one, the sum is ``runs`` where that allows."""
    whole = sum(target.share for target in targets)
    counts = [max(1, runs * target.share // whole) for target in targets]
    counts[0] += max(0, runs - sum(counts))
    return counts


def table(outcomes: Sequence[Outcome]) -> str:
    rows = [f"{'target':<20}{'inputs':>9}{'failed':>8}{'slow':>6}{'seconds':>9}{'slowest':>10}{'peak':>8}"]
    rows += [
        f"{o.target:<20}{o.runs:>9}{len(o.failures):>8}{o.slow:>6}{o.seconds:>9.1f}{o.slowest_s * 1e3:>7.0f} ms"
        f"{o.peak_mb:>5.0f} MB"
        for o in outcomes
    ]
    runs, failed = sum(o.runs for o in outcomes), sum(len(o.failures) for o in outcomes)
    seconds = sum(o.seconds for o in outcomes)
    return "\n".join([*rows, f"{'together':<20}{runs:>9}{failed:>8}{'':>6}{seconds:>9.1f}"])


def fuzz(runs: int, seed: int, only: Sequence[str], first: int) -> list[Outcome]:
    """Every target in turn, each in a process of its own. Progress on stderr."""
    seeds()  # read once, before the processes are forked
    targets = [target for target in TARGETS if not only or target.name in only]
    outcomes = []
    for target, count in zip(targets, spread(targets, runs), strict=True):
        outcome = run_target(target, seed, count, first)
        outcomes.append(outcome)
        print(f"{target.name}: {outcome.runs} inputs, {len(outcome.failures)} failed", file=sys.stderr, flush=True)
        for number, what in outcome.failures:
            print(f"  {target.name} {number}: {what}", file=sys.stderr, flush=True)
    return outcomes


def show(name: str, number: int, seed: int) -> None:
    target = next(target for target in TARGETS if target.name == name)
    given = target.make(chance_of(seed, name, number))
    print(repr(given))
    target.prepare()(given)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("show", nargs="*", help="show TARGET NUMBER")
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input of each target")
    parser.add_argument("--target", action="append", default=[], choices=[target.name for target in TARGETS])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args(argv)
    if given.show:
        show(given.show[1], int(given.show[2]), given.seed)
        return 0
    outcomes = fuzz(given.runs, given.seed, given.target, given.first)
    if given.json:
        print(json.dumps([{name: getattr(o, name) for name in Outcome.__slots__} for o in outcomes]))
    else:
        print(table(outcomes))
    return 1 if any(outcome.failures for outcome in outcomes) else 0


if __name__ == "__main__":
    raise SystemExit(main())
