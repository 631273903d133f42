"""Which file is it? Device and inode, and a hash of its first bytes: inodes are used again, first lines alike."""

from __future__ import annotations

import hashlib

from diagnose.light import dataclass
from diagnose.watch.limits import HEAD_BYTES
from diagnose.watch.tail.system import Handle


@dataclass(frozen=True, slots=True)
class Identity:
    """``length`` first bytes (at most ``HEAD_BYTES``) have the hash ``digest``; a file that grew keeps them."""

    device: int
    inode: int
    length: int
    digest: str
    generation: str = ""
    """Of the origin (``Origin.generation``)."""
    base: str = ""
    """Key of the run that was going on where the file begins."""

    def __str__(self) -> str:
        parts = (self.device, self.inode, f"{self.length}-{self.digest}", self.generation, self.base)
        return ":".join(map(str, parts))

    @classmethod
    def parse(cls, text: str) -> Identity | None:
        """The identity a checkpoint holds; None when it is damaged."""
        parts = text.split(":", 4)
        if len(parts) != 5:
            return None
        length, _, digest = parts[2].partition("-")
        if not (parts[0].isdecimal() and parts[1].isdecimal() and length.isdecimal()):
            return None
        return cls(int(parts[0]), int(parts[1]), int(length), digest, parts[3], parts[4])

    def is_of(self, handle: Handle) -> bool:
        """Whether ``handle`` is that file, however much was written to it since."""
        found = handle.stat()
        if (found.device, found.inode) != (self.device, self.inode) or found.size < self.length:
            return False
        return digest_of(handle.read(0, self.length)) == self.digest


def identify(handle: Handle, generation: str = "", base: str = "") -> Identity:
    """The identity of an open file as far as it is written. Raises OSError."""
    found = handle.stat()
    head = handle.read(0, HEAD_BYTES)
    return Identity(found.device, found.inode, len(head), digest_of(head), generation, base)


def digest_of(head: bytes) -> str:
    return hashlib.blake2b(head, digest_size=8).hexdigest()
