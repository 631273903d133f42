"""Whole-stream encodings: UTF-16 and the UTF-8 byte order mark. What is per line is in ``lines.py``."""

from __future__ import annotations

import codecs

SAMPLE_BYTES = 4096
"""How much of the beginning a guess without a byte order mark may use."""
QUICK_BYTES = 64
"""A beginning of this length without a NUL byte is not UTF-16: log lines hold spaces and digits, and those
have one in UTF-16. Saves a live log the wait for ``SAMPLE_BYTES``."""
_MIN_SHARE = 0.3
"""Least share of code units with a NUL half in UTF-16 (Korean text between ASCII lowers it below 1)."""
_MAX_OTHER = 0.02
"""Largest share of code units whose other half is NUL: a hole of NUL bytes in a log is no UTF-16."""

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


def sniff(head: bytes, *, complete: bool) -> tuple[str, int] | None:
    """Encoding of a stream and the length of its byte order mark, from its first bytes.

    The answer is ``utf-8`` also for everything that is to be passed through. None: more bytes are needed
    (never when ``complete``). Looks only at prefixes of fixed lengths, so that it cannot depend on how the
    stream was cut.
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
        if not complete and mark.startswith(head[: len(mark)]) and len(head) < len(mark):
            return None
    if len(head) >= QUICK_BYTES and b"\0" not in head[:QUICK_BYTES]:
        return "utf-8", 0
    if len(head) < SAMPLE_BYTES and not complete:
        return None
    sample = head[:SAMPLE_BYTES]
    units = max(len(sample) // 2, 1)
    high_first = sample[0::2].count(0) / units
    low_first = sample[1::2].count(0) / units
    if low_first >= _MIN_SHARE and high_first <= _MAX_OTHER:
        return "utf-16-le", 0
    if high_first >= _MIN_SHARE and low_first <= _MAX_OTHER:
        return "utf-16-be", 0
    return "utf-8", 0


class Transcoder:
    """Brings a stream to UTF-8, however it is cut. Anything but UTF-16 passes through untouched."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._decided = False
        self._decoder: codecs.IncrementalDecoder | None = None

    def feed(self, data: bytes) -> bytes:
        """The next bytes of the stream as UTF-8; empty while the encoding is not decided."""
        if self._decided:
            return self._convert(data)
        self._head += data
        return self._decide(complete=False)

    def finish(self) -> bytes:
        """What is left at the end of the stream; half a UTF-16 code unit becomes U+FFFD."""
        rest = b"" if self._decided else self._decide(complete=True)
        if self._decoder is not None:
            rest += self._decoder.decode(b"", True).encode("utf-8")
        return rest

    def _decide(self, *, complete: bool) -> bytes:
        head = bytes(self._head)
        found = sniff(head, complete=complete)
        if found is None:
            return b""
        encoding, mark = found
        self._decided = True
        self._head.clear()
        if encoding != "utf-8":
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        return self._convert(head[mark:])

    def _convert(self, data: bytes) -> bytes:
        if self._decoder is None:
            return data
        return self._decoder.decode(data).encode("utf-8")
