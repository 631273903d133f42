"""Which fix worked: a remedy's changes held against the configuration of a later run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Final

from diagnose.incidents.fingerprint import compatible, digest, knows_model, target
from diagnose.incidents.lineage import goes_on, speaks_for
from diagnose.light import dataclass
from diagnose.model import RunContext, Value

BY_HAND: Final = "by hand"
"""Stands where a run's key stands when a person said what helped."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A remedy whose changes a later run had in force."""

    remedy: str
    changes: tuple[Mapping[str, Value], ...]
    """``{"parameter": …, "from": …, "to": …}``: what the run changed, not what was proposed."""
    fit: tuple[int, int]
    """How many values are exactly the proposed ones, how many parameters are changed: the higher, the surer."""


def applied(remedies: Iterable[Mapping[str, Any]], now: RunContext, *, fully: bool) -> list[Applied]:
    """The remedies (as in the report's JSON) that fit best what was changed; several when they fit alike.

    A number that went the proposed way counts; with ``fully`` only when it went at least as far. A remedy without
    changes is never seen in a configuration, nor is one whose value may have been in force by itself.
    """
    found = [one for remedy in remedies if (one := _applied(remedy, now, fully=fully)) is not None]
    best = max((one.fit for one in found), default=None)
    return [one for one in found if one.fit == best]


def _applied(remedy: Mapping[str, Any], now: RunContext, *, fully: bool) -> Applied | None:
    changes = remedy.get("changes") or ()
    made = []
    exact = 0
    for change in changes:
        value = in_force(now, change["parameter"])
        if not _moved(change["from"], change["to"], value, fully=fully):
            return None
        exact += _same(value, change["to"])
        made.append({"parameter": change["parameter"], "from": change["from"], "to": value})
    return Applied(str(remedy["id"]), tuple(made), (exact, len(made))) if made else None


def in_force(now: RunContext, parameter: str) -> Value:
    """The value of a parameter as a remedy names it; the run may name it one level higher."""
    setting = now.config.get(parameter) or now.setting(parameter)
    head, dot, rest = parameter.partition(".")
    if setting is None and dot and head == now.lm_prefix:
        setting = now.config.get(rest)
    return None if setting is None else setting.value


def _moved(before: Value, proposed: Value, value: Value, *, fully: bool) -> bool:
    if _same(value, before):
        return False
    if _same(value, proposed):
        return True
    numbers = [v for v in (before, proposed, value) if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(numbers) != 3:
        return False
    start, goal, end = numbers
    if fully:
        return end <= goal < start or start < goal <= end
    return (end < start) == (goal < start)


def _same(one: Value, other: Value) -> bool:
    """Equal as settings: a list of one is its element, and True is not 1."""
    one, other = (v[0] if isinstance(v, (list, tuple)) and len(v) == 1 else v for v in (one, other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


# --------------------------------------------------------------------------- what the store keeps of it


def note_start(
    conn: sqlite3.Connection, run: str, context: RunContext, *, source: str, host: str, at: str
) -> tuple[str, ...]:
    """A run came up: what failed in its log is over, and what was changed since a failure is evidence.

    It says nothing of a failure in another log that is followed (:func:`~diagnose.incidents.lineage.speaks_for`).
    Only the first start after an incident counts for it, and each start once. Gives the ids of the incidents that
    the change fixed. Called inside a transaction.
    """
    what = target(context)
    key = digest(source, host, run)
    if conn.execute("SELECT 1 FROM starts WHERE key = ?", (key,)).fetchone():
        return ()
    conn.execute("INSERT INTO starts (key, target, at) VALUES (?, ?, ?)", (key, what, at))
    fixed = _evidence_of_start(conn, what, context, run=key, source=source, host=host, at=at)
    _recover(conn, what, source=source, host=host, at=at)
    return tuple(fixed)


def _evidence_of_start(
    conn: sqlite3.Connection, what: str, context: RunContext, *, run: str, source: str, host: str, at: str
) -> list[str]:
    """Keep what a start shows about the remedies of the failures before it; the ids of those that are over by it."""
    if not knows_model(what):
        return []
    fixed = []
    same = compatible(what)
    untested = conn.execute(
        f"SELECT id, entry, finding, target, source FROM incidents WHERE target IN ({', '.join('?' * len(same))})"
        " AND host = ? AND tested = 0 AND last_seen <= ? ORDER BY last_seen, id",
        (*same, host, at),
    ).fetchall()
    for incident, entry, finding, of, failed_in in untested:
        if not speaks_for(conn, source, incident, failed_in):
            continue
        conn.execute("UPDATE incidents SET tested = 1 WHERE id = ?", (incident,))
        found = applied(json.loads(finding)["remedies"], context, fully=False)
        for one in found:
            _keep(conn, one, incident=incident, entry=entry, what=of, run=run, worked=True, at=at)
        if found:
            _fixed(conn, incident, found)
            fixed.append(incident)
    return fixed


def _recover(conn: sqlite3.Connection, what: str, *, source: str, host: str, at: str) -> None:
    """What is open of this log, or of the one its server wrote before, is over, whatever was changed."""
    still_open = conn.execute(
        "SELECT id, source FROM incidents WHERE host = ? AND target = ? AND state = 'open' AND last_seen <= ?",
        (host, what, at),
    ).fetchall()
    over = [(incident,) for incident, failed_in in still_open if goes_on(failed_in, source)]
    conn.executemany("UPDATE incidents SET state = 'recovered' WHERE id = ?", over)


def _fixed(conn: sqlite3.Connection, incident: str, found: list[Applied]) -> None:
    """The failure is over; which remedy ended it is said only when one alone fits."""
    conn.execute("UPDATE incidents SET state = 'recovered' WHERE id = ? AND state = 'open'", (incident,))
    if len(found) == 1:
        conn.execute(
            "UPDATE incidents SET resolved_by = ? WHERE id = ? AND resolved_by IS NULL", (found[0].remedy, incident)
        )


def note_failure(
    conn: sqlite3.Connection, fingerprint: str, run: str, context: RunContext, *, source: str, host: str, at: str
) -> None:
    """The same failure came again: a remedy that was carried out since the last time did not help.

    A start and a failure speak of the same logs. Called inside a transaction, before the incident is written.
    """
    before = conn.execute(
        "SELECT id, entry, target, finding, source FROM incidents"
        " WHERE fingerprint = ? AND host = ? AND tested = 0 AND last_seen <= ? ORDER BY last_seen DESC, id",
        (fingerprint, host, at),
    )
    last = next((row for row in before if speaks_for(conn, source, row[0], row[4])), None)
    if last is None or not knows_model(last[2]):
        return
    incident, entry, what, finding, _ = last
    for one in applied(json.loads(finding)["remedies"], context, fully=True):
        key = digest(source, host, run)
        _keep(conn, one, incident=incident, entry=entry, what=what, run=key, worked=False, at=at)


def note_by_hand(conn: sqlite3.Connection, incident: str, remedy: str, *, at: str) -> None:
    """A person says which remedy ended an incident; a later word takes the place of an earlier one."""
    entry, what = conn.execute("SELECT entry, target FROM incidents WHERE id = ?", (incident,)).fetchone()
    conn.execute("DELETE FROM evidence WHERE incident = ? AND worked = 1", (incident,))
    one = Applied(remedy, (), (0, 0))
    _keep(conn, one, incident=incident, entry=entry, what=what, run=BY_HAND, worked=True, at=at)


def _keep(
    conn: sqlite3.Connection, one: Applied, *, incident: str, entry: str, what: str, run: str, worked: bool, at: str
) -> None:
    conn.execute(
        "INSERT OR IGNORE INTO evidence (incident, remedy, run, worked, entry, target, changes, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (incident, one.remedy, run, worked, entry, what, json.dumps(one.changes, ensure_ascii=False), at),
    )
