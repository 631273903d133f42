"""Which exception of a chain is the one to report.

Python prints the innermost exception first. Where the later one names the earlier as its direct cause, the earlier is
the root; where the later was raised while the earlier was handled, the later is what stopped the program, unless it
only spoiled the cleaning up after a known cause. An entry that explains another one wins over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from diagnose.knowledge.schema import Entry
from diagnose.model import Match
from diagnose.reasoning.events import Event

PROBES = frozenset({"ImportError", "ModuleNotFoundError", "FileNotFoundError", "KeyError", "AttributeError"})
"""Exceptions by which a program finds out what there is; what it then does instead is another attempt."""
SYSTEM = frozenset({"PermissionError", "OSError", "IOError", "BrokenPipeError", "ConnectionError", "TimeoutError"})
AROUND = frozenset({"host", "foreign", "hf"})
"""Domains of causes that lie around the program and not in what it was asked for."""


def explains(entry: Entry, other: str) -> bool:
    """Whether ``other`` (an entry id) is named as an echo of ``entry``."""
    # Asked for every pair of a run's causes, most of which explain nothing.
    return bool(entry.explains) and _is_named(entry.explains, other)


@lru_cache(maxsize=16_384)
def _is_named(names: tuple[str, ...], other: str) -> bool:
    return any(other == name or (name.endswith("*") and other.startswith(name[:-1])) for name in names)


def root_match(event: Event, entries: Mapping[str, Entry]) -> Match | None:
    """The match of an event that names a root cause; an entry that explains another comes first."""
    roots = [m for m in event.matches if entries[m.entry].role == "root"]
    for match in roots:
        if any(explains(entries[match.entry], other.entry) for other in roots if other is not match):
            return match
    return roots[0] if roots else None


def role_of(event: Event, entries: Mapping[str, Entry]) -> str:
    """``root``, ``consequence``, ``context``, ``noise`` or ``unknown``: what the event counts as.

    A message that quotes a root cause inside the text of a consequence is a consequence.
    """
    if not event.matches:
        return "unknown"
    roles = [entries[m.entry].role for m in event.matches]
    if roles[0] == "consequence":
        return "consequence"
    for role in ("root", "consequence", "noise", "context"):
        if role in roles:
            return role
    return "unknown"


def representative(chain: Sequence[Event], entries: Mapping[str, Entry]) -> Event:
    """The event of a chain (innermost first) that stands for it."""
    known = [e for e in chain if role_of(e, entries) == "root"]
    if known:
        return _pick(known, chain, entries)
    unknown = [e for e in chain if role_of(e, entries) == "unknown"]
    if unknown:
        return _pick(unknown, chain, entries)
    return chain[0]


def _pick(candidates: Sequence[Event], chain: Sequence[Event], entries: Mapping[str, Entry]) -> Event:
    best = candidates[0]
    for other in candidates[1:]:
        mine, theirs = root_match(best, entries), root_match(other, entries)
        if mine and theirs and mine.entry != theirs.entry:
            if explains(entries[mine.entry], theirs.entry):
                continue
            if explains(entries[theirs.entry], mine.entry):
                best = other
                continue
        if _link_between(best, other, chain) != "context" or (mine and theirs and mine.entry == theirs.entry):
            continue
        if not (mine and theirs and _spoiled_cleanup(best, other, entries[mine.entry], entries[theirs.entry])):
            best = other
    return best


def _spoiled_cleanup(first: Event, second: Event, cause: Entry, further: Entry) -> bool:
    """Whether the ``second`` exception of a chain befell the handling of the ``first``, a cause of its own.

    A handler that tries something else in place of what failed ends with a failure of that, which is then the one to
    mend: a file or module that was looked for first, another way to the same model. A handler that tells, tidies up
    or writes ends with one of the system around it, or in a call of the person's own script.
    """
    if cause.domain in AROUND or _name(first) in PROBES:
        return False
    return further.domain in AROUND or (_name(second) in SYSTEM and _in_script(second))


def _name(event: Event) -> str:
    info = event.record.exception
    return "" if info is None else info.type.rpartition(".")[2]


def _in_script(event: Event) -> bool:
    """Whether no installed package stands where the exception was raised: only its frames keep their folders."""
    info = event.record.exception
    return info is not None and not any("/" in frame.partition(":")[0] for frame in info.frames[-1:])


def _link_between(earlier: Event, later: Event, chain: Sequence[Event]) -> str:
    """``context`` when the way from the earlier to the later exception passes one raised during handling."""
    inside = False
    for event in chain:
        info = event.record.exception
        if inside and info is not None and info.link == "context":
            return "context"
        if event is earlier:
            inside = True
        if event is later:
            break
    return "cause"
