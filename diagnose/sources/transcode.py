"""Whole-stream encodings: UTF-16, UTF-32 and the UTF-8 byte order mark. What is per line is in ``lines.py``."""

from __future__ import annotations

import codecs
from array import array

from diagnose.late import late
from diagnose.model import Line

SAMPLE_BYTES = 4096
"""How much of the beginning a guess without a byte order mark may use."""
QUICK_BYTES = 64
"""A beginning of this length without a NUL byte is not UTF-16: log lines hold spaces and digits, and those
have one in UTF-16. Saves a live log the wait for ``SAMPLE_BYTES``."""
_LEAST_BYTES = 8
"""Fewer bytes behind a byte order mark do not speak against it."""
_MOSTLY = 0.9
_MIN_SHARE = 0.3
"""Least share of code units with a NUL half in UTF-16 (Korean text between ASCII lowers it below 1)."""
_OTHER_SHARE = 0.02
"""Largest share of code units whose other half is NUL: a hole of NUL bytes in a log is no UTF-16."""
_WITHOUT_NUL = late(rb"[^\0]{%d}" % QUICK_BYTES)
_KEPT_LINES = 1 << 19
"""Line starts that are remembered. A line is given after what the scan reads ahead (some MiB) and ``scan.BEFORE``
lines, and a paste has fewer lines than this."""

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
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
            believed = _believed(head[len(mark) :], encoding, complete=complete)
            if believed:
                return encoding, len(mark)
            if believed is None:
                return None
        if not complete and mark.startswith(head[: len(mark)]) and len(head) < len(mark):
            return None
    if len(head) >= QUICK_BYTES and b"\0" not in head[:QUICK_BYTES]:
        return "utf-8", 0
    if len(head) < SAMPLE_BYTES and not complete:
        return None
    return _by_holes(head[:SAMPLE_BYTES]), 0


def _believed(rest: bytes, encoding: str, *, complete: bool) -> bool | None:
    """Whether what follows a byte order mark is not plainly something else: broken bytes can look like the mark.

    None: more bytes are needed. UTF-16 and UTF-32 have a NUL byte in every blank and digit; text of a log without
    one, which is UTF-8 but for a few bytes, is none of them.
    """
    if encoding == "utf-8":
        return True
    if encoding.startswith("utf-16") and b"\0" in rest[:QUICK_BYTES]:
        return True
    if len(rest) < QUICK_BYTES and not complete:
        return None
    if encoding.startswith("utf-32"):
        return _decodes(rest[:QUICK_BYTES], encoding)
    return len(rest) < _LEAST_BYTES or not _is_text(rest[:QUICK_BYTES])


def _decodes(sample: bytes, encoding: str) -> bool:
    try:
        sample[: len(sample) // 4 * 4].decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_text(sample: bytes) -> bool:
    """Whether nearly all of it is printable UTF-8."""
    bad, length = _bad(sample)
    return length - bad >= _MOSTLY * length


def _bad(sample: bytes) -> tuple[int, int]:
    """Characters of ``sample`` as UTF-8 that stand in no text, and how many there are in all."""
    text = sample.decode("utf-8", "replace")
    good = sum(character.isprintable() or character in "\t\r\n\x1b" for character in text.replace("\ufffd", "\0"))
    return len(text) - good, len(text)


def _until_bytes(data: bytes, *, complete: bool) -> tuple[int, bool]:
    """How far ``data``, which begins with a whole code unit, is UTF-16 for sure, and whether text of single bytes
    follows there: another program appended its own to what PowerShell wrote.

    Such text has blanks and no NUL byte and reads as UTF-8. Korean or Chinese in UTF-16 can have no NUL either, but a
    blank in it brings one. What cannot be told before more bytes come is not counted.
    """
    at = 0
    while (found := _WITHOUT_NUL.search(data, at)) is not None:
        at = found.start() + found.start() % 2
        window = data[at : at + QUICK_BYTES]
        if len(window) < QUICK_BYTES:
            break
        if b"\0" in window:
            at += window.rindex(b"\0") + 1
            continue
        if b" " not in window:
            blank = data.find(b" ", at)
            nearest = (len(data) if blank < 0 else blank) - QUICK_BYTES + 1
            at = nearest + nearest % 2
            continue
        bad, length = _bad(window)
        if length - bad >= _MOSTLY * length:
            return at, True
        at += max(bad - length // 10 - 4, 2) & ~1  # so many bytes on it can at best be text
    start = max(at, data.rfind(b"\0") + 1)
    start = min(start + start % 2, len(data) & ~1)
    rest = data[start:]
    return start, complete and len(rest) >= _LEAST_BYTES and b" " in rest and _is_text(rest)


def _by_holes(sample: bytes) -> str:
    """The encoding whose code units would leave these NUL bytes."""
    for encoding in ("utf-32-le", "utf-32-be"):
        if _is_utf32(sample, encoding):
            return encoding
    units = max(len(sample) // 2, 1)
    high_first = sample[0::2].count(0) / units
    low_first = sample[1::2].count(0) / units
    if low_first >= _MIN_SHARE and high_first <= _OTHER_SHARE:
        return "utf-16-le"
    if high_first >= _MIN_SHARE and low_first <= _OTHER_SHARE:
        return "utf-16-be"
    return "utf-8"


def _is_utf32(sample: bytes, encoding: str) -> bool:
    """Whether the four-byte units are characters, and enough of them printable ASCII: a table of small numbers has
    the same holes."""
    if sample[2::4].count(0) + sample[1::4].count(0) < len(sample) // 4:
        return False
    try:
        text = sample[: len(sample) // 4 * 4].decode(encoding)
    except UnicodeDecodeError:
        return False
    return sum(" " <= character <= "~" for character in text) >= max(_MIN_SHARE * len(text), 1)


class Transcoder:
    """Brings a stream to UTF-8, however it is cut. Anything but UTF-16 and UTF-32 passes through untouched, and so does
    what another program appended to UTF-16 in single bytes."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._decided = False
        self._decoder: codecs.IncrementalDecoder | None = None
        self._encoding = "utf-8"
        self._mark = 0
        self._first = 1  # number of the line that _starts begins with
        self._starts = array("Q")  # byte of the input at which a line begins
        self._end = 0  # byte of the input behind what was converted
        self._held = b""  # of UTF-16: whether it is, is seen when more comes
        self._given = 0  # bytes of UTF-8 for what was converted
        self._tail: tuple[int, int] | None = None  # where single bytes begin: in the UTF-8, in the input

    def feed(self, data: bytes) -> bytes:
        """The next bytes of the stream as UTF-8; empty while the encoding is not decided."""
        if self._decided:
            return self._convert(data)
        self._head += data
        return self._decide(complete=False)

    def finish(self) -> bytes:
        """What is left at the end of the stream; half a code unit becomes U+FFFD."""
        rest = b"" if self._decided else self._decide(complete=True)
        return rest if self._decoder is None else rest + self._last()

    @property
    def moves(self) -> bool:
        """Whether offsets in the UTF-8 differ from those in the input."""
        return self._mark > 0 or self._decoder is not None or self._tail is not None

    def placed(self, line: Line) -> Line:
        """``line``, cut from the UTF-8, with its offset in the input."""
        return Line(line.number, self.offset(line.number, line.offset), line.text)

    def offset(self, number: int, offset: int, before: bytes = b"") -> int:
        """Byte of the input for a byte of the UTF-8 on line ``number``; ``before``: what stands before it there."""
        if self._tail is not None and offset >= self._tail[0]:
            return offset - self._tail[0] + self._tail[1]
        if self._decoder is None and self._tail is None:
            return offset + self._mark
        start = self._starts[min(max(number - self._first, 0), len(self._starts) - 1)]
        return start + len(before.decode("utf-8", "replace").encode(self._encoding, "replace"))

    def _decide(self, *, complete: bool) -> bytes:
        head = bytes(self._head)
        found = sniff(head, complete=complete)
        if found is None:
            return b""
        self._encoding, self._mark = found
        self._decided = True
        self._head.clear()
        if self._encoding != "utf-8":
            self._decoder = codecs.getincrementaldecoder(self._encoding)("replace")
            self._end = self._mark
            self._starts.append(self._mark)
        return self._convert(head[self._mark :])

    def _convert(self, data: bytes) -> bytes:
        if self._decoder is None:
            return data
        if not self._encoding.startswith("utf-16"):
            return self._decoded(self._decoder, data)
        data = self._held + data
        until, tail = _until_bytes(data, complete=False)
        self._held = data[until:]
        text = self._decoded(self._decoder, data[:until])
        return text + self._single() if tail else text

    def _last(self) -> bytes:
        """What was held back, at the end of the stream."""
        if self._decoder is None:
            return b""
        if _until_bytes(self._held, complete=True)[1]:
            return self._single()
        rest, self._held = self._held, b""
        return self._decoded(self._decoder, rest) + self._decoder.decode(b"", True).encode("utf-8")

    def _single(self) -> bytes:
        """What was held back and all that comes is passed on as it is."""
        self._decoder = None
        self._tail = (self._given, self._end)
        rest, self._held = self._held, b""
        return rest

    def _decoded(self, decoder: codecs.IncrementalDecoder, data: bytes) -> bytes:
        text = decoder.decode(data)
        self._count(text)
        given = text.encode("utf-8")
        self._given += len(given)
        return given

    def _count(self, text: str) -> None:
        """Where the lines of ``text`` begin in the input. A broken code unit is as long as the U+FFFD for it."""
        if len(self._starts) > 2 * _KEPT_LINES:
            dropped = len(self._starts) - _KEPT_LINES
            del self._starts[:dropped]
            self._first += dropped
        *lines, rest = text.split("\n")
        unit = len("\n".encode(self._encoding))
        for line in lines:
            self._end += len(line.encode(self._encoding)) + unit
            self._starts.append(self._end)
        self._end += len(rest.encode(self._encoding))
