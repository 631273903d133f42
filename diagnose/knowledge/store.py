"""Where the compiled knowledge base is found: in the wheel, in the cache of a source checkout, or made now."""

from __future__ import annotations

import contextlib
import mmap
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from diagnose.cache import cache_dir, keep
from diagnose.knowledge.compiled import Compiled, pack, unpack
from diagnose.knowledge.schema import Knowledge, SourceError
from diagnose.model import InputError, Text

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "_kb.jsonl"
"""Put into the wheel by the build hook; not there in a source checkout."""


def source_tree() -> Path | None:
    """kb/ of the source checkout this package runs from, or None when it was installed from a wheel."""
    root = PACKAGE.parent / "kb"
    return root if not SHIPPED.is_file() and (root / "parameters.yaml").is_file() else None


def load(environ: Mapping[str, str] | None = None) -> Knowledge:
    """The knowledge base, with the extra entries that ``RBLN_DIAGNOSE_KB`` names.

    Raises InputError when an extra entry is broken or missing.
    """
    environ = os.environ if environ is None else environ
    extra = extra_paths(environ.get("RBLN_DIAGNOSE_KB", ""))
    root = source_tree()
    if root is None and not extra:
        return unpack(_opened(SHIPPED))
    try:
        if root is None:
            return _with_extra(extra)
        return unpack(_cached(root, extra, cache_dir(environ)))
    except SourceError as error:
        raise InputError(
            Text(
                f"knowledge-base entry {error.path}: {error.reason}; mend it or unset RBLN_DIAGNOSE_KB",
                f"지식 베이스 항목 {error.path}에 문제가 있습니다: {error.reason}. "
                "고치거나 RBLN_DIAGNOSE_KB를 해제하세요",
            )
        ) from error


def extra_paths(value: str) -> list[Path]:
    """Files and directories in ``RBLN_DIAGNOSE_KB`` (separated as in PATH). Raises InputError when one cannot be
    read."""
    paths = [Path(p).expanduser() for p in value.split(os.pathsep) if p]
    for path in paths:
        usable = path.is_dir() or path.is_file()  # no FIFO, no device
        if not usable or not os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK):
            raise InputError(
                Text(
                    f"RBLN_DIAGNOSE_KB names {path}, which cannot be read; correct the path or unset it",
                    f"RBLN_DIAGNOSE_KB에 지정된 경로를 읽을 수 없습니다: {path}. 경로를 고치거나 변수를 해제하세요",
                )
            )
    return paths


def _cached(root: Path, extra: Sequence[Path], directory: Path) -> Compiled:
    """Compiled form by content hash; made and kept when the cache does not hold it.

    Hashing what is in 500 files takes longer than all the rest of a start: while no file has another size or time
    of change, the hash is the one noted the last time.
    """
    places = [str(path.absolute()) for path in (root, *extra, Path(__file__).parent)]
    note = directory / f"unchanged-{zlib.crc32(os.fsencode(os.pathsep.join(places))):08x}"
    now = _sizes_and_times(places)
    with contextlib.suppress(OSError):
        content, _, noted = note.read_bytes().partition(b"\n")
        if noted == now:
            return _opened(directory / f"kb-{content.decode('ascii', 'replace')}.jsonl")
    from diagnose.knowledge.source import compile_tree, tree_hash

    hashed = tree_hash(root, extra)
    path = directory / f"kb-{hashed}.jsonl"
    try:
        data = _opened(path)
    except OSError:
        data = pack(compile_tree(root, extra))
        keep(path, data)
    keep(note, hashed.encode("ascii") + b"\n" + now)
    return data


def _opened(path: Path) -> Compiled:
    """What is in ``path``, which is never written to once it is there. Raises OSError when it is not, or empty."""
    with path.open("rb") as file:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise OSError(f"{path} is empty") from error


def _sizes_and_times(places: Sequence[str]) -> bytes:
    """Changes when a file under ``places`` comes, goes or gets another size or time of change."""
    seen: list[str] = []
    rest = list(places)
    while rest:
        place = rest.pop()
        try:
            found = os.scandir(place)
        except NotADirectoryError:
            about = Path(place).stat()
            seen.append(f"{place} {about.st_size} {about.st_mtime_ns}")
            continue
        with found:
            for item in found:
                with contextlib.suppress(OSError):  # gone meanwhile, or a link to itself
                    if item.is_dir(follow_symlinks=False):  # a link may lead back to where we are
                        rest.append(item.path)
                    elif item.name.endswith((".yaml", ".py")) and item.is_file():
                        about = item.stat()
                        seen.append(f"{item.path} {about.st_size} {about.st_mtime_ns}")
    return "\n".join(sorted(seen)).encode("utf-8", "surrogateescape")


def _with_extra(extra: Sequence[Path]) -> Knowledge:
    """The wheel's knowledge base with entries of the person added."""
    from diagnose.knowledge.merge import add_entries

    return add_entries(_opened(SHIPPED), extra)
