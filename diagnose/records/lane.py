"""The short way for the frames of an open traceback: most lines of a crash are such, and each only waits for the next.

A lane does what the long way (``Assembler``) does with a line, or declines and changes nothing.
"""

from __future__ import annotations

from functools import lru_cache

from diagnose.model import Line
from diagnose.records.chain import Chain
from diagnose.records.fatal import NEEDLE
from diagnose.records.grammars import Head, vllm_head
from diagnose.records.shapes import GROUP_TITLE, SEPARATORS
from diagnose.records.stream import Stream
from diagnose.records.unwrap import Bare, stands_bare

_INDENT = "  "
"""Of the lines below a ``Traceback`` line."""
_ENOUGH = 1_000
"""A line of more characters goes the long way."""


class Lane:
    """Lines of one traceback with one prefix."""

    __slots__ = ("_chain", "_logged", "prefix", "stream")

    def __init__(self, prefix: str, stream: Stream, chain: Chain, logged: bool) -> None:
        self.stream = stream
        self.prefix = prefix
        self._chain = chain
        self._logged = logged

    def takes(self, line: Line) -> bool:
        """Whether ``line``, which begins with the prefix, was one more of the traceback; it was taken then."""
        text = line.text
        if line.marks or len(text) > _ENOUGH:
            return False
        rest = text[len(self.prefix) :]
        if not _is_frame(rest) or (text[19:20] == "." and text[29:30] == " "):
            return False
        return self.stream.takes_frame(self._chain, self._logged, rest)


def lane_of(line: Line, bare: Bare, head: Head | None, stream: Stream) -> Lane | None:
    """The lane ``line`` opens: it has the prefix of a process, nothing else around it, and a traceback is open."""
    text = bare.span.text
    chain = stream.open_frames(head is not None)
    if chain is None or not line.text.endswith(text) or not stands_bare(line.text):
        return None
    before = len(line.text) - len(text)
    if head is None:
        return Lane(line.text[:before], stream, chain, False)
    begin = text[: head.start]
    # Of other forms what stands behind may be a part.
    known = begin.endswith("] ") and vllm_head(begin) == head
    return Lane(line.text[: before + head.start], stream, chain, True) if known else None


@lru_cache(maxsize=512)
def _is_frame(rest: str) -> bool:
    """Whether a line below a ``Traceback`` line can be nothing but a frame, its source, or marks under it."""
    said = rest.strip()
    return (
        rest.startswith(_INDENT)
        and said != ""
        and said not in SEPARATORS
        and stands_bare(f"({rest}")  # as behind the bracket of a process
        and not any(word in rest for word in (NEEDLE, GROUP_TITLE, ".py:"))
    )
