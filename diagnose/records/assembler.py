"""From physical lines to logical records."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from diagnose.model import Line, Record
from diagnose.records.fatal import NEEDLE, fatal_record, find_fatal
from diagnose.records.grammars import read_head
from diagnose.records.lane import Lane, lane_of
from diagnose.records.limits import MAX_STREAMS
from diagnose.records.process import Owner
from diagnose.records.server import server_of
from diagnose.records.stream import Stream
from diagnose.records.unwrap import Bare, Unwrapper

_Key = tuple[str, str | None, int | None, str]


class Assembler:
    """Takes lines in ascending order and gives records as they become complete.

    The records depend on the lines alone, never on when or in what portions they came. A jump in the line
    numbers means that lines were left out: what is open is closed there. Records come in the order in which
    they became complete, which is not always the order of their lines.
    """

    def __init__(self) -> None:
        self._unwrapper = Unwrapper()
        self._streams: OrderedDict[_Key, Stream] = OrderedDict()
        self._last: dict[str, Stream] = {}
        """Per origin, the stream that got the last line."""
        self._peeked: dict[Stream, list[Record]] = {}
        """What streams have open, of those that got no line since they were looked at."""
        self._lane: tuple[Lane, _Key] | None = None
        """For more of the traceback that got a line last."""
        self._next_line: int | None = None
        self._chains = 0
        self._cr_seen = False
        self._plain_seen = False

    def feed(self, line: Line) -> list[Record]:
        """The records that ``line`` completes."""
        if self._lane is not None and self._next_line == line.number and self._goes_on(*self._lane, line):
            self._next_line = line.number + 1
            return []
        out = self.flush() if self._next_line not in (None, line.number) else []
        self._next_line = line.number + 1
        for bare in self._unwrapper.feed(line):
            out += self._route(bare, line)
        return out

    def _goes_on(self, lane: Lane, key: _Key, line: Line) -> bool:
        """Whether ``line`` was one more of the traceback of ``lane``."""
        if not line.text.startswith(lane.prefix) or not self._unwrapper.is_idle or not lane.takes(line):
            return False
        if self._peeked:
            self._peeked.pop(lane.stream, None)
        self._streams.move_to_end(key)
        self._last[key[0]] = lane.stream
        return True

    def flush(self) -> list[Record]:
        """Everything that is still open, in the order of the lines. At the end, or in a long silence."""
        out: list[Record] = []
        for bare in self._unwrapper.flush():
            out += self._route(bare)
        self._lane = None
        rest = [r for key, stream in self._streams.items() for r in _of(key[0], stream.close())]
        self._streams.clear()
        self._last.clear()
        self._peeked.clear()
        return out + sorted(rest, key=lambda record: (record.line, record.offset))

    def peek(self, more: Iterable[Line] = ()) -> list[Record]:
        """What feeding ``more`` and a ``flush`` would give; nothing is closed.

        A stream that got no line since the last time costs nothing: a server that was restarted for months leaves
        many behind."""
        more = list(more)
        if more or self._unwrapper.waits:
            twin = self._fork()
            return [record for line in more for record in twin.feed(line)] + twin.flush()
        for key, stream in self._streams.items():
            if stream not in self._peeked:
                # A stream knows this assembler, to number its tracebacks; closing one numbers nothing.
                self._peeked[stream] = _of(key[0], copy.deepcopy(stream, {id(self): self}).close())
        found = [record for stream in self._streams.values() for record in self._peeked[stream]]
        return sorted(found, key=lambda record: (record.line, record.offset))

    def _fork(self) -> Assembler:
        twin = Assembler()
        state = {name: value for name, value in vars(self).items() if name not in ("_peeked", "_lane")}
        vars(twin).update(copy.deepcopy(state, {id(self): twin}))
        return twin

    def _route(self, bare: Bare, line: Line | None = None) -> list[Record]:
        """The records that ``bare`` completes, all there is of ``line`` or a part of it."""
        fatal = find_fatal(bare.span) if NEEDLE in bare.span.text else None
        if fatal is not None:
            record = fatal_record(fatal, bare.owner, self._number(), bare.time)
            before, after = (
                self._route(bare._replace(span=span)) if span.text.strip() else []
                for span in (fatal.before, fatal.after)
            )
            return [*before, *_of(bare.origin, [record]), *after]
        head = read_head(bare.span.text)
        asked = self._last.get(bare.origin)
        if head is None and asked is not None and asked.echoes_a_prompt and not bare.owner.named:
            self._peeked.pop(asked, None)
            return _of(bare.origin, asked.raw(bare, adjacent=True))
        key = (bare.origin, *bare.owner)
        stream = self._stream(key, bare.owner)
        if self._peeked:
            self._peeked.pop(stream, None)
        adjacent = bare.owner.named or self._last.get(bare.origin, stream) is stream
        self._last[bare.origin] = stream
        if head is not None and head.marks_lines:
            # A file with \r\n line ends has \r on every line, and then it marks nothing.
            self._cr_seen = self._cr_seen or bare.had_cr
            self._plain_seen = self._plain_seen or not bare.had_cr
        out = self._evicted() if len(self._streams) > MAX_STREAMS else []
        if head is None:
            out += _of(bare.origin, stream.raw(bare, adjacent))
        else:
            out += _of(bare.origin, stream.log(bare, head, self._cr_seen and self._plain_seen))
        if line is not None and bare.owner.process is not None:
            lane = lane_of(line, bare, head, stream)
            if lane is not None:
                self._lane = lane, key
        return out

    def _stream(self, key: _Key, owner: Owner) -> Stream:
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = Stream(owner, self._number)
        else:
            self._streams.move_to_end(key)
        return stream

    def _evicted(self) -> list[Record]:
        """What the stream that is silent for longest has open: there is one too many."""
        key, oldest = self._streams.popitem(last=False)
        self._peeked.pop(oldest, None)
        return _of(key[0], oldest.close())

    def _number(self) -> int:
        self._chains += 1
        return self._chains


def _of(origin: str, records: list[Record]) -> list[Record]:
    """``records``, told whose they are."""
    server = server_of(origin) if origin and records else ""
    return [replace(record, server=server) for record in records] if server else records
