"""The one way in for a file or standard input."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import BinaryIO, cast

from diagnose.model import InputError, Text
from diagnose.sources.sniff import GZIP, HEAD_BYTES, ZSTD, refusal
from diagnose.sources.unpack import BLOCK_BYTES, DamagedError, Readable, unpack

_PIPE_BYTES = 1 << 20
"""Wanted size of the pipe on standard input: with the usual 64 KiB, reading limits a large log."""


class Source:
    """An opened input: its name, its size on disk, and its bytes, decompressed.

    ``damaged`` is true after ``blocks()`` when a compressed stream ended early: the diagnosis then rests on
    what could be read.
    """

    def __init__(self, name: str, stream: Readable, *, size_bytes: int | None, close: Callable[[], None]) -> None:
        self.name = name
        self.size_bytes = size_bytes
        self.damaged = False
        self._stream = stream
        self._close = close

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def blocks(self) -> Iterator[bytes]:
        """The bytes of the log, decompressed, at most 1 MiB a block, none of them empty. To be read once.

        Raises ``InputError`` when there is nothing to read, when it is a binary, or when reading fails.
        """
        blocks = self._decompressed()
        head = self._head(blocks)
        if not head:
            raise InputError(_damaged(self.name) if self.damaged else _empty(self.name))
        reason = refusal(self.name, head[:HEAD_BYTES])
        if reason is not None:
            raise InputError(reason)
        for start in range(0, len(head), BLOCK_BYTES):
            yield head[start : start + BLOCK_BYTES]
        yield from blocks

    @staticmethod
    def _head(blocks: Iterator[bytes]) -> bytes:
        """The first 64 KiB, or all of a shorter stream: what decides whether it is a log."""
        head = next(blocks, b"")
        while len(head) < HEAD_BYTES and (more := next(blocks, b"")):
            head += more
        return head

    def _decompressed(self) -> Iterator[bytes]:
        raw = _Peekable(self._stream, self.name)
        magic = raw.peek(len(ZSTD))
        if not magic.startswith((GZIP, ZSTD)):
            while block := raw.read(BLOCK_BYTES):
                yield block
            return
        try:
            for block in unpack(raw, magic):
                if block:
                    yield block
        except DamagedError:
            self.damaged = True


class _Peekable:
    """A raw stream whose first bytes can be looked at; a failing read becomes an ``InputError``."""

    def __init__(self, stream: Readable, name: str) -> None:
        self._stream = stream
        self._name = name
        self._front = b""

    def peek(self, size: int) -> bytes:
        while len(self._front) < size and (more := self._raw(size - len(self._front))):
            self._front += more
        return self._front

    def read(self, size: int, /) -> bytes:
        front, self._front = self._front[:size], self._front[size:]
        return front + self._raw(size - len(front)) if len(front) < size else front

    def _raw(self, size: int) -> bytes:
        try:
            return self._stream.read(size) or b""
        except OSError as error:
            raise InputError(_unreadable(self._name, error)) from error


def open_source(name: str, *, stdin: BinaryIO | None = None, stdin_is_terminal: bool = False) -> Source:
    """Opens ``name``, a path or ``-`` for ``stdin`` (the process's own when None).

    Raises ``InputError`` for a path that is missing, a directory, a device, not readable or empty, and for a terminal.
    What only the content tells (binary, empty stream) is raised by ``Source.blocks``.
    """
    return _standard_input(stdin, stdin_is_terminal) if name == "-" else _file(name)


def _standard_input(stdin: BinaryIO | None, is_terminal: bool) -> Source:
    if is_terminal:
        raise InputError(
            Text(
                "standard input is a terminal: give a log file, or pipe the log in (command 2>&1 | rbln-diagnose -)",
                "표준 입력이 터미널입니다. 로그 파일을 지정하거나 로그를 파이프로 넘기세요"
                " (command 2>&1 | rbln-diagnose -)",
            )
        )
    stream = sys.stdin.buffer if stdin is None else stdin
    with contextlib.suppress(OSError, ValueError, AttributeError):
        descriptor = stream.fileno()
        if is_device(descriptor):
            raise InputError(_device("standard input", "표준 입력"))
        _widen_pipe(descriptor)
    read = getattr(stream, "read1", stream.read)
    return Source("-", _Reads(read), size_bytes=None, close=_nothing)


def _file(name: str) -> Source:
    try:
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(_unreadable(name, error)) from error
    status = os.fstat(descriptor)
    regular = stat.S_ISREG(status.st_mode)
    if stat.S_ISDIR(status.st_mode):
        os.close(descriptor)
        raise InputError(_directory(name))
    if is_device(descriptor):
        os.close(descriptor)
        raise InputError(_device(name, name))
    if regular and status.st_size == 0 and not _holds_some(descriptor, name):
        os.close(descriptor)
        raise InputError(_empty(name))
    if regular:
        os.lseek(descriptor, 0, os.SEEK_SET)  # files of /proc say 0 bytes and yet hold some
    stream = open(descriptor, "rb", buffering=0)  # noqa: SIM115, PTH123  (closed by Source)
    return Source(name, cast(Readable, stream), size_bytes=status.st_size if regular else None, close=stream.close)


def _holds_some(descriptor: int, name: str) -> bool:
    """Whether a file that says 0 bytes has one. Raises InputError, the file closed, when it cannot be read."""
    try:
        return bool(os.read(descriptor, 1))
    except OSError as error:
        os.close(descriptor)
        raise InputError(_unreadable(name, error)) from error


def is_device(descriptor: int) -> bool:
    """Whether an opened file is a device whose bytes may never end (``/dev/zero``, a disk).

    A terminal is none, somebody may paste a log there; nor is ``/dev/null``, which ends at once. Raises OSError.
    """
    status = os.fstat(descriptor)
    if not stat.S_ISCHR(status.st_mode):
        return stat.S_ISBLK(status.st_mode)
    return not os.isatty(descriptor) and status.st_rdev != os.stat(os.devnull).st_rdev  # noqa: PTH116


class _Reads:
    """A bound ``read`` or ``read1`` as a stream. ``read1`` gives what a pipe holds instead of waiting."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read

    def read(self, size: int, /) -> bytes:
        return self._read(size)


def _nothing() -> None:
    """Standard input belongs to the process and stays open."""


def _widen_pipe(descriptor: int) -> None:
    import fcntl

    set_pipe_size = getattr(fcntl, "F_SETPIPE_SZ", 1031)  # in the module from Python 3.10, on Linux
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        fcntl.fcntl(descriptor, set_pipe_size, _PIPE_BYTES)


# --------------------------------------------------------------------------- what is said then


def _empty(name: str) -> Text:
    return Text(
        f"{name} is empty: give the log of the run, standard error included (command > run.log 2>&1)",
        f"{name}: 파일이 비어 있습니다. 표준 오류까지 담은 실행 로그를 지정하세요 (command > run.log 2>&1)",
    )


def _directory(name: str) -> Text:
    return Text(
        f"{name} is a directory: give the log file in it",
        f"{name}: 디렉터리입니다. 그 안의 로그 파일을 지정하세요",
    )


def _device(name: str, name_ko: str) -> Text:
    return Text(
        f"{name} is a device file, not a log: give the file the run printed to",
        f"{name_ko}: 로그가 아니라 장치 파일입니다. 실행 로그를 기록한 파일을 지정하세요",
    )


def _damaged(name: str) -> Text:
    return Text(
        f"{name} is damaged: nothing could be decompressed; give a fresh copy or the uncompressed log",
        f"{name}: 파일이 손상되어 압축을 풀 수 없습니다. 다시 복사하거나 압축하지 않은 로그를 지정하세요",
    )


def _unreadable(name: str, error: Exception) -> Text:
    if not name:
        return Text(
            "the name of the log is empty: give the path of a file, or - for standard input",
            "로그 파일 이름이 비어 있습니다. 파일 경로를 지정하세요(표준 입력은 -)",
        )
    if isinstance(error, FileNotFoundError):
        return Text(f"{name} does not exist: check the path", f"{name} 파일이 없습니다. 경로를 확인하세요")
    if isinstance(error, PermissionError):
        return Text(
            f"{name} may not be read: check its permissions (ls -l)",
            f"{name} 파일을 읽을 권한이 없습니다. 권한을 확인하세요 (ls -l)",
        )
    if isinstance(error, IsADirectoryError):
        return _directory(name)
    what = getattr(error, "strerror", None) or str(error)
    shown = name.replace("\0", "\\0")
    return Text(
        f"{shown} cannot be read ({what}): check the path and the disk",
        f"{shown} 파일을 읽을 수 없습니다({what}). 경로와 디스크를 확인하세요",
    )
