"""What changed between two releases of one package, in what they can say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

from diagnose.authoring.coverage.package import Package
from diagnose.authoring.coverage.sites import Site, read_sites
from diagnose.light import dataclass

ALIKE = 0.6
"""Likeness of two wordings in one place from which one is the other, reworded."""


@dataclass(frozen=True, slots=True)
class Drift:
    """From ``old`` to ``new``; sites by path and line."""

    old: Package
    new: Package
    added: tuple[Site, ...]
    changed: tuple[tuple[Site, Site], ...]
    dropped: tuple[Site, ...]


def drift(old: Package, new: Package) -> Drift:
    """Sites with fixed text that one of the releases has and the other has not. A site that only moved is in
    neither list; one that says something alike in the same function is ``changed``."""
    before, after = ([s for s in read_sites(p) if s.templates] for p in (old, new))
    dropped, added = _beyond(before, after), _beyond(after, before)
    places: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for site in dropped:
        places[(site.path, site.function)].append(site)
    changed: list[tuple[Site, Site]] = []
    fresh: list[Site] = []
    for site in added:
        there = places[(site.path, site.function)]
        was = max(there, key=lambda s: likeness(s.text, site.text), default=None)
        if was is None or likeness(was.text, site.text) < ALIKE:
            fresh.append(site)
            continue
        there.remove(was)
        changed.append((was, site))
    gone = tuple(site for sites in places.values() for site in sites)
    return Drift(old, new, tuple(fresh), tuple(changed), tuple(sorted(gone, key=lambda s: (s.path, s.line))))


def likeness(a: str, b: str) -> float:
    """0 to 1."""
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _beyond(sites: Iterable[Site], others: Iterable[Site]) -> list[Site]:
    """Sites that ``others`` do not say, as often as they do not."""
    left = Counter(_key(s) for s in others)
    found = []
    for site in sites:
        if left[_key(site)] > 0:
            left[_key(site)] -= 1
        else:
            found.append(site)
    return found


def _key(site: Site) -> tuple[str, str]:
    return site.kind, site.text
