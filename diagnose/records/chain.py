"""One traceback with everything it is chained to, read line by line."""

from __future__ import annotations

import enum
from dataclasses import field
from typing import Literal

from diagnose.late import late
from diagnose.light import dataclass
from diagnose.model import ExceptionInfo, Record, RecordKind
from diagnose.records.frames import Frames
from diagnose.records.grammars import Head
from diagnose.records.limits import MAX_CHAIN, MAX_FOREIGN
from diagnose.records.message import continues_message
from diagnose.records.process import Owner
from diagnose.records.shapes import FRAME, GROUP_HEADER, GROUP_TITLE, HEADER, SEPARATORS, closing_type
from diagnose.records.span import Span
from diagnose.records.text_builder import TextBuilder

Link = Literal["cause", "context", "group"]
_LINKS: dict[str, Link] = {"cause": "cause", "context": "context"}
_MARGIN = late(r" *\|(?: |$)")
_DIVIDER = late(r" *\+-[+-]*(?: (?:\d+|\.\.\.) -+)?\s*$")


class Verdict(enum.Enum):
    """What a chain says to a line."""

    TAKEN = enum.auto()
    """It belongs to the chain."""
    PASSED = enum.auto()
    """It is something else, but the chain goes on behind it."""
    ENDED = enum.auto()
    """It is something else and the chain is over."""


class State(enum.Enum):
    FRAMES = enum.auto()
    MESSAGE = enum.auto()
    BETWEEN = enum.auto()
    """Behind a separator or a divider, before the next exception."""


@dataclass(slots=True)
class _Exception:
    type: str
    text: TextBuilder
    frames: tuple[str, ...]
    link: Link | None
    bare: bool


@dataclass(slots=True)
class Chain:
    """Reads one chain. Lines come without prefixes."""

    number: int
    owner: Owner
    time: str | None = None
    head: Head | None = None
    """Of the logged copy, if a logger wrote it."""
    ignored: bool = False
    """True under ``Exception ignored in``: Python went on, nothing failed by it."""
    state: State = State.FRAMES
    repeated: int = 1
    in_group: bool = False
    headed: bool = True
    """False when the ``Traceback`` line itself was not seen."""
    _done: list[_Exception] = field(default_factory=list)
    _open: _Exception | None = None
    _frames: Frames = field(default_factory=Frames)
    _link: Link | None = None
    _foreign: int = 0
    _first: Span | None = None

    def begin(self, span: Span) -> None:
        """The ``Traceback`` line."""
        self._first = self._first or span
        self.state = State.FRAMES
        self.headed = True

    def begin_bare(self, span: Span, type_: str) -> None:
        """A closing line with nothing above it."""
        self.headed = False
        self._close_with(span, type_)

    def offer(self, span: Span, *, logged: bool = False, adjacent: bool = True) -> Verdict:
        """One more line. ``logged`` says that its logger vouches for it: it is part of the same message."""
        if self.in_group:
            return self._offer_group(span, logged, adjacent)
        if GROUP_TITLE in span.text and GROUP_HEADER.match(span.text):
            if self.state is not State.BETWEEN:
                return Verdict.ENDED
            self.in_group = True
            self.begin(span)
            return Verdict.TAKEN
        return self._read(span, logged, adjacent)

    def _offer_group(self, span: Span, logged: bool, adjacent: bool) -> Verdict:
        if _DIVIDER.match(span.text):
            return self._between("group")
        margin = _MARGIN.match(span.text)
        if margin is not None:
            return self._read(span.drop(margin.end()), True, True)
        if not span.text.strip():
            return Verdict.TAKEN
        if span.text.strip() not in SEPARATORS:
            return Verdict.ENDED
        self.in_group = False
        return self._read(span, logged, adjacent)

    @property
    def in_frames(self) -> bool:
        """Whether an indented line is taken for a frame whatever it says."""
        return self.state is State.FRAMES and not self.in_group

    def frame(self, text: str) -> None:
        """One more line of the frames."""
        self.state = State.FRAMES
        self._frames.add(text)
        self._foreign = 0

    def passed_by(self) -> bool:
        """Counts a line that is not for this chain; False when the chain has waited long enough."""
        self._foreign += 1
        return self.state is State.FRAMES and self._foreign <= MAX_FOREIGN

    def _read(self, span: Span, vouched: bool, adjacent: bool) -> Verdict:
        text = span.text
        separator = SEPARATORS.get(text.strip())
        if separator is not None:
            return self._between(_LINKS[separator])
        if self.state is State.MESSAGE:
            return self._message(span, vouched, adjacent)
        if not text.strip():
            return Verdict.TAKEN
        if text[0] in " \t":
            if self.state is State.BETWEEN and not FRAME.match(text):
                return Verdict.ENDED
            self.frame(text)
            return Verdict.TAKEN
        if HEADER.match(text):
            if self.state is State.FRAMES and self._seen_frames():
                return Verdict.ENDED
            self.begin(span)
            return Verdict.TAKEN
        return self._unindented(span, vouched)

    def _unindented(self, span: Span, vouched: bool) -> Verdict:
        type_ = closing_type(span.text)
        if type_ is not None:
            self._close_with(span, type_)
            return Verdict.TAKEN
        if self.state is State.BETWEEN:
            return Verdict.ENDED
        if vouched:
            return Verdict.TAKEN
        return Verdict.PASSED if self.passed_by() else Verdict.ENDED

    def _message(self, span: Span, vouched: bool, adjacent: bool) -> Verdict:
        current = self._open
        if current is None:
            return Verdict.ENDED
        if HEADER.match(span.text):
            if not current.type.endswith("RemoteTraceback"):
                return Verdict.ENDED
            # A worker process's traceback, quoted as the message of a wrapper: only the quoted one counts.
            self._open = None
            self.begin(span)
            return Verdict.TAKEN
        bare = not self.headed and not current.frames
        if vouched or continues_message(current.text, span.text, current.type, bare, adjacent):
            current.text.add(span)
            return Verdict.TAKEN
        return Verdict.ENDED

    def _between(self, link: Link) -> Verdict:
        self._settle()
        self._link = link
        self.state = State.BETWEEN
        return Verdict.TAKEN

    def _close_with(self, span: Span, type_: str) -> None:
        self._settle()
        text = TextBuilder()
        text.add(span)
        link = self._link if self._done else None
        bare = not self.headed and not self._done
        self._open = _Exception(type_, text, self._frames.take(), link, bare)
        self._link = None
        self.state = State.MESSAGE

    def _settle(self) -> None:
        if self._open is not None and len(self._done) < MAX_CHAIN:
            self._done.append(self._open)
        self._open = None

    def _seen_frames(self) -> bool:
        return bool(self._frames.take())

    def close(self) -> list[Record]:
        """The exceptions, innermost first. A traceback cut off before its last line is one raw record."""
        self._settle()
        if not self._done:
            return self._cut_off()
        final = len(self._done) - 1
        return [self._record(one, position, position == final) for position, one in enumerate(self._done)]

    def _record(self, one: _Exception, position: int, last: bool) -> Record:
        text, pieces = one.text.build()
        head = self.head
        info = ExceptionInfo(one.type, self.number, position, one.link, last, one.frames, one.bare)
        return Record(
            RecordKind.EXCEPTION,
            text,
            pieces,
            level=head.level if head else None,
            writer="ignored" if self.ignored else head.writer if head else None,
            source=head.source if head else None,
            time=(head.time if head else None) or self.time,
            process=self.owner.process,
            pid=self.owner.pid,
            exception=info,
            repeated=self.repeated,
        )

    def _cut_off(self) -> list[Record]:
        if self._first is None:
            return []
        text = TextBuilder()
        text.add(self._first)
        joined, pieces = text.build()
        head = self.head
        return [
            Record(
                RecordKind.RAW,
                joined,
                pieces,
                level=head.level if head else None,
                writer=head.writer if head else None,
                source=head.source if head else None,
                time=(head.time if head else None) or self.time,
                process=self.owner.process,
                pid=self.owner.pid,
                repeated=self.repeated,
            )
        ]
