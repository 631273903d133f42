"""Names that rotation gives, and the files beside a path that carry them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from diagnose.watch.limits import MAX_SIBLINGS
from diagnose.watch.tail.identity import identify
from diagnose.watch.tail.system import Files, Stat

COMPRESSED = (".gz", ".zst", ".bz2", ".xz", ".lz4", ".zip")
_PART = r"(?:\d{1,5}|old|bak|orig|save|\d{4}-?\d{2}-?\d{2}(?:[-_T.]?\d{2,6}(?:[-:]?\d{2}){0,2})?)"
_ROTATED = re.compile(rf"(?:[.\-_]{_PART})+$|~$")
_BEFORE_EXTENSION = re.compile(rf"[.\-]{_PART}(?=\.(?:log|out|err|txt)$)")
_NUMBER = re.compile(r"\.(\d{1,5})$")


@dataclass(frozen=True, slots=True)
class Sibling:
    """A file that may have been the path's before."""

    path: str
    stat: Stat
    digest: str
    """Of its first bytes: with the inode it tells a file from another one that got its inode."""

    @property
    def key(self) -> tuple[int, int, str]:
        return self.stat.device, self.stat.inode, self.digest


def is_compressed(path: str) -> bool:
    return path.lower().endswith(COMPRESSED)


def is_rotated(path: str) -> bool:
    """Whether a name is one that rotation gives (``a.log.1``, ``a.log-20261129``), compressed or not."""
    name = os.path.basename(path)  # noqa: PTH119  (names come as text, thousands a second)
    return is_compressed(name) or _ROTATED.search(name) is not None


def siblings(files: Files, path: str) -> list[Sibling]:
    """Rotated files of ``path`` that are not compressed, the oldest first."""
    found = list(_siblings(files, path))
    if all(_number(s.path) is not None for s in found):
        return sorted(found, key=lambda s: -(_number(s.path) or 0))
    return sorted(found, key=lambda s: (s.stat.mtime_ns, s.path))


def _number(path: str) -> int | None:
    """``3`` of ``a.log.3``: the higher, the older."""
    found = _NUMBER.search(path)
    return int(found[1]) if found else None


def _siblings(files: Files, path: str) -> Iterator[Sibling]:
    if files.is_link(path):
        return
    directory, name = os.path.split(path)
    stem = name.rsplit(".", 1)[0]
    names = [
        n
        for n in files.names(directory)
        if n != name
        and not is_compressed(n)
        and ((n.startswith(name) and is_rotated(n)) or (n.startswith(stem) and _BEFORE_EXTENSION.sub("", n) == name))
    ]
    for other in names[:MAX_SIBLINGS]:
        place = os.path.join(directory, other)  # noqa: PTH118
        try:
            handle = files.open(place)
        except OSError:
            continue
        try:
            stat = handle.stat()
            if stat.kind == "file":
                yield Sibling(place, stat, identify(handle).digest)
        except OSError:
            continue
        finally:
            handle.close()
