"""A package as source texts: a wheel, an unpacked directory, or an installed distribution. Nothing is imported."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import field
from importlib import metadata
from pathlib import Path

from diagnose.light import dataclass
from diagnose.model import InputError, Text

NOT_SHIPPED = re.compile(
    r"(^|/)(tests?|testing|examples?|docs?|scripts|benchmarks?)/|(^|/)(test_[^/]*|conftest|setup)\.py$"
)
"""Files whose messages no run of a person prints."""

LONGEST_SOURCE = 4 * 1024 * 1024
"""Bytes of one source file; a larger one is not read, and named."""
LONGEST_LIBRARY = 128 * 1024 * 1024
"""Bytes of one shared library; the same."""
LONGEST_PACKAGE = 256 * 1024 * 1024
"""Bytes of all source files together: a small archive can hold many large ones."""
_LIBRARY = re.compile(r"\.(?:so(?:\.\d+)*|pyd|dylib)$")
_PRINTABLE = re.compile(rb"[\x20-\x7e]{6,}")


@dataclass(frozen=True, slots=True)
class Package:
    """Sources of one release."""

    name: str
    """With hyphens, as in ``component:`` of an entry: ``optimum-rbln``."""
    version: str
    """Empty when nothing tells it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Path in the package → source text."""
    compiled: str = ""
    """Printable texts of its shared libraries, one a line: what native code can print."""
    too_large: tuple[str, ...] = ()
    """Its files that were not read for their size."""


def read_package(given: str) -> Package:
    """The package ``given`` names: a ``.whl`` file, a directory, or an installed distribution.

    Raises InputError when it is none of them, cannot be read, or holds no Python source.
    """
    path = Path(given)
    try:
        if path.is_dir():
            package = _of_directory(path)
        elif path.is_file():
            package = _of_wheel(path)
        else:
            package = _of_distribution(given)
    except (OSError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise _refused(given) from error
    if not package.files:
        raise InputError(
            Text(
                f"{given} holds no Python source; give a wheel, an unpacked package or an installed package name",
                f"{given}에 Python 소스가 없습니다. wheel, 압축을 푼 패키지, 설치된 패키지 이름 중 하나를 지정하세요",
            )
        )
    return package


def _of_wheel(path: Path) -> Package:
    with zipfile.ZipFile(path) as archive:
        sizes = {m.filename: m.file_size for m in archive.infolist()}
        chosen = _chosen(sizes)
        files = {name: archive.read(name).decode("utf-8", "replace") for name in chosen.sources}
        compiled = "\n".join(_printed(archive.read(name)) for name in chosen.libraries)
        head = next((n for n, size in sizes.items() if _is_metadata(n) and size <= LONGEST_SOURCE), None)
        about = "" if head is None else archive.read(head).decode("utf-8", "replace")
    stem = path.name.split("-")
    name, version = _about(about)
    return Package(
        name or _hyphened(stem[0]), version or (stem[1] if len(stem) > 1 else ""), files, compiled, chosen.too_large
    )


def _of_directory(path: Path) -> Package:
    names = {p.relative_to(path).as_posix(): p for p in sorted(path.rglob("*")) if p.is_file()}
    files, compiled, too_large = _read(names)
    head = next((p for name, p in names.items() if _is_metadata(name)), None)
    name, version = _about("" if head is None else head.read_text("utf-8", "replace"))
    return Package(name or _hyphened(path.resolve().name), version, files, compiled, too_large)


def _of_distribution(given: str) -> Package:
    try:
        found = metadata.distribution(given)
    except (metadata.PackageNotFoundError, ValueError) as error:
        raise _refused(given) from error
    names = {file.as_posix(): Path(str(found.locate_file(file))) for file in found.files or ()}
    return Package(_hyphened(found.metadata["Name"]), found.version, *_read(names))


def _read(names: Mapping[str, Path]) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Sources by name, the printable texts of the libraries, and what is too large to be read."""
    chosen = _chosen({name: path.stat().st_size for name, path in names.items() if path.is_file()})
    files = {name: names[name].read_text("utf-8", "replace") for name in chosen.sources}
    libraries = (names[name].read_bytes() for name in chosen.libraries)
    return files, "\n".join(_printed(data) for data in libraries), chosen.too_large


@dataclass(frozen=True, slots=True)
class _Chosen:
    sources: tuple[str, ...]
    libraries: tuple[str, ...]
    too_large: tuple[str, ...]


def _chosen(sizes: Mapping[str, int]) -> _Chosen:
    """Which files of these sizes are read, and which would be were they smaller."""
    sources: list[str] = []
    libraries: list[str] = []
    too_large: list[str] = []
    room = LONGEST_PACKAGE
    for name, size in sizes.items():
        if name.endswith(".py") and not NOT_SHIPPED.search(name):
            fits = size <= min(LONGEST_SOURCE, room)
            room -= size if fits else 0
            (sources if fits else too_large).append(name)
        elif _LIBRARY.search(name):
            (libraries if size <= LONGEST_LIBRARY else too_large).append(name)
    return _Chosen(tuple(sources), tuple(libraries), tuple(too_large))


def _printed(data: bytes) -> str:
    return "\n".join(text.decode("ascii") for text in _PRINTABLE.findall(data))


def _is_metadata(name: str) -> bool:
    return name.endswith(".dist-info/METADATA")


def _about(text: str) -> tuple[str, str]:
    """Name and version of a METADATA file; empty where it does not say them."""
    head = text.split("\n\n", 1)[0]
    found = dict(re.findall(r"^(Name|Version): *(\S+)", head, re.MULTILINE))
    return _hyphened(found.get("Name", "")), found.get("Version", "")


def _hyphened(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _refused(given: str) -> InputError:
    return InputError(
        Text(
            f"{given} is no wheel, no directory and no installed package; check the path or install it",
            f"{given}: wheel도 디렉터리도 설치된 패키지도 아닙니다. 경로를 확인하거나 패키지를 설치하세요",
        )
    )
