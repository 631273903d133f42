"""What an input says beside its facts about whose log it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from diagnose.light import dataclass
from diagnose.model import Value


@dataclass(frozen=True, slots=True)
class Clues:
    """Names and numbers that tell one run from another."""

    servers: Sequence[str] = ()
    """Names its lines carry (``Record.server``)."""
    stated: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    """Canonical parameter → the values in force that messages of errors name."""


NO_CLUES = Clues()
