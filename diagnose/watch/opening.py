"""How a source is begun: which file, from where, and what becomes of what was there before."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from diagnose.analyzer import Analyzer
from diagnose.incidents.nouns import Checkpoint, Left
from diagnose.light import dataclass
from diagnose.model import Finding
from diagnose.redact import Surroundings
from diagnose.watch.discovery import PIPE, Found
from diagnose.watch.keeper import Keeper
from diagnose.watch.ledger import Place
from diagnose.watch.nouns import Mode, Telling
from diagnose.watch.ports import Clock, Sink, Tail, Waker
from diagnose.watch.quoting import quote
from diagnose.watch.session import Fingerprint, Session
from diagnose.watch.source import Source
from diagnose.watch.tail.follower import Follower, Start
from diagnose.watch.tail.identity import Identity
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.tail.pipe import PipeFollower
from diagnose.watch.tail.system import Files
from diagnose.watch.told import books_of

TELLING: dict[Mode, Telling] = {
    "start": "list",
    "end": "skipped",
    "checkpoint": "last",
    "last-run": "last",
    "appeared": "live",
}
"""What becomes of the part of a file that was there before, when no checkpoint says how far it was told."""


@dataclass(slots=True)
class Opener:
    """Makes sources. ``analyzer`` gives a new one for a name; everything else comes from outside as well."""

    analyzer: Callable[[str], Analyzer]
    fingerprint: Fingerprint
    files: Files
    keeper: Keeper
    clock: Clock
    sink: Sink
    waker: Waker
    stdin: int | None = None
    """Descriptor of ``-``."""
    about: Surroundings | None = None
    """Own names, which are not told."""
    _made: int = 0

    def __call__(self, found: Found, mode: Mode) -> Source:
        sessions: list[Session] = []  # the tail asks the session for its run, the session the tail for a quotation

        def base() -> str:
            return sessions[0].current_run() if sessions else ""

        tail = self._tail(found.path, base)
        start, lead, telling, left = self._begin(tail, found.path, mode)
        now = self.clock.monotonic()
        session = Session(
            self.analyzer(found.path),
            fingerprint=self.fingerprint,
            quote=lambda place, finding: _quote(tail, place, finding),
            base=start.base,
            base_generation=start.origin.generation if start.origin is not None else "",
            about=self.about,
            goes_on=bool(start.base) and not start.before,
            books=books_of(left, now, self.clock.time()),
        )
        sessions.append(session)
        return Source(found.path, tail, session, lead, telling, found.explicit, caught_up_at=now)

    def _tail(self, path: str, base: Callable[[], str]) -> Tail:
        descriptor = self.stdin if path == PIPE else self._fifo(path)
        if descriptor is not None:
            self.waker.stream(path, descriptor)
            return PipeFollower(path, descriptor, generation=self._generation)
        return Follower(path, self.files, generation=self._generation, base=base)

    def _fifo(self, path: str) -> int | None:
        try:
            stat = self.files.stat(path)
            # Open for writing too: then the stream does not end whenever one of its writers does.
            return os.open(path, os.O_RDWR | os.O_NONBLOCK) if stat is not None and stat.kind == "pipe" else None
        except OSError:
            return None

    def _begin(self, tail: Tail, path: str, mode: Mode) -> tuple[Start, Start | None, Telling, Sequence[Left]]:
        """Where the tail starts, the part that was there before, what becomes of it, and what is open still."""
        saved = None if path == PIPE else self.keeper.checkpoint(path)
        identity = None if saved is None else _identity(saved)
        if saved is not None and identity is None:
            self.sink.notice(Notice("checkpoint-unreadable", path))
        if saved is not None and identity is not None and mode in ("checkpoint", "appeared"):
            return self._resumed(tail, saved, identity)
        start = tail.start(identity, 0, beside=False)
        here = tail.here()
        lead = here if here.origin is not None and here.offset and mode != "appeared" else None
        return start, lead, TELLING[mode], ()

    def _resumed(
        self, tail: Tail, saved: Checkpoint, identity: Identity
    ) -> tuple[Start, Start | None, Telling, Sequence[Left]]:
        left = self.keeper.left_open(tail.path)
        start = tail.start(identity, saved.offset)
        if start.origin is not None:
            return start, start if start.offset or start.before else None, "silent", left
        self.sink.notice(Notice("lost", tail.path, {"offset": saved.offset}))
        # What is there now may go on with the run that was going on; if so, no start is announced in it.
        goes_on = replace(start, origin=tail.here().origin, base=left[-1].run if left else "")
        return goes_on, None, "live", left

    def _generation(self) -> str:
        """Unlike any other of this or an earlier process: time in milliseconds, process, count."""
        self._made += 1
        return f"{int(self.clock.time() * 1000):x}-{os.getpid():x}-{self._made:x}"


def _identity(saved: Checkpoint) -> Identity | None:
    """Which file a checkpoint speaks of; None for one that is damaged: the store holds what was written to its file,
    by whomever."""
    numbers = (saved.offset, saved.line)
    if not isinstance(saved.identity, str) or not all(isinstance(n, int) and n >= 0 for n in numbers):
        return None
    return Identity.parse(saved.identity)


def _quote(tail: Tail, place: Place, finding: Finding) -> str:
    del finding
    return quote(tail, place)
