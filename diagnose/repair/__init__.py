"""Pastes put right: a small text whose lines were wrapped, quoted, numbered, escaped or run together.

What a transport put before every line of a log is taken off line by line in ``records``, at any size. What happens
to a log on its way through terminals, viewers, mails and issue forms changes the whole text, and only the whole text
shows it. So a text small enough to be a paste is kept, and when the plain reading is done its shape is looked at.
"""

from __future__ import annotations

from diagnose.repair.look import SMALL_BYTES, shows_shape
from diagnose.repair.page import Origin
from diagnose.repair.paste import PASTE_BYTES, CutNumbers, Paste
from diagnose.repair.readings import Reading, readings

__all__ = ["PASTE_BYTES", "SMALL_BYTES", "CutNumbers", "Origin", "Paste", "Reading", "readings", "shows_shape"]
