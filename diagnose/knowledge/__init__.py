"""The knowledge base: kb/ loaded, checked, compiled."""

from __future__ import annotations

from diagnose.knowledge.schema import Entry, Knowledge, Parameter
from diagnose.knowledge.store import load

__all__ = ["Entry", "Knowledge", "Parameter", "load"]
