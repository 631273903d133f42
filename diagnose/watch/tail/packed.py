"""Rotated files that were compressed while nobody followed: read on where they hold what was not read yet."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Sequence

from diagnose.model import InputError
from diagnose.sources import open_source
from diagnose.watch.limits import MAX_PACKED, MAX_UNPACKED_BYTES, SURE_HEAD_BYTES
from diagnose.watch.tail.identity import Identity, digest_of, identify
from diagnose.watch.tail.names import Sibling, is_rotated
from diagnose.watch.tail.system import Files, Stat

READABLE = (".gz", ".zst")


class Unpacked:
    """A compressed file as the handle of what is in it: a file without a name on the disk for temporary files.

    Raises InputError or OSError when it cannot be read, or holds more than ``MAX_UNPACKED_BYTES``."""

    def __init__(self, path: str, packed: Stat) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by ``close``)
        try:
            size = 0
            with open_source(path) as source:
                for block in source.blocks():
                    size += len(block)
                    if size > MAX_UNPACKED_BYTES:
                        raise OSError(f"{path} holds too much")
                    self._file.write(block)
            self._file.flush()
        except BaseException:
            self._file.close()
            raise
        # Without a link: nobody writes to it, it need not be kept open after its end.
        self._stat = Stat(packed.device, packed.inode, size, packed.mtime_ns, 0)

    def stat(self) -> Stat:
        return self._stat

    def read(self, offset: int, size: int) -> bytes:
        return os.pread(self._file.fileno(), size, offset)

    def data_from(self, offset: int) -> int:
        return offset

    def close(self) -> None:
        self._file.close()


def packed_since(files: Files, path: str, identity: Identity, offset: int) -> list[Sibling]:
    """The compressed file that is ``identity``'s, and those that were compressed of later ones; the oldest first.

    The inode is another one, so the first bytes decide; where they are too few to be sure, or two files have them,
    there is none. Empty as well when the file is shorter than ``offset``. Raises nothing.
    """
    if identity.length < SURE_HEAD_BYTES:
        return []
    places = _places(files, path)
    same = [i for i, (place, _) in enumerate(places) if digest_of(_head(place, identity.length)) == identity.digest]
    if len(same) != 1:
        return []
    found = _unpacked(places[same[0] :])
    if not found or found[0].path != places[same[0]][0] or found[0].stat.size < offset:
        for sibling in found:
            sibling.handle.close()
        return []
    return found


def _unpacked(places: Sequence[tuple[str, Stat]]) -> list[Sibling]:
    made = []
    for place, stat in places:
        try:
            handle = Unpacked(place, stat)
        except (InputError, OSError):
            continue
        made.append(Sibling(place, handle.stat(), identify(handle).digest, handle))
    return made


def _places(files: Files, path: str) -> list[tuple[str, Stat]]:
    """Compressed rotated files of ``path``, in the order they were written last (compressing keeps that time)."""
    directory, name = os.path.split(path)
    names = [n for n in files.names(directory) if n.startswith(name) and n.endswith(READABLE) and is_rotated(n)]
    places = []
    for one in names:
        place = os.path.join(directory, one)  # noqa: PTH118
        try:
            stat = files.stat(place)
        except OSError:
            continue
        if stat is not None and stat.kind == "file":
            places.append((place, stat))
    return sorted(places, key=lambda found: found[1].mtime_ns)[-MAX_PACKED:]


def _head(place: str, length: int) -> bytes:
    """The first bytes of what is in it; empty when it cannot be read."""
    try:
        with open_source(place) as source:
            head = bytearray()
            for block in itertools.islice(source.blocks(), 2):
                head += block
                if len(head) >= length:
                    break
            return bytes(head[:length])
    except (InputError, OSError):
        return b""
