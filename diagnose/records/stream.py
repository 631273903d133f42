"""What one process has open: a logged record, a logged traceback, and what it prints without a logger."""

from __future__ import annotations

from collections.abc import Callable

from diagnose.model import Record
from diagnose.records.chain import Chain, State, Verdict
from diagnose.records.grammars import Head
from diagnose.records.log_draft import LogDraft
from diagnose.records.printed import Printed
from diagnose.records.process import Owner
from diagnose.records.shapes import FRAME, GROUP_HEADER, begins_traceback, exception_type
from diagnose.records.span import Span
from diagnose.records.unwrap import Bare

_SOURCE_INDENT = "    "


class Stream:
    """Logged and printed lines of one process are read apart: they come from two file descriptors."""

    def __init__(self, owner: Owner, number: Callable[[], int]) -> None:
        self._owner = owner
        self._number = number
        self._printed = Printed(owner, number)
        self._draft: LogDraft | None = None
        self._logged: Chain | None = None
        self._opening = ""
        """First line of the record the logged traceback stands in; seen again, it begins another record."""
        self._went_on = False
        """True when the last line under a head ended in ``\\r``."""

    def log(self, bare: Bare, head: Head, marked: bool) -> list[Record]:
        """A line with a head. ``marked``: in this log ``\\r`` tells which records go on."""
        span = bare.span.drop(head.start)
        marked = marked and head.marks_lines
        goes_on = self._went_on if marked else None
        self._went_on = bare.had_cr
        complete = marked and not bare.had_cr
        if self._logged is not None and self._logged_takes(self._logged, head, span, goes_on):
            self._logged.repeated = max(self._logged.repeated, bare.repeated)
            if complete and self._logged.state is State.MESSAGE:
                return self._close_logged()
            return []
        out = self._close_logged()
        if self._draft is not None and self._draft_takes(self._draft, head, span.text, goes_on):
            self._draft.add(span)
            return out + self._close_draft() if complete else out
        out += self._close_draft() + self._printed.log_record_came()
        out += self._open(bare, head, span)
        return out + self._close_draft() if complete else out

    def _logged_takes(self, chain: Chain, head: Head, span: Span, goes_on: bool | None) -> bool:
        if chain.head is None or not head.same(chain.head):
            return False
        if goes_on is False and chain.state is State.MESSAGE:
            return False
        if goes_on is None and self._opening and span.text == self._opening:
            return False
        return chain.offer(span, logged=True) is Verdict.TAKEN

    def _draft_takes(self, draft: LogDraft, head: Head, text: str, goes_on: bool | None) -> bool:
        if not head.repeats or not head.same(draft.head) or begins_traceback(text):
            return False
        return draft.goes_on_under_same_head(text) if goes_on is None else goes_on

    def _open(self, bare: Bare, head: Head, span: Span) -> list[Record]:
        chain = self._chain_of(bare, head, span)
        if chain is None:
            self._draft = LogDraft(head, span, self._owner, bare.time, bare.repeated)
            return []
        if head.repeats:
            self._logged = chain
            return []
        return self._printed.take_over(chain)

    def _chain_of(self, bare: Bare, head: Head, span: Span) -> Chain | None:
        """The traceback that begins with this logged line, if one does."""
        text = span.text
        begins = begins_traceback(text)
        type_ = exception_type(text) if head.serious else None
        # Frames without a header: the beginning lies in lines that were left out. They are no statement.
        middle = head.repeats and head.serious and (FRAME.match(text) or text.startswith(_SOURCE_INDENT))
        if not begins and type_ is None and not middle:
            return None
        chain = Chain(self._number(), self._owner, bare.time, head, repeated=bare.repeated)
        if begins:
            chain.in_group = GROUP_HEADER.match(text) is not None
            chain.begin(span)
        elif type_ is not None:
            chain.begin_bare(span, type_)
        else:
            chain.headed = False
            chain.offer(span, logged=True)
        return chain

    @property
    def echoes_a_prompt(self) -> bool:
        """A record is open that echoes a prompt over several lines."""
        return self._draft is not None and self._draft.prompt_is_open

    def open_frames(self, logged: bool) -> Chain | None:
        """The traceback whose frames are read: the one a logger writes, or the one that is printed."""
        chain = self._logged
        if not logged:
            return self._printed.open_frames
        return chain if chain is not None and chain.in_frames else None

    def takes_frame(self, chain: Chain, logged: bool, text: str) -> bool:
        """One more indented line of ``chain``, under the same head as its last one and without a ``\\r``; False, and
        nothing was done, when it is not open any more."""
        if self.open_frames(logged) is not chain:
            return False
        if logged:
            if text == self._opening:
                return False
            self._went_on = False
        chain.frame(text)
        return True

    def raw(self, bare: Bare, adjacent: bool) -> list[Record]:
        """A line without a head. ``adjacent``: nobody else wrote between it and this stream's last line."""
        draft = self._draft
        if draft is not None and not self._printed.expects_frames:
            if draft.inside_prompt(bare.span.text):
                draft.add(bare.span)
                return []
            if (
                not bare.opens
                and draft.goes_on_raw(bare.span.text, adjacent)
                and not self._printed.begins_something(bare.span)
            ):
                draft.add(bare.span)
                return []
            return self._close_draft() + self._printed.feed(bare, adjacent)
        return self._printed.feed(bare, adjacent)

    def close(self) -> list[Record]:
        """Everything still open, in the order of the lines."""
        rest = self._close_draft() + self._close_logged() + self._printed.close()
        return sorted(rest, key=lambda record: record.line)

    def _close_draft(self) -> list[Record]:
        draft, self._draft = self._draft, None
        if draft is None:
            return []
        self._opening = draft.first
        return [] if draft.empty else [draft.record()]

    def _close_logged(self) -> list[Record]:
        chain, self._logged = self._logged, None
        return [] if chain is None else chain.close()
