"""gzip and zstd as streams of bounded memory. A damaged stream gives what could be read, then says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

from diagnose.sources.sniff import GZIP, ZSTD

BLOCK_BYTES = 1 << 18
_INPUT_BYTES = 128 * 1024


class Readable(Protocol):
    """The part of a binary file that is needed here."""

    def read(self, size: int, /) -> bytes: ...


class DamagedError(Exception):
    """The compressed stream ends early or is corrupt; everything before that was yielded."""


def unpack(raw: Readable, head: bytes) -> Iterator[bytes]:
    """Decompressed blocks of at most ``BLOCK_BYTES`` of a stream that begins with ``head``.

    Raises ``DamagedError`` after the last readable byte. A zstd stream that is cut between two of its blocks
    cannot be told from a whole one.
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

    reader = zstandard.ZstdDecompressor().stream_reader(
        cast(BinaryIO, raw), read_size=_INPUT_BYTES, read_across_frames=True
    )
    try:
        while out := reader.read(BLOCK_BYTES):
            yield out
    except zstandard.ZstdError as error:
        raise DamagedError(str(error)) from error
