"""Lines, the logical records made of them, and signatures found in records."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from diagnose.light import dataclass
from diagnose.model.text import Value


@dataclass(frozen=True, slots=True)
class Line:
    """One physical line as it stood in the input."""

    number: int
    """From 1, counting ``\\n`` only. A jump between two lines means the scan left lines out between them."""
    offset: int
    """Byte offset of the line's first byte."""
    text: str
    """Decoded text without the closing ``\\n``; a ``\\r``, colours and prefixes are still there."""
    marks: tuple[Piece, ...] = ()
    """Where its parts came from when it was joined of several lines; the first begins at 0."""


class RecordKind(str, enum.Enum):
    """What wrote a record, as far as it decides how the record may be read."""

    LOG = "log"  # a logger's record with a level (vLLM, plugin, optimum, rebel-compiler, uvicorn, …)
    EXCEPTION = "exception"  # one exception of a traceback, or a bare `Type: message` line
    FATAL = "fatal"  # the JSON line a vllm-rbln worker writes before it ends itself
    WARNING = "warning"  # Python `warnings` output
    USAGE = "usage"  # argparse: usage and error
    ACCESS = "access"  # an HTTP access line
    RAW = "raw"  # anything else: program output, C++ messages, kernel lines


@dataclass(frozen=True, slots=True)
class Piece:
    """Where one line of a record's text came from."""

    start: int
    """Index into ``Record.text`` where this line begins."""
    line: int
    offset: int


@dataclass(frozen=True, slots=True)
class ExceptionInfo:
    """How an exception stood in its traceback."""

    type: str
    """As printed, e.g. ``pydantic_core._pydantic_core.ValidationError``."""
    chain: int
    """Number of the traceback this exception belongs to; the exceptions of one chain share it."""
    position: int
    """0 is printed first, i.e. innermost."""
    link: Literal["cause", "context", "group"] | None
    """How it is joined to the exception printed before it in the chain (direct cause / during handling)."""
    last: bool
    """True for the exception printed last in its chain."""
    frames: tuple[str, ...] = ()
    """Innermost frames, oldest first, as ``file.py:line in function: source line``."""
    bare: bool = False
    """True when no ``Traceback`` header was seen, only the closing line."""


@dataclass(frozen=True, slots=True)
class Record:
    """One logical message: every prefix layer stripped, its physical lines joined with ``\\n``."""

    kind: RecordKind
    text: str
    """The message. For an exception ``Type: message`` as printed, continuation lines included."""
    pieces: tuple[Piece, ...]
    """One per line of ``text``, in order; the first gives the record's own line and offset."""
    level: str | None = None
    """``DEBUG`` … ``CRITICAL`` when a logger gave one (for an exception: of the logged copy)."""
    writer: str | None = None
    """``vllm``, ``vllm-rbln``, ``optimum``, ``rebel-compiler``, ``uvicorn``, … where it can be told."""
    source: str | None = None
    """``core.py:1366`` when the record names it."""
    time: str | None = None
    """Time stamp as printed by the innermost layer that has one."""
    process: str | None = None
    """``APIServer``, ``EngineCore_DP0``, ``Worker_TP1``, ``RayWorkerWrapper``, … or None."""
    pid: int | None = None
    exception: ExceptionInfo | None = None
    repeated: int = 1
    """Ray's ``[repeated Nx across cluster]``: how many processes printed it."""
    server: str = ""
    """Service, pod or unit whose line it is, where what carried the line names one."""

    @property
    def speaker(self) -> tuple[str, int] | None:
        """Name and pid of the process, where both are printed."""
        return None if self.process is None or self.pid is None else (self.process, self.pid)

    @property
    def line(self) -> int:
        return self.pieces[0].line

    @property
    def offset(self) -> int:
        return self.pieces[0].offset

    @property
    def last_line(self) -> int:
        return self.pieces[-1].line

    def place(self, index: int) -> Piece:
        """The piece that holds the character ``index`` of ``text``."""
        found = self.pieces[0]
        for piece in self.pieces:
            if piece.start > index:
                break
            found = piece
        return found


@dataclass(frozen=True, slots=True)
class Match:
    """A signature found in a record."""

    entry: str
    """Entry id."""
    signature: int
    """Index of the signature in its entry."""
    record: Record
    start: int
    end: int
    """Span in ``record.text``."""
    numbers: Mapping[str, Value] = field(default_factory=dict)
    """Captured values by placeholder name."""
    number_spans: tuple[tuple[int, int], ...] = ()
    """Spans of the captured values in ``record.text``, for underlining."""

    @property
    def line(self) -> int:
        return self.record.place(self.start).line

    @property
    def offset(self) -> int:
        return self.record.place(self.start).offset
