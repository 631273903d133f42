"""The lines around a cause, as they stood in the log."""

from __future__ import annotations

from diagnose.report.clean import clean
from diagnose.sources.lines import decode_line
from diagnose.watch.ledger import Place
from diagnose.watch.limits import EXCERPT_AFTER_BYTES, EXCERPT_BEFORE_BYTES, EXCERPT_LINES, EXCERPT_LINES_BEFORE
from diagnose.watch.ports import Tail


def quote(tail: Tail, place: Place) -> str:
    """At most ``EXCERPT_LINES`` lines; empty when the file is open no more, or is not in a one-byte encoding."""
    start = max(place.offset - EXCERPT_BEFORE_BYTES, 0)
    before = tail.quote(place.origin, start, place.offset - start) if place.offset > start else b""
    after = tail.quote(place.origin, place.offset, EXCERPT_AFTER_BYTES)
    if not after or b"\0" in after:
        return ""
    # The first line of what stands before may have lost its beginning.
    above = before.split(b"\n")[:-1][1 if start else 0 :][-EXCERPT_LINES_BEFORE:]
    lines = after.split(b"\n")
    if len(after) == EXCERPT_AFTER_BYTES and len(lines) > 1:
        lines.pop()  # it may have lost its end, and with it what tells a secret
    below = lines[: EXCERPT_LINES - len(above)]
    return clean("\n".join(decode_line(raw.rstrip(b"\r")) for raw in (*above, *below))).rstrip()
