"""Signatures against records: which entries a record speaks of, with their numbers."""

from __future__ import annotations

from diagnose.matching.glued import GluedMatcher
from diagnose.matching.matcher import Matcher
from diagnose.matching.places import is_error

__all__ = ["GluedMatcher", "Matcher", "is_error"]
