"""Following one path through everything that can happen to it."""

from __future__ import annotations

from diagnose.watch.tail.follower import Follower, Start
from diagnose.watch.tail.identity import Identity
from diagnose.watch.tail.nouns import Notice, Origin, Piece
from diagnose.watch.tail.pipe import PipeFollower
from diagnose.watch.tail.system import Files, Handle, OsFiles, Stat

__all__ = [
    "Files",
    "Follower",
    "Handle",
    "Identity",
    "Notice",
    "Origin",
    "OsFiles",
    "Piece",
    "PipeFollower",
    "Start",
    "Stat",
]
