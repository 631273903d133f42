"""Whose line it is where a transport carries those of several programs: service, pod or unit, as it goes on after a
restart.
"""

from __future__ import annotations

from functools import lru_cache

from diagnose.late import late

_PARTS = (
    # what the runtime calls a stream, a task of one job, a unit's process
    (late(r"(?:^|(?<= ))(?:stdout|stderr|\d\d[OE]|\d{1,9}(?:,\d{1,9})?)(?= |$)"), ""),
    (late(r"\[\d*\](?= |$)"), ""),
    # what Kubernetes puts behind a deployment's name, other for every replica and every restart
    (late(r"-[bcdf-hj-np-tv-xz2456789]{8,10}-[bcdf-hj-np-tv-xz2456789]{5}(?![\w-])"), ""),
    # a task of a swarm's service, behind its number, and the node it is on
    (late(r"(\.\d{1,4})\.[a-z0-9]{12,25}@[\w.-]{1,253}(?= |$)"), r"\1"),
    # a task of ECS or Batch
    (late(r"/[0-9a-f]{32}(?= |$)"), ""),
)
_AROUND = ("kernel", "systemd")
"""What they write is about every server of the machine."""
_NAMES = 512


@lru_cache(_NAMES)
def server_of(origin: str) -> str:
    """The name a program keeps when it is started again, of ``Carried.origin``; "" where nothing names one."""
    for pattern, instead in _PARTS:
        origin = pattern.sub(instead, origin)
    name = " ".join(origin.split())
    return "" if name.rpartition(" ")[2] in _AROUND else name
