"""Where may something be? Literals find the lines; only those and their surroundings are decoded."""

from __future__ import annotations

from diagnose.scan.engine import Engine, make_engine
from diagnose.scan.repeats import REPEATS, Repeats
from diagnose.scan.scanner import AFTER, BEFORE, Scanner
from diagnose.scan.structural import ERROR_MARK, STRUCTURAL

__all__ = ["AFTER", "BEFORE", "ERROR_MARK", "REPEATS", "STRUCTURAL", "Engine", "Repeats", "Scanner", "make_engine"]
