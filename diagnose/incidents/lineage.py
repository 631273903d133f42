"""Which logs one server wrote one after the other: whose start says anything about whose failure."""

from __future__ import annotations

import re
import sqlite3
from typing import Final

ONE_SHOT: Final = "log:"
"""Begins the key of a run that was read as a whole, by nobody who follows it."""
_DAY: Final = re.compile(r"(?<!\d)(20\d\d)(?P<gap>[-_.]?)(0[1-9]|1[0-2])(?P=gap)(0[1-9]|[12]\d|3[01])(?!\d)", re.ASCII)
"""A day in a name: ``server-2026-11-28.log``, ``2026/server.20261128.log``. A time of day is none: two replicas that
were launched one after the other would differ in nothing else."""
_RESTART: Final = re.compile(r"(?<=/)(\d{1,9})(?=\.log$)", re.ASCII)
"""How often Kubernetes restarted a container, the name of its log in the directory of that container:
``/var/log/pods/<namespace>_<pod>_<uid>/<container>/1.log``."""
_PODS: Final = re.compile(r"/pods/[^/]+/[^/]+/\d{1,9}\.log$", re.ASCII)

_Order = tuple[int, ...]


def series(source: str) -> tuple[str, _Order]:
    """The name of a log without what changes when its server goes on in a new file, and where in that order it stands.

    Logs of one series are of one server: only the day in their names differs, or the number of a container's restart.
    """
    order = [int(found[1] + found[3] + found[4]) for found in _DAY.finditer(source)]
    name = _DAY.sub("<day>", source)
    if _PODS.search(name):
        order += [int(number) for number in _RESTART.findall(name)]
        name = _RESTART.sub("<restart>", name)
    return name, tuple(order)


def goes_on(earlier: str, later: str) -> bool:
    """Whether ``later`` is the log ``earlier``, or the one its server wrote after it."""
    (name, before), (other, after) = series(earlier), series(later)
    return earlier == later or (name == other and before <= after)


def is_followed(conn: sqlite3.Connection, incident: str, source: str) -> bool:
    """Whether a watcher follows the log ``source`` of an incident, or did.

    A log that is followed has a checkpoint. A pipe has none, but then it was the watcher who told of the incident.
    """
    return bool(
        conn.execute(
            "SELECT EXISTS (SELECT 1 FROM checkpoints WHERE source = ?)"
            " OR EXISTS (SELECT 1 FROM sightings WHERE incident = ? AND substr(run, 1, ?) != ?)",
            (source, incident, len(ONE_SHOT), ONE_SHOT),
        ).fetchone()[0]
    )


def speaks_for(conn: sqlite3.Connection, later: str, incident: str, source: str) -> bool:
    """Whether a run in the log ``later`` shows what became of an incident in the log ``source`` of the same model.

    Of a log that is followed only its own server tells, in that log or the next one of its series: the healthy replica
    beside it is not its repair. Nobody is at a log that was read once, so any later run of the same model is the
    next attempt: ``run1.log``, ``run2.log``.
    """
    return goes_on(source, later) or not is_followed(conn, incident, source)
