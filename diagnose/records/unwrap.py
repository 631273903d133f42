"""From a physical line to what the program wrote: transport, colours, process, repaints taken off."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from diagnose.model import Line, Piece
from diagnose.records.envelope import Enclosed, open_envelope
from diagnose.records.limits import MAX_PARTIALS, MAX_RECORD_CHARS
from diagnose.records.opener import DROPPED, Opener
from diagnose.records.process import Owner, owner_before_head, read_owner, read_repeats
from diagnose.records.span import Span, join
from diagnose.records.terminal import last_painted, strip_colours
from diagnose.records.transport import read_transport

_OF_LEVELS = frozenset("IWEC")
"""``INFO``, ``WARNING``, …: ``DEBUG`` begins as ``Dec`` does."""

_BARE = _OF_LEVELS | {"", " ", "("}
"""First characters of lines that ``stands_bare`` may take: what a line says must not depend on those before it."""


class Bare(NamedTuple):
    """One line as its program wrote it."""

    span: Span
    had_cr: bool
    """True when it ended in ``\\r``: vLLM's formatter marks so that its record goes on."""
    origin: str
    owner: Owner
    time: str | None
    """Of the transport, if it gave one."""
    level: str | None = None
    """Of a JSON logger around the line."""
    repeated: int = 1
    opens: bool = False
    """True for the first line of what a logger called an error: it goes on with nothing before it."""


class _Part(NamedTuple):
    """A line without its transport, or a part of one."""

    span: Span
    time: str | None
    origin: str
    level: str | None = None
    opens: bool = False


class Unwrapper:
    """Takes physical lines in order; only unfinished container-runtime lines are kept between calls, and what kind of
    record of several lines or of table the last ones belonged to."""

    def __init__(self) -> None:
        self._opener = Opener()
        self._partial: OrderedDict[str, list[_Part]] = OrderedDict()
        self.is_idle = True
        """What a line is, it tells by itself: nothing of those before it is open."""

    @property
    def waits(self) -> bool:
        """Lines are kept whose rest has not come."""
        return bool(self._partial)

    def feed(self, line: Line) -> list[Bare]:
        text = line.text
        if self.is_idle and not line.marks and stands_bare(text):
            owner, start = read_owner(text)
            return [Bare(Span(text[start:], (Piece(0, line.number, line.offset),)), False, "", owner, None)]
        found = self._opened(line)
        self.is_idle = not self._partial and self._opener.is_idle
        return found

    def _opened(self, line: Line) -> list[Bare]:
        """What a line carries, whatever is around it."""
        text = strip_colours(line.text)
        if text[:1] == "\ufeff":
            text = text.lstrip("\ufeff")
        enclosed = self._opener.open(text)
        if enclosed is DROPPED:
            return []
        if enclosed is not None:
            return self._collect(_parts(enclosed, Span.of(text, line)), enclosed.partial)
        carried = read_transport(text)
        span = Span(text, line.marks).drop(carried.end) if line.marks else Span.of(text[carried.end :], line)
        part = _Part(span, carried.time, carried.origin)
        if carried.partial or self._partial:
            return self._collect([part], carried.partial)
        return _bares([part]) if carried.end else [_bare(part)]  # nothing around it: it was asked for objects already

    def flush(self) -> list[Bare]:
        """Unfinished lines, as far as they were written."""
        rest = [_bare(_joined(parts)) for parts in self._partial.values()]
        self._partial.clear()
        self._opener.gap()
        self.is_idle = self._opener.is_idle
        return rest

    def _collect(self, parts: list[_Part], partial: bool) -> list[Bare]:
        origin = parts[0].origin
        if not partial:
            waiting = self._partial.pop(origin, None)
            if waiting:
                parts = [_joined([*waiting, parts[0]]), *parts[1:]]
            return _bares(parts)
        waiting = self._partial.setdefault(origin, [])
        if sum(len(part.span.text) for part in waiting) < MAX_RECORD_CHARS:
            waiting += parts
        if len(self._partial) <= MAX_PARTIALS:
            return []
        _, oldest = self._partial.popitem(last=False)
        return [_bare(_joined(oldest))]


def _parts(enclosed: Enclosed, carrier: Span) -> list[_Part]:
    """The lines of all records that ``carrier`` carries."""
    return [
        _Part(carrier.with_text(text), one.time, one.origin, one.level, one.is_error and not number)
        for one in (enclosed, *enclosed.more)
        for number, text in enumerate(strip_colours(one.text).split("\n"))
    ]


def _bares(parts: list[_Part]) -> list[Bare]:
    return [_bare(inner) for part in parts for inner in _inside(part)]


def _inside(part: _Part) -> list[_Part]:
    """What a logger of objects or of pairs wrote, and something else carried; the part itself for any other."""
    text = part.span.text
    inner = open_envelope(text)
    if inner is None or inner.level is None or inner.partial:
        return [part]
    return [
        one._replace(time=one.time or part.time, origin=part.origin or one.origin) for one in _parts(inner, part.span)
    ]


def stands_bare(text: str) -> bool:
    """Whether it is plain that nothing is to be taken off a line but its process; most lines of a server are such.

    Nothing is carried by a line that begins so (``Opener``, ``read_transport``), and no terminal was meant by it.
    """
    first = text[:1]
    if first == " ":
        begin = text.lstrip(" ")[:1]
        if begin == '"' or not begin or begin.isdigit():
            return False
    elif first != "(" and (first not in _OF_LEVELS or "," in text[:60] or "|" in text[:100]):
        return False
    return (
        text.isprintable()
        and "[0" not in text
        and "^[[" not in text
        and "#033[" not in text
        and "\ufffd[" not in text
        and "x across cluster]" not in text
        and not (text[19:20] == "." and text[29:30] == " ")
    )


def _joined(parts: list[_Part]) -> _Part:
    return parts[0]._replace(span=join([part.span for part in parts]))


def _bare(part: _Part) -> Bare:
    span = part.span
    text = span.text
    had_cr = text.endswith("\r")
    if had_cr:
        text = text.rstrip("\r")
    owner, start = read_owner(text)
    if not start and text[:1] not in _BARE and ".py:" in text:
        owner = owner_before_head(text)
    if "\r" in text:
        painted = last_painted(text)
        if painted > start:
            inner, start = read_owner(text, painted)
            owner = inner if inner.named else owner
    repeated, end = read_repeats(text)
    return Bare(span.between(start, end), had_cr, part.origin, owner, part.time, part.level, repeated, part.opens)
