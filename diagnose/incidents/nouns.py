"""The nouns of the memory: incidents, what happened to them, checkpoints, and what is written together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from diagnose.light import dataclass
from diagnose.model import Finding, RunContext, Text

Kind = Literal["opened", "amended", "recovered", "repeated"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a followed source has been dealt with."""

    source: str
    """Path as it was given, or the name of a pipe."""
    identity: str
    """Which file it was: ``device:inode:hash of the first bytes``."""
    offset: int
    """First byte of the oldest event that is still open; everything before it has been told."""
    line: int
    """Lines before ``offset``, so that line numbers stay right after a restart."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing to remember about one root cause: it opened, changed, came again, or was got over."""

    kind: Kind
    fingerprint: str
    """Entry, normalised root and target, with a version in front: ``1:…``."""
    run: str
    """Which run it belongs to; unique within a source. The idempotency key is ``source + host + fingerprint + run +
    kind + revision``."""
    revision: int
    """Counts amendments of one incident in one run, from 0."""
    finding: Finding
    context: RunContext
    excerpt: str
    """Lines around the root as they stood in the log."""
    changed: Text | None = None
    """Of one that is amended: what a reader finds changed, for the alert; it is not kept."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one read of a source brought; it is written in one transaction or not at all."""

    checkpoint: Checkpoint | None
    sightings: tuple[Sighting, ...] = ()
    started: tuple[str, RunContext] | None = None
    """Run key and context of a start that came up: evidence for the change that was made since the last failure."""


@dataclass(frozen=True, slots=True)
class Incident:
    """A root cause as the store remembers it."""

    id: str
    fingerprint: str
    entry: str
    target: str
    """Model and NPU the run was for, as far as they are known."""
    source: str
    host: str
    first_seen: str
    """ISO 8601, UTC."""
    last_seen: str
    count: int
    state: Literal["open", "recovered", "resolved"]
    muted_until: str | None
    resolved_by: str | None
    """Id of the remedy that fixed it, where that is known."""
    note: str | None
    excerpt: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    remedies: tuple[Mapping[str, Any], ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    previous: str | None = None
    """Id of the incident with the same fingerprint and source that was over before this one began."""
    finding: Mapping[str, Any] = field(default_factory=dict)
    """The finding as in the report's JSON."""


@dataclass(frozen=True, slots=True)
class Left:
    """An incident a watcher told of that was not over when it ended: the next one goes on with it."""

    incident: Incident
    run: str
    """Run it happened in last."""
    number: int
    """Revision of the sighting with which it opened there."""
    told_s: float
    """When somebody was told of it last, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One row of the outbox: told exactly once to each channel."""

    key: str
    """Idempotency key."""
    incident: str
    kind: Kind
    payload: Mapping[str, Any]
    """The object of ``watch --format json``: ``{"event": …, "incident": …, "finding": …, "source": …}`` and the
    ``host``."""
    channel: str
    attempts: int = 0
