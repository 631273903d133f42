"""Remedies: from an entry and a run to changes that are computed, checked, and ready to paste."""

from __future__ import annotations

from diagnose.remedies.advice import Advice, Advisor
from diagnose.remedies.prescribe import cause_text, considered, observe, prescribe, title_text

__all__ = ["Advice", "Advisor", "cause_text", "considered", "observe", "prescribe", "title_text"]
