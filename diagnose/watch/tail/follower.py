"""One path, through rotation, truncation and re-creation.

``poll`` is all there is: it looks at the files as they are now and gives what is new. Nothing depends on having
seen the moment in which something happened, so a lost event costs time only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import ParamSpec

from diagnose.light import dataclass
from diagnose.watch.limits import CHUNK_BYTES, LEAD_BYTES, MAX_OLD, PARTIAL_WAIT_S, ROTATE_WAIT_S
from diagnose.watch.tail.identity import Identity
from diagnose.watch.tail.names import Sibling, all_numbered, siblings
from diagnose.watch.tail.nouns import GUARD, Notice, Origin, Piece
from diagnose.watch.tail.opened import Opened
from diagnose.watch.tail.packed import packed_since
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
        found = self._find(identity, others if beside else [], now, offset)
        if found is None and identity is not None and beside:
            packed = packed_since(self._files, self.path, identity, offset)
            if packed:
                return self._start_packed(identity, offset, packed, others, now)
        if identity is None or found is None:
            self._adopt([], others)
            self._chain.extend([now] if now else [])
            return Start(None, 0)
        before = self._lead(others[: found if beside else 0])
        chain = self._adopt([*before, *others[found:]], others) + ([now] if now else [])
        opened = chain[len(before)]
        opened.begin_again(identity.generation, identity.base)
        self._chain.extend(chain)
        return Start(opened.origin, offset, identity.base, frozenset(o.origin for o in chain[: len(before)]))

    def _start_packed(
        self, identity: Identity, offset: int, packed: list[Sibling], others: list[Sibling], now: Opened | None
    ) -> Start:
        """The file of the checkpoint was compressed: read on in it, then in those that came after it."""
        later = [s for s in others if s.stat.mtime_ns >= packed[-1].stat.mtime_ns]
        chain = self._adopt([*packed, *later], [*packed, *others])
        chain[0].begin_again(identity.generation, identity.base)
        self._chain.extend([*chain, *([now] if now else [])])
        return Start(chain[0].origin, offset, identity.base)

    @staticmethod
    def _find(identity: Identity | None, others: list[Sibling], now: Opened | None, offset: int) -> int | None:
        """Place of the checkpoint's file among the rotated ones, or behind them when it is at the path; else None."""
        if identity is None:
            return None
        if now is not None and identity.is_of(now.handle) and now.handle.stat().size >= offset:
            return len(others)
        return next((i for i, s in enumerate(others) if identity.is_of(s.handle)), None)

    @staticmethod
    def _lead(earlier: list[Sibling]) -> list[Sibling]:
        """The rotated files to read first: the latest ones that are not too much together."""
        left = LEAD_BYTES
        taken: list[Sibling] = []
        for sibling in reversed(earlier):
            left -= sibling.stat.size
            if left < 0:
                break
            taken.insert(0, sibling)
        return taken

    def _adopt(self, wanted: list[Sibling], every: list[Sibling]) -> list[Opened]:
        """Go on with the files that are wanted; close the others."""
        for sibling in every:
            if not any(sibling is w for w in wanted):
                sibling.handle.close()
        return [Opened(s.path, s.handle, self._generation(), self._base()) for s in wanted]

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
        # One listing, after the file was opened: what is rotated away meanwhile is in it, or found next time.
        beside = self._siblings()
        followed = current is not None or bool(self._old)
        fresh, at = self._missed(beside, current, opened) if followed else ([], 0)
        chain = self._adopt(fresh, beside)
        self._known = {s.key for s in beside}
        out.append(Notice("rotated" if followed else "appeared", self.path))
        self._chain.extend((*chain[:at], opened, *chain[at:]))
        self.waiting = True

    def _missed(self, beside: list[Sibling], current: Opened | None, new: Opened) -> tuple[list[Sibling], int]:
        """Files that came and were rotated away again since the path was looked at last, the oldest first; and how
        many of them are older than ``new`` (which may have been rotated away itself since it was opened)."""
        mine = {o.key for o in (*self._chain, *(x.opened for x in self._old))}
        keys = [s.stat.key for s in beside]
        if current is not None and current.key in keys and all_numbered(beside):
            # Their order is sure: what was known does not count, an inode may be used again for an equal beginning.
            fresh = beside[keys.index(current.key) + 1 :]
        else:
            since = current.handle.stat().mtime_ns if current is not None else 0
            fresh = [s for s in beside if s.stat.mtime_ns >= since and s.key not in self._known]
        fresh = [s for s in fresh if s.stat.key not in mine]
        at = next((i for i, s in enumerate(fresh) if s.stat.key == new.key), None)
        if at is None:
            return fresh, len(fresh)
        return [*fresh[:at], *fresh[at + 1 :]], at

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
