"""``RBLN_VISIBLE_DEVICES`` (``RBLN_DEVICES`` up to 0.11): how many devices a process was given."""

from __future__ import annotations

from diagnose.late import late
from diagnose.model import Value

_ENTRY = late(r"(?:rbln:?)?(\d{1,4})(?:-(\d{1,4}))?$")


def visible_devices(value: Value) -> int | None:
    """The number of devices in the list; None for anything that is no list of ids.

    >>> visible_devices("0,1,2,3"), visible_devices("0-7"), visible_devices("all")
    (4, 8, None)
    """
    if isinstance(value, bool) or value is None:
        return None
    parts = value if isinstance(value, list) else str(value).strip("[]\"' ").split(",")
    ids: set[int] = set()
    for part in parts:
        entry = _ENTRY.match(str(part).strip())
        if entry is None:
            return None
        first = int(entry[1])
        ids |= set(range(first, int(entry[2] or first) + 1))
    return len(ids) or None
