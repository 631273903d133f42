"""One path, through rotation, truncation and re-creation.

``poll`` is all there is: it looks at the files as they are now and gives what is new. Nothing depends on having
seen the moment in which something happened, so a lost event costs time only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ParamSpec

from diagnose.watch.limits import CHUNK_BYTES, LEAD_BYTES, MAX_OLD, PARTIAL_WAIT_S, ROTATE_WAIT_S
from diagnose.watch.tail.identity import Identity
from diagnose.watch.tail.names import Sibling, siblings
from diagnose.watch.tail.nouns import GUARD, Notice, Origin, Piece
from diagnose.watch.tail.opened import Opened
from diagnose.watch.tail.system import Files

Out = Piece | Notice
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Start:
    """Where a checkpoint left off: what lies before is read again, but has been told."""

    origin: Origin | None
    """None when the file of the checkpoint was not found: everything is new."""
    offset: int
    base: str = ""
    before: frozenset[Origin] = frozenset()
    """Rotated files that are read first: the run that goes on may have begun there."""


@dataclass(slots=True)
class _Old:
    """A file that was rotated away and may still be written to."""

    opened: Opened
    until: float
    """It is read with the new one, line by line, up to here; then only looked at until the next rotation."""


class Follower:
    """Follows ``path``. ``generation`` gives a new name for what was not met before; ``base`` the key of the run
    that is going on. Methods raise nothing: what the operating system refuses becomes a notice, said once."""

    def __init__(
        self, path: str, files: Files, *, generation: Callable[[], str], base: Callable[[], str] = lambda: ""
    ) -> None:
        self.path = path
        self.waiting = False
        """True when something is known to be readable soon."""
        self.ended = False
        self.missing_since: float | None = None
        """Since when there is no file at the path."""
        self._files = files
        self._generation = generation
        self._base = base
        self._chain: deque[Opened] = deque()
        """Files to read one after the other; the last one is what the path is now."""
        self._old: list[_Old] = []
        self._known: set[tuple[int, int, str]] = set()
        self._last: Origin | None = None
        self._line_start = True
        self._last_data = 0.0
        self._trouble = ""

    # ------------------------------------------------------------------------------ beginning

    def start(self, identity: Identity | None, offset: int, *, beside: bool = True) -> Start:
        """Find the file a checkpoint speaks of, at the path or (``beside``) among the rotated ones.

        Call before the first poll. Raises nothing."""
        others = self._siblings()
        self._known = {s.key for s in others}
        now = self._open(self.path)
        if identity is None:
            self._chain.extend([now] if now else [])
            return Start(None, 0)
        if now is not None and identity.is_of(now.handle) and now.handle.stat().size >= offset:
            return self._resume(now, identity, offset, others if beside else [], [])
        for number, sibling in enumerate(others if beside else ()):
            opened = self._open(sibling.path) if sibling.stat.key == (identity.device, identity.inode) else None
            if opened is None:
                continue
            if identity.is_of(opened.handle):
                later = [self._open(s.path) for s in others[number + 1 :]]
                return self._resume(opened, identity, offset, others[:number], [*later, now])
            opened.close()
        self._chain.extend([now] if now else [])
        return Start(None, 0)

    def _resume(
        self, opened: Opened, identity: Identity, offset: int, earlier: list[Sibling], later: list[Opened | None]
    ) -> Start:
        """Go on in the file of the checkpoint, after what came before it and ahead of what came after."""
        opened.begin_again(identity.generation, identity.base)
        before: deque[Opened] = deque()
        left = LEAD_BYTES
        for sibling in reversed(earlier):
            left -= sibling.stat.size
            older = self._open(sibling.path) if left >= 0 else None
            if older is None:
                break
            before.appendleft(older)
        self._chain.extend([*before, opened, *(o for o in later if o is not None)])
        return Start(opened.origin, offset, identity.base, frozenset(o.origin for o in before))

    def here(self) -> Start:
        """The file at the path and how long it is now."""
        if not self._chain:
            return Start(None, 0)
        try:
            return Start(self._chain[-1].origin, self._chain[-1].handle.stat().size)
        except OSError:
            return Start(None, 0)

    # -------------------------------------------------------------------------------- polling

    def poll(self, now: float, size: int = CHUNK_BYTES) -> list[Out]:
        """What is new since the last call, at most about ``size`` bytes of each open file."""
        out: list[Out] = []
        self.waiting = False
        troubles = [self._trouble_of(self._drain, old, now, size, out) for old in list(self._old)]
        if self._held(now):
            self.waiting = True
        else:
            troubles.append(self._trouble_of(self._advance, now, size, out))
            troubles.append(self._trouble_of(self._look, now, out))
        self._say(next(filter(None, troubles), ""), out)
        return out

    def close(self) -> None:
        for opened in (*self._chain, *(old.opened for old in self._old)):
            opened.close()
        self._chain.clear()
        self._old.clear()

    @property
    def lag_bytes(self) -> int:
        """Bytes written and not read yet, as far as it is known."""
        try:
            return sum(max(o.handle.stat().size - o.offset, 0) for o in self._chain)
        except OSError:
            return 0

    @property
    def open_files(self) -> int:
        return len(self._chain) + len(self._old)

    @property
    def identity(self) -> dict[str, Identity]:
        """Of every open file, by generation."""
        return {o.identity.generation: o.identity for o in (*self._chain, *(x.opened for x in self._old))}

    def quote(self, origin: Origin, offset: int, size: int) -> bytes:
        """Bytes of an open file, to quote from; empty when it is open no more."""
        for opened in (*self._chain, *(x.opened for x in self._old)):
            if opened.origin == origin:
                try:
                    return opened.handle.read(max(offset, 0), size)
                except OSError:
                    return b""
        return b""

    @staticmethod
    def _trouble_of(work: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> str:
        """What the operating system refused; empty when it did not."""
        try:
            work(*args, **kwargs)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _say(self, trouble: str, out: list[Out]) -> None:
        """Once when it begins, once when it is over."""
        if trouble == self._trouble:
            return
        self._trouble = trouble
        out.append(Notice("unreadable", self.path, {"why": trouble}) if trouble else Notice("readable", self.path))

    # -------------------------------------------------------------------- files rotated away

    def _drain(self, old: _Old, now: float, size: int, out: list[Out]) -> None:
        got = self._take(old.opened, now, size, out, whole=False)
        if got:
            old.until = now + ROTATE_WAIT_S
        elif len(self._old) > MAX_OLD or (
            now >= old.until and (old is not self._old[-1] or old.opened.handle.stat().links == 0)
        ):
            self._old.remove(old)
            old.opened.close()

    def _held(self, now: float) -> bool:
        """A line of a rotated file is half written: its rest is waited for, a little."""
        if self._line_start or not self._old or self._last is None:
            return False
        half = any(old.opened.origin == self._last for old in self._old)
        return half and now - self._last_data < PARTIAL_WAIT_S

    # ------------------------------------------------------------------------ the path itself

    def _advance(self, now: float, size: int, out: list[Out]) -> None:
        while self._chain:
            front = self._chain[0]
            draining = any(now < old.until for old in self._old)
            got = self._take(front, now, size, out, whole=draining)
            if got or len(self._chain) == 1 or not front.at_end():
                self.waiting = self.waiting or got >= size or len(self._chain) > 1
                return
            self._chain.popleft()
            self._old.append(_Old(front, now + ROTATE_WAIT_S))
            self._chain[0].rebase(self._base())
            if self._held(now):
                self.waiting = True
                return

    def _take(self, opened: Opened, now: float, size: int, out: list[Out], *, whole: bool) -> int:
        """Read on in one file; the number of bytes that came."""
        found = opened.changed()
        if found is None:
            return 0
        lost = opened.lost(found)
        if lost is not None:
            out.append(Notice("truncated", opened.origin.path, {"lost": lost}))
            opened.begin_again(self._generation(), self._base())
        fresh = self._last is not opened.origin
        data, place = opened.read(size, at_line_start=self._line_start or fresh, whole_lines=whole)
        if opened.skipped:
            out.append(Notice("hole", opened.origin.path, {"bytes": opened.skipped}))
            opened.skipped = 0
        if not data:
            return 0
        if fresh and not self._line_start:
            out.append(GUARD)
        out.append(Piece(data, opened.origin, place))
        self._last, self._last_data = opened.origin, now
        self._line_start = data.endswith(b"\n")
        return len(data)

    def _look(self, now: float, out: list[Out]) -> None:
        """Is the path still the file that is being read?"""
        found = self._files.stat(self.path)
        current = self._chain[-1] if self._chain else None
        if found is None or found.kind not in ("file", "other"):
            self.missing_since = now if self.missing_since is None else self.missing_since
            return
        self.missing_since = None
        if current is not None and found.key == current.key:
            return
        opened = self._files_open(self.path)
        between = self._between(current, opened) if current or self._old else []
        self._known = {s.key for s in self._siblings()}
        out.append(Notice("rotated" if current or self._old else "appeared", self.path))
        self._chain.extend((*between, opened))
        self.waiting = True

    def _between(self, current: Opened | None, new: Opened) -> list[Opened]:
        """Files that came and were rotated away again since the path was looked at last, the oldest first."""
        mine = {o.key for o in (*self._chain, *(x.opened for x in self._old), new)}
        since = current.handle.stat().mtime_ns if current is not None else 0
        missed = [
            s
            for s in self._siblings()
            if s.stat.key not in mine and s.key not in self._known and s.stat.mtime_ns >= since
        ]
        return [opened for opened in map(self._open, (s.path for s in missed)) if opened is not None]

    # ------------------------------------------------------------------------------- opening

    def _open(self, path: str) -> Opened | None:
        try:
            return self._files_open(path) if self._files.stat(path) else None
        except OSError:
            return None

    def _files_open(self, path: str) -> Opened:
        handle = self._files.open(path)
        try:
            return Opened(path, handle, self._generation(), self._base())
        except OSError:
            handle.close()
            raise

    def _siblings(self) -> list[Sibling]:
        try:
            return siblings(self._files, self.path)
        except OSError:
            return []


def pieces(out: list[Out]) -> Iterator[Piece]:
    """The bytes among what a poll gave."""
    return (one for one in out if isinstance(one, Piece))
