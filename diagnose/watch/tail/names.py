"""Names that rotation gives, and the files beside a path that carry them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from diagnose.light import dataclass
from diagnose.watch.limits import MAX_SIBLINGS
from diagnose.watch.tail.identity import identify
from diagnose.watch.tail.system import Files, Handle, Stat

COMPRESSED = (".gz", ".zst", ".bz2", ".xz", ".lz4", ".zip")
_PART = r"(?:\d{1,5}|old|bak|orig|save|\d{4}-?\d{2}-?\d{2}(?:[-_T.]?\d{2,6}(?:[-:]?\d{2}){0,2})?)"
_ROTATED = re.compile(rf"(?:[.\-_]{_PART})+$|~$")
_BEFORE_EXTENSION = re.compile(rf"[.\-]{_PART}(?=\.(?:log|out|err|txt)$)")
_NUMBER = re.compile(r"\.(\d{1,5})$")


@dataclass(frozen=True, slots=True)
class Sibling:
    """A file that may have been the path's before, open: its name may be another one's a moment later."""

    path: str
    stat: Stat
    digest: str
    """Of its first bytes: with the inode it tells a file from another one that got its inode."""
    handle: Handle

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
    """Rotated files of ``path`` that are not compressed, the oldest first. Whoever asks closes them.

    They are opened from the lowest number up, as they are moved: one that is moved meanwhile is met twice, none is
    missed.
    """
    met: dict[tuple[int, int], Sibling] = {}
    for place in _places(files, path):
        sibling = _opened(files, place)
        if sibling is None:
            continue
        earlier = met.pop(sibling.stat.key, None)
        if earlier is not None:
            earlier.handle.close()
        met[sibling.stat.key] = sibling
    found = list(met.values())
    if all_numbered(found):
        counted = sorted(found, key=lambda s: -(_number(s.path) or 0))
        # Some programs count up: then the file with the highest number was written last.
        upwards = bool(counted) and counted[0].stat.mtime_ns > counted[-1].stat.mtime_ns
        return counted[::-1] if upwards else counted
    return sorted(found, key=lambda s: (s.stat.mtime_ns, s.path))


def all_numbered(found: Sequence[Sibling]) -> bool:
    """Whether numbers in their names tell their order; else it is the time they were written last."""
    return all(_number(s.path) is not None for s in found)


def _places(files: Files, path: str) -> list[str]:
    if files.is_link(path):
        return []
    directory, name = os.path.split(path)
    stem = name.rsplit(".", 1)[0]
    names = [
        n
        for n in files.names(directory)
        if n != name
        and not is_compressed(n)
        and ((n.startswith(name) and is_rotated(n)) or (n.startswith(stem) and _BEFORE_EXTENSION.sub("", n) == name))
    ]
    counted = sorted(_without_gaps([n for n in names if _number(n) is not None]), key=lambda n: _number(n) or 0)
    dated = sorted(n for n in names if _number(n) is None)
    wanted = [*counted[:MAX_SIBLINGS], *dated[-MAX_SIBLINGS:]]
    return [os.path.join(directory, n) for n in wanted]  # noqa: PTH118


def _without_gaps(names: list[str]) -> set[str]:
    """Numbered names with those between and one behind: a name that is being moved may be missing in a listing."""
    made: set[str] = set(names)
    for prefix in {n[: n.rindex(".") + 1] for n in names}:
        numbers = [_number(n) or 0 for n in names if n.startswith(prefix) and n[len(prefix) :].isdecimal()]
        if max(numbers) - min(numbers) <= MAX_SIBLINGS:
            made |= {f"{prefix}{n}" for n in range(max(min(numbers) - 1, 0), max(numbers) + 2)}
    return made


def _opened(files: Files, place: str) -> Sibling | None:
    try:
        handle = files.open(place)
    except OSError:
        return None
    try:
        stat = handle.stat()
        if stat.kind == "file":
            return Sibling(place, stat, identify(handle).digest, handle)
    except OSError:
        pass
    handle.close()
    return None


def _number(path: str) -> int | None:
    """``3`` of ``a.log.3``: the higher, the older."""
    found = _NUMBER.search(path)
    return int(found[1]) if found else None
