"""Several servers in one input (``docker compose logs``, ``kubectl logs --prefix``, a journal): each is judged by its
own lines, so that none is given another's configuration and none recovers because another came up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from diagnose.by_run import OF_THE_MACHINE
from diagnose.collected import Collected
from diagnose.conclusion import MAX_FINDINGS, MAX_NOTES, conclude
from diagnose.context import Mark
from diagnose.knowledge import Knowledge
from diagnose.model import Consequence, Diagnosis, Fact, Finding, Record
from diagnose.reasoning import Event, EventLog

MAX_SERVERS = 16
"""Servers told apart in one input; where there are more, all are read as one."""
_LIVES = ("start", "ready", "failed-header")
_DIES = ("usage", "gave-up", "uncaught")
"""Signs that a program is a server or a script, and not what stands around one (the kernel, a proxy)."""
_ORDER = ("diagnosed", "unknown", "healthy")


class Servers:
    """What each server said, where the input names them."""

    def __init__(self, *, apart: bool) -> None:
        """``apart``: False for an input that goes on; it is read as that of one server."""
        self._own: dict[str, Collected] = {}
        self._first: dict[str, int] = {}
        self._alive: set[str] = set()
        self._one = not apart
        """All are read as one: there are too many, or one of them has no name."""

    def take(self, record: Record, whole: Collected, mark: Mark | None, facts: Sequence[Fact]) -> Collected | None:
        """Where what ``record`` says belongs beside ``whole``, if anywhere."""
        lives = (mark is not None and (mark.kind in _LIVES or mark.key in _DIES)) or any(map(_configures, facts))
        if not record.server or self._one:
            self._one = self._one or lives
            return None
        own = self._own.get(record.server)
        if own is None and (lives or facts):
            if len(self._own) == MAX_SERVERS:
                self._one = True
                return None
            own = self._own[record.server] = whole.anew()
            self._first[record.server] = record.line
        if lives:
            self._alive.add(record.server)
        return own

    def see_as(self, view: Callable[[EventLog], EventLog]) -> None:
        """The events of every server as ``view`` sees them. For an input that is at its end."""
        for own in self._own.values():
            own.events = view(own.events)

    def conclude(self, whole: Collected, knowledge: Knowledge) -> Diagnosis:
        """The diagnosis of ``whole``: of its servers together where it has several."""
        named = {name: own for name, own in self._own.items() if name in self._alive}
        if self._one or len(named) < 2:
            return conclude(whole, knowledge)
        parts = [
            conclude(_completed(own, whole, self._others(name, named, whole.events)), knowledge)
            for name, own in named.items()
        ]
        return _together(parts)

    def _others(self, name: str, named: Iterable[str], events: Iterable[Event]) -> Iterable[Event]:
        """Events of no server (the kernel ends one), and those of this one from before it was known as a server."""
        servers = frozenset(named)
        for event in events:
            its = event.record.server
            if its not in servers or (its == name and event.record.line < self._first[name]):
                yield event


def _configures(fact: Fact) -> bool:
    """Whether it says how a program runs, and not only on what machine."""
    return not fact.name.startswith(OF_THE_MACHINE)


def _completed(own: Collected, whole: Collected, others: Iterable[Event]) -> Collected:
    """``own`` with the events ``others`` and what is known of the input as a whole."""
    made = own.twin(whole.lines)
    for event in others:
        made.events.add(event)
    return replace(
        made,
        bytes=whole.bytes,
        damaged=whole.damaged,
        left_out=whole.left_out,
        lines_lost=whole.lines_lost,
        lines_lost_to=whole.lines_lost_to,
    )


def _together(parts: Sequence[Diagnosis]) -> Diagnosis:
    """One diagnosis of several servers, those that failed first, by the line of the cause."""
    told = sorted(parts, key=lambda d: (_ORDER.index(d.outcome), d.findings[0].line if d.findings else 0))
    lead = told[0]
    findings = [finding for d in told for finding in d.findings]
    if lead.outcome == "diagnosed":
        findings = _nested(findings)
    notes = {(note.entry, note.line): note for d in told for note in d.notes}
    return replace(
        lead,
        findings=tuple(_once(findings)[:MAX_FINDINGS]),
        notes=tuple(notes.values())[:MAX_NOTES],
        unknown=tuple({unknown.line: unknown for d in told for unknown in d.unknown}.values()),
        runs=sum(d.runs for d in told),
    )


def _nested(findings: Sequence[Finding]) -> list[Finding]:
    """Servers of one job fail together: what only echoes a cause goes to the first cause there is."""
    roots = [f for f in findings if f.role == "root"]
    echoes = tuple(Consequence(f.entry, f.line, f.title, f.text) for f in findings if f.role != "root")
    return [replace(roots[0], consequences=(*roots[0].consequences, *echoes)), *roots[1:]]


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """What stands on one line of no server, such as the kernel's, is one finding."""
    return list({(f.entry, f.line): f for f in reversed(list(findings))}.values())[::-1]
