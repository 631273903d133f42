"""What comes out of a tail: pieces of files, and what happened to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from diagnose.light import dataclass

Code = Literal[
    "awaited",
    "appeared",
    "rotated",
    "truncated",
    "hole",
    "gone",
    "lost",
    "unreadable",
    "readable",
    "ended",
    "store-failed",
    "store-back",
    "backlog-full",
    "alerts-dropped",
    "checkpoint-unreadable",
    "polling",
    "taken",
    "too-many",
    "alert-failed",
    "alert-given-up",
    "reloaded",
    "reload-failed",
    "listening",
]


@dataclass(frozen=True, slots=True)
class Origin:
    """One file as it was met: a file that was truncated and written anew is another origin."""

    path: str
    generation: str
    """Unique for what was met; kept over a restart by the checkpoint."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of one source, in the order they are to be read."""

    data: bytes
    origin: Origin | None
    """None for a line end that stands in no file: it keeps the lines of two files apart."""
    offset: int = 0
    """Place of the first byte in its file."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something happened to a source that a person may want to know."""

    code: Code
    path: str
    fields: Mapping[str, str | int] = field(default_factory=dict)


GUARD: Final = Piece(b"\n", None)
