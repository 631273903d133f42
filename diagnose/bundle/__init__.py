"""``rbln-diagnose report``: one file that may be pasted into an issue.

Diagnosis, versions, configuration in force and the lines of the log that give the same diagnosis by themselves, all
of it redacted.
"""

from __future__ import annotations

from diagnose.bundle.making import Bundle, make

__all__ = ["Bundle", "make"]
