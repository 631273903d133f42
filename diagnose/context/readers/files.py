"""From a path to text: the only place of this room that touches the file system."""

from __future__ import annotations

import codecs
from pathlib import Path

from diagnose.context.readers.errors import refused
from diagnose.model import Text

MAX_BYTES = 8 * 1024 * 1024
"""The largest configuration file that is read: the biggest rbln_config.json seen has well under 1 MiB."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ARTIFACT_FILE = "rbln_config.json"


def read_text(path: Path, name: str) -> str:
    """The file's text without a byte order mark, line ends as ``\\n``.

    Raises InputError when it cannot be read, is too large, or is neither UTF-8 nor UTF-16 with a mark.
    """
    try:
        if not path.exists():
            raise refused(name, Text("there is no such file", "파일이 없습니다"))
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "bad path"
        raise refused(name, Text(f"cannot be read ({why})", f"읽을 수 없습니다({why})")) from None
    if len(data) > MAX_BYTES:
        raise refused(name, Text("is larger than 8 MiB", "8 MiB보다 큽니다"))
    return decode(data, name)


def decode(data: bytes, name: str) -> str:
    """Text of ``data``: UTF-8, or UTF-16 with a byte order mark, as ``>`` of PowerShell writes it; raises InputError
    for anything else, NUL bytes included."""
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte {error.start}"
        reason = Text(f"is not UTF-8 text ({where})", f"UTF-8 텍스트가 아닙니다({where})")
        raise refused(name, reason) from None
    if "\0" in text:
        raise refused(name, Text("is a binary file", "바이너리 파일입니다"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def subdirectories(path: Path) -> tuple[Path, ...]:
    """Directories in ``path`` that hold an ``rbln_config.json``, by name."""
    try:
        return tuple(sorted(child for child in path.iterdir() if (child / ARTIFACT_FILE).is_file()))
    except OSError:
        return ()
