"""Files and pipes: what is read and what is refused."""

from __future__ import annotations

import gzip
import io
import os
import random
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.model import InputError
from diagnose.sources import open_source

LOG = b"".join(b"INFO 11-29 12:00:%02d [core.py:1] line %d\n" % (number % 60, number) for number in range(60_000))


def read(name: str | Path, **options: object) -> bytes:
    with open_source(str(name), **options) as source:  # type: ignore[arg-type]
        return b"".join(source.blocks())


def refused(name: str | Path, **options: object) -> str:
    with pytest.raises(InputError) as raised:
        read(name, **options)
    message = raised.value.message
    assert "\n" not in message.en + message.ko
    assert str(name) == "-" or str(name) in message.en
    assert str(name) == "-" or str(name) in message.ko
    assert message.ko != message.en
    return message.en


PACKED = {
    "plain": LOG,
    "gzip": gzip.compress(LOG),
    "gzip of two members": gzip.compress(LOG[:1000]) + gzip.compress(LOG[1000:]),
    "gzip with padding": gzip.compress(LOG) + b"\0" * 300,
    "gzip with foreign bytes behind": gzip.compress(LOG) + b"signature",
    "zstd": zstandard.compress(LOG),
    "zstd of two frames": zstandard.compress(LOG[:1000]) + zstandard.compress(LOG[1000:]),
}


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
def test_a_log_is_read_whatever_its_packing_and_name(packed: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(packed)
    assert read(path) == LOG
    assert read("-", stdin=io.BytesIO(packed)) == LOG


def test_blocks_are_never_empty_nor_above_a_mebibyte(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    for packed in (LOG * 3, gzip.compress(LOG * 3, 1), zstandard.compress(LOG * 3)):
        path.write_bytes(packed)
        with open_source(str(path)) as source:
            assert source.size_bytes == len(packed) and source.name == str(path)
            sizes = [len(block) for block in source.blocks()]
        assert sum(sizes) == 3 * len(LOG)
        assert min(sizes) > 0 and max(sizes) <= 1 << 20


def test_a_stream_that_expands_a_thousandfold_stays_in_small_blocks(tmp_path: Path) -> None:
    path = tmp_path / "zeros.log"
    for packed in (gzip.compress(b" " * (32 << 20)), zstandard.compress(b" " * (32 << 20))):
        path.write_bytes(packed)
        with open_source(str(path)) as source:
            assert max(len(block) for block in source.blocks()) <= 1 << 20


@settings(max_examples=40)
@given(st.integers(0, 1 << 20), st.sampled_from(["gzip", "zstd"]))
def test_any_cut_of_a_packed_log_gives_a_beginning_or_one_error(place: int, packing: str) -> None:
    packed = PACKED[packing]
    part = packed[: place % len(packed)]
    try:
        got = read("-", stdin=io.BytesIO(part))
    except InputError:
        assert len(part) < 100_000
    else:
        assert got == part or LOG.startswith(got)


def test_a_cut_gzip_says_that_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(PACKED["gzip"][: len(PACKED["gzip"]) // 2])
    with open_source(str(path)) as source:
        got = b"".join(source.blocks())
        assert source.damaged and got and LOG.startswith(got)
    path.write_bytes(PACKED["gzip"][:15])
    assert "damaged" in refused(path)
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 50)
    assert "damaged" in refused(path)


BINARIES = {
    "ELF": b"\x7fELF\x02\x01\x01" + bytes(9) + b"x" * 4000,
    "PNG": b"\x89PNG\r\n\x1a\n" + b"IHDR" * 900,
    "zip": b"PK\x03\x04" + b"a" * 900,
    "SQLite": b"SQLite format 3\x00" + bytes(900),
    "gzip": gzip.compress(gzip.compress(LOG)),
    "tar": gzip.compress(b"run.log".ljust(257, b"\0") + b"ustar\x0000" + LOG[:900]),
    "safetensors": b"\x40\x01\0\0\0\0\0\0" + b'{"a":{"dtype":"F32"}}' + bytes(900),
    "binary file": random.Random(1).randbytes(3000),
    "small numbers": b"".join(number.to_bytes(4, "little") for number in range(1, 3000)),
}


@pytest.mark.parametrize("kind", BINARIES)
def test_a_binary_is_refused_by_its_content(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(BINARIES[kind])
    message = refused(path)
    assert kind in message or kind == "small numbers"
    refused("-", stdin=io.BytesIO(BINARIES[kind]))


@settings(max_examples=60)
@given(st.integers(0, 1 << 32), st.integers(2000, 100_000))
def test_any_random_bytes_are_a_binary(seed: int, size: int) -> None:
    with pytest.raises(InputError):
        read("-", stdin=io.BytesIO(b"x" + random.Random(seed).randbytes(size)))


TEXTS = {
    "UTF-16": ("\ufeff" + "INFO 시작 4096 블록\n" * 400).encode("utf-16-le"),
    "UTF-16 without mark": ("INFO 시작 4096 블록\n" * 400).encode("utf-16-be"),
    "CP949": ("오류: 메모리가 부족합니다\n" * 400).encode("cp949"),
    "a hole of NUL bytes": bytes(100_000) + LOG[:500],
    "NUL and invalid bytes": (b"ERROR \xff\xfe\0\0 bad \x80\n" * 400),
    "colours and bars": b"\x1b[1;36m(EngineCore pid=1)\x1b[0;0m x\r\x08\x1b[A\n" * 400,
    "one byte": b"x",
    "a bell here and there": (b"done\x07 " + b"." * 60 + b"\n") * 400,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_text_in_any_shape_is_no_binary(kind: str) -> None:
    assert read("-", stdin=io.BytesIO(TEXTS[kind])) == TEXTS[kind]


@given(
    st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=400),
    st.sampled_from(["utf-8", "cp949"]),
)
def test_any_printable_text_is_no_binary(text: str, code: str) -> None:
    raw = b"INFO " + text.encode(code, "ignore")
    assert read("-", stdin=io.BytesIO(raw)) == raw


def test_what_is_empty_is_said_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    for content in (b"", gzip.compress(b""), zstandard.compress(b"")):
        path.write_bytes(content)
        assert "empty" in refused(path)
        assert "empty" in refused("-", stdin=io.BytesIO(content))


def test_missing_directory_and_terminal_are_refused_with_what_to_do(tmp_path: Path) -> None:
    assert "does not exist" in refused(tmp_path / "nothing.log")
    assert "is a directory" in refused(tmp_path)
    assert "terminal" in refused("-", stdin=io.BytesIO(b"x"), stdin_is_terminal=True)
    with pytest.raises(InputError):
        open_source("a\0b")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(LOG)
    path.chmod(0)
    assert "may not be read" in refused(path)


def test_a_denied_open_says_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", deny)
    assert "may not be read" in refused(tmp_path / "run.log")


def test_a_failing_disk_is_one_clear_line() -> None:
    class Failing(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    assert "Input/output error" in refused("-", stdin=Failing(b"x"))


def test_a_pipe_that_gives_single_bytes_is_read_whole() -> None:
    class Slow(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            return super().read1(1)

    for packed in (LOG[:2000], gzip.compress(LOG[:2000]), zstandard.compress(LOG[:2000])):
        assert read("-", stdin=Slow(packed)) == LOG[:2000]


def test_a_real_pipe_and_a_fifo_are_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"INFO through a pipe\n")
    os.close(writing)
    with os.fdopen(reading, "rb") as stdin:
        assert read("-", stdin=stdin) == b"INFO through a pipe\n"


def test_closing_leaves_standard_input_open(tmp_path: Path) -> None:
    stdin = io.BytesIO(b"INFO\n")
    read("-", stdin=stdin)
    assert not stdin.closed


def test_an_empty_name_is_called_one() -> None:
    with pytest.raises(InputError) as raised:
        open_source("")
    assert raised.value.message.en.startswith("the name of the log is empty")
    assert "비어 있습니다" in raised.value.message.ko


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs /proc")
def test_a_file_that_cannot_be_read_is_named() -> None:
    with pytest.raises(InputError) as raised:
        open_source("/proc/self/mem")
    assert raised.value.message.en.startswith("/proc/self/mem cannot be read")
