"""``python -m oracle``: draws cases for a while and prints the closed-loop score."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from oracle import library
from oracle.capture import Outcome, run
from oracle.case import Case
from oracle.given import forms
from oracle.judge import Verdict, judge
from oracle.score import as_json, score, table

OUT = Path(__file__).resolve().parent / "out"


def run_case(case: Case) -> Outcome:
    """The library on the case's machine, from nothing."""

    def action(native: Callable[[str], None]) -> None:
        with library.machine(case, native):
            case.attempt(case)

    return run(action)


def draws(names: Sequence[str], seed: int) -> Iterator[tuple[Case, str]]:
    """One case of each family in turn, with the form its configuration is given in."""
    from oracle.families import FAMILIES

    rng = random.Random(seed)
    streams = [FAMILIES[name](random.Random(f"{seed} {name}")) for name in names]
    while True:
        for stream in streams:
            case = next(stream)
            yield case, rng.choice(forms(case))


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 1 when an exact remedy left an error, a claim was refuted, or an error was named wrongly."""
    from oracle.families import FAMILIES, without

    parser = argparse.ArgumentParser(prog="python -m oracle", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="time for drawing cases (default: 60)")
    parser.add_argument("--cases", type=int, default=None, help="stop after so many cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES), help="only this one (repeatable)")
    args = parser.parse_args(argv)
    library.install()
    library.warm_up()
    skipped = without()
    names = [name for name in args.family or sorted(FAMILIES) if name not in skipped]
    for name, package in skipped.items():
        sys.stderr.write(f"{name}: left out, {package} is not installed\n")
    verdicts = collect(names, args.seed, args.seconds, args.cases)
    found = score(verdicts)
    about = {"seed": args.seed, "seconds": args.seconds, "families": names}
    OUT.mkdir(exist_ok=True)
    (OUT / "results.json").write_text(json.dumps(as_json(found, verdicts, about), indent=1, ensure_ascii=False))
    sys.stdout.write(table(found) + "\n")
    return 1 if found.failed else 0


def collect(names: Sequence[str], seed: int, seconds: float, most: int | None) -> list[Verdict]:
    """Verdicts until the time or the number of cases is used up."""
    verdicts: list[Verdict] = []
    end = time.monotonic() + seconds
    for case, form in draws(names, seed):
        if time.monotonic() >= end or (most is not None and len(verdicts) >= most):
            return verdicts
        verdicts.append(judge(case, run_case, form))
        if len(verdicts) % 25 == 0:
            sys.stderr.write(f"\r{len(verdicts)} cases")
            sys.stderr.flush()
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
