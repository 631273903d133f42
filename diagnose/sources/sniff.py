"""What kind of file begins like this?"""

from __future__ import annotations

from diagnose.model import Text
from diagnose.sources.transcode import sniff as sniff_encoding

HEAD_BYTES = 64 * 1024
"""How much of the beginning decides whether it is text."""
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"

_COMPRESSED: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"BZh", "bzip2"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (257, b"ustar", "tar"),
    (0, GZIP, "gzip"),
    (0, ZSTD, "zstd"),
)
"""(offset, magic, name) of containers: the log may be inside. gzip and zstd are here for one in another."""
_BINARY: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x7fELF", "ELF"),
    (0, b"MZ\x90\x00", "PE"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O"),
    (0, b"\x89PNG\r\n", "PNG"),
    (0, b"\xff\xd8\xff", "JPEG"),
    (0, b"GIF8", "GIF"),
    (0, b"%PDF-", "PDF"),
    (0, b"SQLite format 3\x00", "SQLite"),
    (0, b"\x89HDF\r\n", "HDF5"),
    (0, b"GGUF", "GGUF"),
    (0, b"!<arch>\n", "ar"),
    (4, b'\0\0\0\0{"', "safetensors"),  # length of the header, then JSON
)
_CONTROLS = bytes(code for code in range(1, 32) if code not in b"\b\t\n\v\f\r\x1b") + b"\x7f"
_CONTROL_SHARE = 0.04
"""Uniformly random bytes hold 10 % of these; text, whatever its encoding, next to none."""
_MIN_CONTROLS = 8


def _first(table: tuple[tuple[int, bytes, str], ...], head: bytes) -> str | None:
    return next((name for offset, magic, name in table if head.startswith(magic, offset)), None)


def _is_mostly_control(head: bytes) -> bool:
    """NUL bytes do not count: a log that was truncated under its writer begins with a hole of them."""
    encoding, mark = sniff_encoding(head, complete=True) or ("utf-8", 0)
    if encoding != "utf-8":
        head = head[mark:].decode(encoding, "replace").encode("utf-8")
    printable = head.replace(b"\0", b"")
    controls = len(printable) - len(printable.translate(None, _CONTROLS))
    return controls >= _MIN_CONTROLS and controls > _CONTROL_SHARE * len(printable)


def refusal(name: str, head: bytes) -> Text | None:
    """Why a stream that begins with ``head`` (at most ``HEAD_BYTES``) is no log; None when it may be one."""
    container = _first(_COMPRESSED, head)
    if container is not None:
        return Text(
            f"{name} is packed as {container}: unpack it and give the log inside",
            f"{name}: {container} 파일입니다. 압축을 풀고 그 안의 로그를 지정하세요",
        )
    binary = _first(_BINARY, head)
    if binary is None and _is_mostly_control(head):
        binary = "binary"
    if binary is None:
        return None
    kind = {"binary": ("a binary file", "바이너리 파일")}.get(binary, (f"a file in {binary} format", f"{binary} 파일"))
    return Text(
        f"{name} is {kind[0]}, not a log: give the text the run printed",
        f"{name}: 로그가 아니라 {kind[1]}입니다. 실행 중에 출력된 텍스트 로그를 지정하세요",
    )
