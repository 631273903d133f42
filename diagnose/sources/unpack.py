"""gzip and zstd as streams of bounded memory. A damaged stream gives what could be read, then says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from diagnose.sources.sniff import GZIP, ZSTD

BLOCK_BYTES = 1 << 20
_INPUT_BYTES = 128 * 1024
_ZSTD_INPUT_BYTES = 8 * 1024
ZSTD_FEED_BYTES = 512
"""Given to zstd at one time. Small, because everything that comes out of it is held at once: up to 128 KiB for every
4 bytes (RFC 8878, RLE blocks), so at most 16 MiB."""


class Readable(Protocol):
    """The part of a binary file that is needed here."""

    def read(self, size: int, /) -> bytes: ...


class DamagedError(Exception):
    """The compressed stream ends early or is corrupt; everything before that was yielded."""


def unpack(raw: Readable, head: bytes) -> Iterator[bytes]:
    """Decompressed blocks of at most ``BLOCK_BYTES`` of a stream that begins with ``head``.

    Raises ``DamagedError`` after the last readable byte.
    """
    return _zstd(raw) if head.startswith(ZSTD) else _gzip(raw)


def _gzip(raw: Readable) -> Iterator[bytes]:
    import zlib

    data = raw.read(_INPUT_BYTES)
    while data:
        member = zlib.decompressobj(wbits=31)
        try:
            while data and not member.eof:
                out = member.decompress(data, BLOCK_BYTES)
                if out:
                    yield out
                data = member.unconsumed_tail or (b"" if member.eof else raw.read(_INPUT_BYTES))
            if not member.eof:
                yield member.flush()
        except zlib.error as error:
            raise DamagedError(str(error)) from error
        if not member.eof:
            raise DamagedError("unexpected end of the stream")
        data = _next_member(raw, member.unused_data)


def _next_member(raw: Readable, data: bytes) -> bytes:
    """The bytes of the next gzip member; empty when there is none. Padding and foreign bytes are skipped, as
    gzip itself does."""
    data = data.lstrip(b"\0")
    while not data and (more := raw.read(_INPUT_BYTES)):
        data = more.lstrip(b"\0")
    if len(data) < len(GZIP):
        data += raw.read(_INPUT_BYTES)
    return data if data.startswith(GZIP) else b""


def _zstd(raw: Readable) -> Iterator[bytes]:
    import zstandard

    data = raw.read(_ZSTD_INPUT_BYTES)
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            while data and not frame.eof:
                out = frame.decompress(data[:ZSTD_FEED_BYTES])
                yield from (out[i : i + BLOCK_BYTES] for i in range(0, len(out), BLOCK_BYTES))
                rest = data[ZSTD_FEED_BYTES:]
                data = frame.unused_data + rest if frame.eof else rest or raw.read(_ZSTD_INPUT_BYTES)
        except zstandard.ZstdError as error:
            raise DamagedError(str(error)) from error
        if not frame.eof:
            raise DamagedError("unexpected end of the stream")
        data = data or raw.read(_ZSTD_INPUT_BYTES)
