"""Which few bytes of a literal are searched for.

A literal engine looks at the last eight bytes of every literal. With hundreds of literals that end in ordinary
English it stops at every other word of a log. So each literal is stood in for by a window: eight of its bytes
that are rare in healthy logs and, where possible, shared with other literals. Measured with the 865 literals of
a whole run on a generated log: 483 windows, 1.36 GB/s instead of 0.82. At a hit the literals behind the window
are compared, so that the answer stays the same.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from dataclasses import dataclass

from diagnose.scan.noise import NOISE, commonness

WIDTH = 8
_BREAK = re.compile(rb"[^A-Za-z0-9]+")
"""What stands between words: windows begin at words, which keeps their number small."""
_COMMON_COST = 0.5
"""How much commonness weighs against the number of literals a window stands for. Between 0.3 and 1 the speed is
the same; at 0 and at 3 it is lower."""
_SEEN = 0.69
"""ln 2: the least mean commonness of bytes that are in the sample."""
_SEEN_COST = 100.0
"""Added cost of a window that the sample of healthy logs holds: taken only when a literal has no other."""


@dataclass(frozen=True, slots=True)
class Window:
    """Bytes to search for, and the literals that may be there when they are found."""

    data: bytes
    certain: bool
    """True when ``data`` is itself a literal: a hit needs no comparison."""
    behind: tuple[tuple[bytes, int], ...]
    """Literals that hold ``data``, each with the distance from its start to the end of ``data`` in it."""


def choose_windows(forms: Iterable[bytes], whole: frozenset[bytes] = frozenset()) -> list[Window]:
    """Windows such that every text that holds one of ``forms`` holds the window it is behind.

    Forms of at most ``WIDTH`` bytes, and those in ``whole``, are searched for as they are; longer ones that
    hold such a form stand behind it.
    """
    ordered = sorted(set(forms))
    fixed = [form for form in ordered if len(form) <= WIDTH or form in whole]
    behind: dict[bytes, list[bytes]] = {}
    left = [form for form in ordered if len(form) > WIDTH and form not in whole]
    all_left = b"\n\n".join(left)
    for short in fixed:
        behind[short] = [short]
        if short in all_left:
            behind[short] += [form for form in left if short in form]
            left = [form for form in left if short not in form]
    for data, members in _cover(left):
        behind[data] = members
    known = frozenset(fixed)
    return [
        Window(data, data in known, tuple((form, form.index(data) + len(data)) for form in members))
        for data, members in behind.items()
    ]


def _cover(forms: list[bytes]) -> list[tuple[bytes, list[bytes]]]:
    """Windows for ``forms`` (all longer than ``WIDTH``): again and again the one that stands for most of what is
    left, weighed by how common it is. A greedy cover, since the smallest one takes exponential time."""
    users, cost = _candidates(forms)
    left = set(range(len(forms)))
    heap = [(-len(members) / cost[data], data) for data, members in users.items()]
    heapq.heapify(heap)
    chosen: list[tuple[bytes, list[bytes]]] = []
    while left:
        score, data = heapq.heappop(heap)
        members = [index for index in users[data] if index in left]
        now = -len(members) / cost[data]
        if not members:
            continue
        if now > score:  # its literals have been taken by others since: back in line
            heapq.heappush(heap, (now, data))
            continue
        chosen.append((data, [forms[index] for index in members]))
        left.difference_update(members)
    return chosen


def _candidates(forms: list[bytes]) -> tuple[dict[bytes, list[int]], dict[bytes, float]]:
    """Windows of every form (those at the beginnings of its words, and its last bytes): the forms that hold
    them, and what they cost."""
    common = commonness()
    users: dict[bytes, list[int]] = {}
    cost: dict[bytes, float] = {}
    for index, form in enumerate(forms):
        last = len(form) - WIDTH
        for start in {0, last, *(found.end() for found in _BREAK.finditer(form, 0, last))}:
            data = form[start : start + WIDTH]
            members = users.get(data)
            if members is None:
                users[data] = [index]
                mean = sum(common.get(data[at : at + 3], 0.0) for at in range(WIDTH - 2)) / (WIDTH - 2)
                cost[data] = 1 + _COMMON_COST * mean
                if mean > _SEEN and data in NOISE:
                    cost[data] += _SEEN_COST
            elif members[-1] != index:
                members.append(index)
    return users, cost
