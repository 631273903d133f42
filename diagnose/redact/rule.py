"""What a rule of redaction is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from diagnose.light import dataclass

Check = Callable[[Any], bool]
"""Takes the match; False: it only looks like one."""


def _always(found: Any) -> bool:
    del found
    return True


@dataclass(frozen=True, slots=True)
class Rule:
    """One way a secret is written."""

    kind: str
    """Goes into the alias: ``hf-token`` → ``<hf-token-1>``."""
    pattern: str
    """For ``regex``; the group ``x`` is masked, every time it was found, else the whole match. Every repetition is
    bounded, possessive or over a class that what follows does not hold, so that time grows with the length of the
    text only."""
    hints: tuple[str, ...] = ()
    """Lower case; one of them is in every text the pattern matches. None: the pattern is always tried."""
    check: Check = field(default=_always)
    learn: bool = False
    """What was found once is masked wherever else it stands: a password is one also without its name."""
    needs: str = ""
    """A small pattern for ``re`` that is found in every such text: compiling the real one takes longer than most."""
