"""Lines a process prints without a logger: tracebacks, warnings, usage texts, anything else."""

from __future__ import annotations

from collections.abc import Callable

from diagnose.model import Record, RecordKind
from diagnose.records.chain import Chain, Verdict
from diagnose.records.grammars import normal_level
from diagnose.records.limits import MAX_MESSAGE_LINES, MAX_USAGE_LINES
from diagnose.records.process import Owner
from diagnose.records.shapes import (
    FRAME,
    GROUP_HEADER,
    HEADER,
    IGNORED,
    KNOWN_PROG,
    PANIC,
    PROCESS_HEADER,
    PY_WARNING,
    PYTEST,
    TERMINATE,
    USAGE,
    USAGE_ERROR,
    WHAT,
    begins_traceback,
    exception_type,
    wraps,
)
from diagnose.records.span import Span
from diagnose.records.text_builder import TextBuilder
from diagnose.records.unwrap import Bare

_BEGINNINGS = (HEADER, GROUP_HEADER, FRAME, PROCESS_HEADER, PY_WARNING, USAGE, PYTEST)


class Printed:
    """State of one process's unlogged output."""

    def __init__(self, owner: Owner, number: Callable[[], int]) -> None:
        self._owner = owner
        self._number = number
        self._chain: Chain | None = None
        self._pytest = False
        """The open chain consists of pytest's ``E`` lines."""
        self._announced: str | None = None
        """Process named by multiprocessing's header above a traceback."""
        self._ignored = False
        self._usage = 0
        """Lines of the open usage text; 0 when none is open."""
        self._source_follows = False
        """The next indented line is the source a Python warning shows."""
        self._open: Bare | None = None
        """A line of plain output, waiting to see whether the next one is the rest of its sentence."""
        self._open_text = TextBuilder()
        self._aborted: Record | None = None
        """``terminate called``, waiting for its ``what():`` line."""
        self._aborted_text = TextBuilder()

    @property
    def expects_frames(self) -> bool:
        return self._chain is not None

    @property
    def open_frames(self) -> Chain | None:
        """The traceback that takes whatever line of frames comes next."""
        chain = self._chain
        return chain if chain is not None and self._open is None and not self._pytest and chain.in_frames else None

    def begins_something(self, span: Span) -> bool:
        text = span.text
        return any(shape.match(text) for shape in _BEGINNINGS) or exception_type(text) is not None

    def take_over(self, chain: Chain) -> list[Record]:
        """A traceback whose first line a logger wrote and whose other lines come bare."""
        out = self._close_open() + self._close_chain()
        self._chain = chain
        return out

    def log_record_came(self) -> list[Record]:
        """A logged record of the same process ends a message, but not a traceback that waits for its end."""
        self._usage = 0
        self._source_follows = False
        out = self._close_open() + self._close_aborted()
        if self._chain is not None and not self._chain.passed_by():
            out += self._close_chain()
        return out

    def feed(self, bare: Bare, adjacent: bool) -> list[Record]:
        span = bare.span
        if bare.opens and (self._chain is None or not self._chain.in_frames):
            return self.log_record_came() + self._fresh(bare)
        if self._open is not None and adjacent and self._goes_on(span):
            self._open_text.add(span)
            return []
        out = self._close_open()
        if self._chain is not None:
            verdict = self._offer(self._chain, span, adjacent)
            if verdict is Verdict.TAKEN:
                return out
            if verdict is Verdict.ENDED:
                out += self._close_chain()
        if not span.text.strip():
            return out
        if self._aborted is not None:
            if WHAT.match(span.text):
                self._aborted_text.add(span)
                return out + self._close_aborted()
            out += self._close_aborted()
        indented = span.text[0] in " \t"
        source, self._source_follows = self._source_follows, False
        if source and indented and adjacent and not FRAME.match(span.text):
            return out
        if self._usage:
            ended = self._read_usage(bare, indented)
            if ended is not None:
                return out + ended
        return out + self._fresh(bare)

    def _goes_on(self, span: Span) -> bool:
        """Whether a line is the rest of the sentence the open line of plain output was broken off in."""
        if not span.text or len(self._open_text) >= MAX_MESSAGE_LINES:
            return False
        if len(self._open_text) == 1 and PANIC.match(self._open_text.last):
            return True
        return wraps(self._open_text.last, span.text) and not self.begins_something(span)

    def _offer(self, chain: Chain, span: Span, adjacent: bool) -> Verdict:
        if not self._pytest:
            return chain.offer(span, adjacent=adjacent)
        found = PYTEST.match(span.text)
        if found is None or exception_type(span.text[found.end() :]) is not None:
            return Verdict.ENDED
        return chain.offer(span.drop(4), logged=True)

    def _read_usage(self, bare: Bare, indented: bool) -> list[Record] | None:
        """None when the line is not part of the usage text."""
        self._usage += 1
        if USAGE_ERROR.match(bare.span.text):
            self._usage = 0
            return [self._single(bare, RecordKind.USAGE)]
        if self._usage <= MAX_USAGE_LINES and (indented or bare.span.text.endswith(":")):
            return []
        self._usage = 0
        return None

    def _fresh(self, bare: Bare) -> list[Record]:
        """A line that begins something of its own."""
        span = bare.span
        text = span.text
        process = PROCESS_HEADER.match(text)
        if process is not None:
            self._announced = process["name"]
            return []
        out = self._begin_chain(bare)
        if out is not None:
            return out
        self._announced = None
        self._ignored = IGNORED.match(text) is not None
        warning = PY_WARNING.match(text)
        if warning is not None:
            self._source_follows = True
            file = warning["file"].replace("\\", "/").rsplit("/", 1)[-1]
            inner = Bare(span.drop(warning.start("text")), False, bare.origin, bare.owner, bare.time)
            return [self._single(inner, RecordKind.WARNING, source=f"{file}:{warning['line']}")]
        if KNOWN_PROG.match(text):
            return [self._single(bare, RecordKind.USAGE)]
        if USAGE.match(text):
            self._usage = 1
            return []
        if TERMINATE.match(text):
            self._aborted = self._single(bare, RecordKind.RAW)
            self._aborted_text = TextBuilder()
            self._aborted_text.add(span)
            return []
        if bare.level:
            return [self._single(bare, RecordKind.LOG)]
        self._open = bare
        self._open_text = TextBuilder()
        self._open_text.add(span)
        return []

    def _begin_chain(self, bare: Bare) -> list[Record] | None:
        span = bare.span
        text = span.text
        pytest = PYTEST.match(text)
        inner = span.drop(pytest.end()) if pytest else span
        header = begins_traceback(text)
        frame = None if header else FRAME.match(text)
        type_ = None if header or frame else exception_type(inner.text)
        if not header and not frame and type_ is None:
            return None
        out = self._close_chain()
        owner = self._owner
        if owner.process is None and self._announced:
            owner = owner._replace(process=self._announced)
        chain = Chain(self._number(), owner, bare.time, repeated=bare.repeated, ignored=self._ignored)
        self._announced, self._ignored = None, False
        self._chain, self._pytest = chain, pytest is not None
        if header:
            chain.in_group = GROUP_HEADER.match(text) is not None
            chain.begin(span)
        elif type_ is not None:
            chain.begin_bare(inner, type_)
        else:
            chain.headed = False
            chain.offer(span)
        return out

    def _single(
        self, bare: Bare, kind: RecordKind, source: str | None = None, text: TextBuilder | None = None
    ) -> Record:
        if text is None:
            text = TextBuilder()
            text.add(bare.span)
        joined, pieces = text.build()
        return Record(
            kind,
            joined,
            pieces,
            level=normal_level(bare.level),
            source=source,
            time=bare.time,
            process=self._owner.process,
            pid=self._owner.pid,
            repeated=bare.repeated,
        )

    def close(self) -> list[Record]:
        self._usage = 0
        return self._close_open() + self._close_chain() + self._close_aborted()

    def _close_open(self) -> list[Record]:
        bare, self._open = self._open, None
        return [] if bare is None else [self._single(bare, RecordKind.RAW, text=self._open_text)]

    def _close_chain(self) -> list[Record]:
        chain, self._chain = self._chain, None
        self._pytest = False
        return [] if chain is None else chain.close()

    def _close_aborted(self) -> list[Record]:
        waiting, self._aborted = self._aborted, None
        if waiting is None:
            return []
        text, pieces = self._aborted_text.build()
        return [
            Record(
                waiting.kind,
                text,
                pieces,
                time=waiting.time,
                process=waiting.process,
                pid=waiting.pid,
                repeated=waiting.repeated,
            )
        ]
