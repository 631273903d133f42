"""Opens what is around a line, whatever it is; a table and records of several lines need those before it."""

from __future__ import annotations

from diagnose.records.envelope import Enclosed, may_be_pairs, open_envelope
from diagnose.records.fields import DROPPED, Fields
from diagnose.records.tables import Table

__all__ = ["DROPPED", "Opener"]


class Opener:
    """Takes the lines of one input in order, without colours."""

    def __init__(self) -> None:
        self._fields = Fields()
        self._table = Table()

    @property
    def is_idle(self) -> bool:
        """Nothing of several lines is open: what a line is, it tells by itself."""
        return self._fields.is_idle and self._table.is_idle

    def open(self, text: str) -> Enclosed | None:
        """What ``text`` carries; ``DROPPED`` when it is a part of such a thing and carries nothing."""
        # fluentd writes nine digits of a second, a blank and the zone before its object.
        carries = text[:1] in ("{", "[") or (text[19:20] == "." and text[29:30] == " ") or may_be_pairs(text)
        found = open_envelope(text) if carries else None
        if found is None:
            found = self._fields.open(text)
        if found is None:
            found = self._table.open(text)
            if found is not None and found.text.startswith("{"):
                found = open_envelope(found.text) or found
        return found

    def gap(self) -> None:
        """Lines are left out here: a value that was open ends."""
        self._fields.gap()
        self._table.gap()
