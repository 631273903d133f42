"""``python -m bench metamorphic``: the share of transformed logs that are diagnosed as the plain ones."""

from __future__ import annotations

import time
from collections.abc import Sequence

from bench.metamorphic.judging import Case, Judge, apply, cases, pair_names, single_names

SINGLES_MUST = 1.0
PAIRS_MUST = 0.99
SHOWN = 3
"""Cases named that were diagnosed otherwise."""


def run(*, pairs: bool, every: int) -> int:
    """Prints one row per transformation, and per pair when asked; every ``every``-th case of pairs.

    The exit code is 1 when less is kept than must be.
    """
    judge = Judge()
    whole = list(cases(judge.knowledge))
    kept = _table(judge, "single transformations", single_names(), whole, 1) >= SINGLES_MUST
    if pairs:
        kept = _table(judge, "pairs", pair_names(), whole, every) >= PAIRS_MUST and kept
    return 0 if kept else 1


def _table(judge: Judge, title: str, names: Sequence[str], logs: Sequence[Case], every: int) -> float:
    started = time.perf_counter()
    same = dict.fromkeys(names, 0)
    tried = dict.fromkeys(names, 0)
    other: dict[str, list[str]] = {name: [] for name in names}
    for number, case in enumerate(logs):
        for index, name in enumerate(names):
            if (number + index) % every:
                continue
            data = apply(name, case)
            if data is None:
                continue
            tried[name] += 1
            if judge.keeps(data, case):
                same[name] += 1
            elif len(other[name]) < SHOWN:
                other[name].append(case.name)
    share = sum(same.values()) / max(sum(tried.values()), 1)
    print(f"\n{title}: {sum(same.values())} of {sum(tried.values())} ({share:.3%}) over {len(logs)} logs", end="")
    print(f" in {time.perf_counter() - started:.0f} s")
    for name in names:
        print(f"  {name:40s} {same[name]:6d} of {tried[name]:6d}  {', '.join(other[name])}".rstrip())
    return share
