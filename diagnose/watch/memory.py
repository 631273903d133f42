"""A store that lasts as long as the process: without a database (``--no-store``), and while it cannot be written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timezone

from diagnose.incidents.fingerprint import digest
from diagnose.incidents.nouns import Alert, Batch, Checkpoint, Incident, Kind, Left, Sighting
from diagnose.incidents.times import iso
from diagnose.redact import here
from diagnose.watch.events import finding_object
from diagnose.watch.limits import MAX_BACKLOG, MAX_TOLD, REPEAT_S


class MemoryStore:
    """The same contract as the store on disk, bounded; nothing in it fails.

    An incident has the id here that the store on disk gives it: an alert that named it stays true afterwards.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._incidents: OrderedDict[str, Incident] = OrderedDict()
        self._keys: OrderedDict[str, str] = OrderedDict()
        self._announced: dict[str, float] = {}
        """When somebody was told of an incident last."""
        self._checkpoints: dict[str, Checkpoint] = {}
        self._left: dict[str, Left] = {}
        self._outbox: OrderedDict[str, tuple[float, Alert]] = OrderedDict()
        self.dropped = 0
        """Alerts nobody was told of, for there were too many."""

    def write(self, batch: Batch, *, source: str, host: str, channels: Sequence[str] = ()) -> tuple[Incident, ...]:
        """One incident for each sighting, in order."""
        if batch.checkpoint is not None:
            self._checkpoints[source] = batch.checkpoint
        named = _named(source) if batch.sightings else source
        return tuple(self._sighting(s, named, host, channels) for s in batch.sightings)

    def _sighting(self, new: Sighting, source: str, host: str, channels: Sequence[str]) -> Incident:
        key = digest(source, host, new.fingerprint, new.run, new.kind, str(new.revision))
        if key in self._keys:
            return self._incidents[self._keys[key]]
        known = next((i for i in self._incidents.values() if _is_open(i, new.fingerprint, source, host)), None)
        now = self._clock()
        at = datetime.fromtimestamp(now, timezone.utc).isoformat(timespec="seconds")
        incident = (
            Incident(
                id=key[:8],
                fingerprint=new.fingerprint,
                entry=new.finding.entry,
                target=new.context.model or "-",
                source=source,
                host=host,
                first_seen=at,
                last_seen=at,
                count=1,
                state="open",
                muted_until=None,
                resolved_by=None,
                note=None,
                excerpt=new.excerpt,
                numbers=new.finding.numbers,
                finding=finding_object(new.finding),
            )
            if known is None
            else replace(known, last_seen=at, count=known.count + (new.kind in ("opened", "repeated")))
        )
        if new.kind == "recovered":
            incident = replace(incident, state="recovered")
        self._incidents[incident.id] = incident
        if new.kind == "opened":
            told_s = self._left[incident.id].told_s if incident.id in self._left and known else now
            self._left[incident.id] = Left(incident, new.run, new.revision, told_s)
        self._keys[key] = incident.id
        kind = self._kind(new, known, now)
        if kind is not None:
            self._announced[incident.id] = now
            self._announce(replace(new, kind=kind), key, incident, channels, now)
        self._bound()
        return incident

    def know(self, incidents: Iterable[Incident]) -> None:
        """Incidents of the store on disk: what follows about them is about them, should it be out of reach."""
        for one in incidents:
            self._incidents[one.id] = one
            self._incidents.move_to_end(one.id)
            self._announced[one.id] = self._clock()
        self._bound()

    def _kind(self, new: Sighting, known: Incident | None, now: float) -> Kind | None:
        """What a sighting is told as; None when it is not told. The rules are those of the outbox on disk."""
        if known is not None and known.muted_until is not None and known.muted_until > iso(now):
            return None
        if known is None or new.kind != "opened":
            return new.kind
        return "repeated" if now - self._announced.get(known.id, now) >= REPEAT_S else None

    def _announce(self, new: Sighting, key: str, about: Incident, channels: Sequence[str], now: float) -> None:
        payload: dict[str, object] = {"event": new.kind, "incident": about.id, "finding": finding_object(new.finding)}
        payload |= {"source": about.source, "host": about.host}
        payload |= {} if new.changed is None else {"changed": new.changed.to_dict()}
        for channel in channels:
            alert = Alert(digest(key, channel), about.id, new.kind, payload, channel)
            self._outbox[alert.key] = now, alert

    def _bound(self) -> None:
        while len(self._incidents) > MAX_TOLD:
            gone, _ = self._incidents.popitem(last=False)
            self._left.pop(gone, None)
            self._announced.pop(gone, None)
            self._keys = OrderedDict((k, i) for k, i in self._keys.items() if i != gone)
        while len(self._outbox) > MAX_BACKLOG:
            self._outbox.popitem(last=False)
            self.dropped += 1

    def checkpoint(self, source: str) -> Checkpoint | None:
        return self._checkpoints.get(source)

    def left_open(self, source: str, host: str) -> Sequence[Left]:
        about = (_named(source), host) if self._left else (source, host)
        return [
            replace(self._left[i.id], incident=i)
            for i in self._incidents.values()
            if i.state == "open" and (i.source, i.host) == about and i.id in self._left
        ]

    def due_alerts(self, now: float | None = None) -> Sequence[Alert]:
        now = self._clock() if now is None else now
        return [alert for at, alert in self._outbox.values() if at <= now]

    def alert_done(self, key: str) -> None:
        self._outbox.pop(key, None)

    def alert_failed(self, key: str, retry_at: float | None) -> None:
        if retry_at is None:
            self.alert_done(key)
        elif key in self._outbox:
            alert = self._outbox[key][1]
            self._outbox[key] = retry_at, replace(alert, attempts=alert.attempts + 1)

    def close(self) -> None:
        """Nothing is kept."""


def _named(source: str) -> str:
    """As the store on disk calls it: without the names in its path."""
    from diagnose.redact.sources import source_name

    return source_name(source, here())


def _is_open(incident: Incident, fingerprint: str, source: str, host: str) -> bool:
    """A replica in another log has incidents of its own."""
    about = (incident.fingerprint, incident.source, incident.host)
    return incident.state == "open" and about == (fingerprint, source, host)
