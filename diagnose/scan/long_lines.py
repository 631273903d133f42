"""Lines too long to keep: their head and their tail stand for them.

The tail matters as much as the head: a progress bar repaints itself with ``\\r`` for minutes and then the
traceback begins on the same line.
"""

from __future__ import annotations

import itertools

from diagnose.late import late

MAX_LINE_BYTES = 256 * 1024
"""Longer lines are cut. Configuration dumps of vLLM, the longest useful lines, stay below 64 KiB."""
_TAIL_SHARE = 4
"""The tail gets one part in so many of what is kept."""
CUT_MARK = b" [...] "
_LITERAL_BYTES = 512
"""No literal is longer: so much beside what is cut out is looked at with it."""
_ECHOES = (b"Received request", b"prompt: '", b'prompt: "', b"Dumping ")
"""At the head of a line: the rest of it was said by somebody else."""
_ECHO_ENDS = b"params: SamplingParams("
_HEAD = late(
    rb"(?<!\r)(?:\([A-Za-z][\w =/.-]{0,40} ?pid=\d{1,9}[^)]{0,40}\) "
    rb"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d )"
)
"""How the records of a server begin; behind a bare ``\\r`` a progress bar is painted again."""
LEAST_HEADS = 6
"""Beginnings of records that make one line several: its own record has one or two."""


class Shortener:
    """Cuts lines of more than ``limit`` bytes, in a way that depends on the line alone."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self.limit = limit
        self._tail = limit // _TAIL_SHARE
        self._head = limit - self._tail

    @property
    def head_bytes(self) -> int:
        """Bytes at the beginning of a line that are kept however long it is."""
        return self._head

    def trim(self, part: bytearray) -> int:
        """Drops the middle of an unfinished line once it is twice too long; returns the bytes dropped.

        Waiting for twice the limit keeps the cost linear, whatever the size of the pieces that come in.
        """
        dropped = len(part) - self.limit
        if not self.will_trim(part):
            return 0
        del part[self._head : len(part) - self._tail]
        return dropped

    def will_trim(self, part: bytearray) -> bool:
        """Whether ``trim`` takes something out of ``part``."""
        return len(part) >= 2 * self.limit and len(part) > self.limit

    def around_cut(self, part: bytearray, dropped: int) -> bytes:
        """What is taken out of ``part`` next, with as much beside it as a literal may reach into; where something was
        ``dropped`` before, the head is no neighbour of it any more."""
        first = self._head if dropped else max(self._head - _LITERAL_BYTES, 0)
        return bytes(part[first : len(part) - self._tail + min(_LITERAL_BYTES, self._tail)])

    def pieces(self, line: bytes, dropped: int = 0) -> tuple[bytes, ...]:
        """The line itself, or its head and tail when it has more than ``limit`` bytes.

        ``line`` has no newline; ``dropped`` is what ``trim`` took out of it.
        """
        if len(line) + dropped <= self.limit:
            return (line,)
        return line[: self._head], line[len(line) - self._tail :]


def joined(pieces: tuple[bytes, ...]) -> bytes:
    """What is kept of a line, no UTF-8 character cut in two."""
    if len(pieces) == 1:
        return pieces[0]
    head, tail = pieces
    return _whole_at_end(head) + CUT_MARK + _whole_at_start(tail)


def searchable(pieces: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """What is searched for literals: the newlines around the line belong to it."""
    if len(pieces) == 1:
        return (b"\n" + pieces[0] + b"\n",)
    head, tail = pieces
    return b"\n" + head, tail + b"\n"


def quotes(head: bytes) -> bool:
    """Whether a line of this beginning echoes what somebody sent."""
    return any(echo in head[:_LITERAL_BYTES] for echo in _ECHOES)


def is_several(pieces: tuple[bytes, ...]) -> bool:
    """Whether what is kept of a line holds the records of several: a log whose line ends were lost or written out.

    What a request quotes is one, however many lines it had; the request ends before the next record.
    """
    head = pieces[0]
    start = head.find(_ECHO_ENDS) if quotes(head) else 0
    if start < 0:
        return False
    heads = itertools.chain(_HEAD.finditer(head, start), *map(_HEAD.finditer, pieces[1:]))
    return sum(1 for _ in itertools.islice(heads, LEAST_HEADS)) == LEAST_HEADS


def _whole_at_end(head: bytes) -> bytes:
    for back in range(1, min(4, len(head)) + 1):
        byte = head[-back]
        if byte >= 0xC0:  # the first byte of a character of 2, 3 or 4 bytes
            width = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return head if back >= width else head[:-back]
        if byte < 0x80:
            break
    return head


def _whole_at_start(tail: bytes) -> bytes:
    skip = 0
    while skip < min(3, len(tail)) and 0x80 <= tail[skip] < 0xC0:
        skip += 1
    return tail[skip:]
