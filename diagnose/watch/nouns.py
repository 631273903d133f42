"""What the daemon says: events about incidents, and words about itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from diagnose.incidents.nouns import Kind
from diagnose.light import dataclass
from diagnose.model import Finding, RunContext, Text, Unknown

RunState = Literal["idle", "starting", "compiling", "ready", "failed", "stopped"]
EventKind = Literal["opened", "amended", "recovered", "repeated", "unknown"]
Said = Finding | Unknown
"""What an event speaks of: something an entry knows, or an error none knows."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something new about an incident, before it is written down."""

    kind: Kind
    fingerprint: str
    run: str
    revision: int
    finding: Finding
    """With lines of the file, and without secrets."""
    context: RunContext
    excerpt: str
    shown: Kind | None = None
    """What it is shown as; None: it is only written down (it came again within the hour)."""
    replayed: bool = False
    """True for what was in the log before the daemon came: it is listed, never alerted."""
    changed: Text | None = None
    """Of one that was amended: what a reader finds changed."""


@dataclass(frozen=True, slots=True)
class Word:
    """Something new about an error without a cause of ours. It is told, and not written down."""

    kind: EventKind
    said: Said
    now: Said | None = None
    """Of one that was amended: what explains it; None: it is no failure any more."""
    fingerprint: str = ""
    """Of ``now``, where that is an incident."""


@dataclass(frozen=True, slots=True)
class Event:
    """What is told."""

    kind: EventKind
    at: str
    """ISO 8601, UTC."""
    source: str
    incident: str
    finding: Finding | None
    unknown: Unknown | None = None
    replayed: bool = False
    changed: Text | None = None
    """Of an incident that was amended: what a reader finds changed."""
    was: Said | None = None
    """Of an error without a cause that was amended: what was told of it; ``finding`` or ``unknown`` explain it now,
    and where there is neither, it is no failure any more."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """One followed source, for the live view, health and metrics."""

    name: str
    run: RunState
    lines: int
    bytes: int
    lag_bytes: int
    lag_s: float
    """Seconds since the last read that left nothing behind."""
    lost_bytes: int = 0
    trouble: str = ""


Mode = Literal["start", "end", "checkpoint", "last-run", "appeared"]
"""Where to begin (``--from``); a file that appears while the daemon runs is new from its first byte on."""
Telling = Literal["live", "list", "last", "silent", "skipped"]
"""What becomes of what is found: told; listed; listed for the last run only; taken as told before; passed over,
told when it happens again."""
UNSAID: Final[frozenset[Telling]] = frozenset({"silent", "skipped"})
"""Nothing of it is told now."""


def each_over_once(changes: Sequence[Change]) -> list[Change]:
    """An incident that happened in several runs is over once: the last word about it counts."""
    last = {c.fingerprint: c for c in changes if c.kind == "recovered"}
    return [c for c in changes if c.kind != "recovered" or last[c.fingerprint] is c]
