"""Names of logs: a path is shown and stored without the names in it, but two paths stay two."""

from __future__ import annotations

from diagnose.redact.about import Surroundings
from diagnose.redact.redactor import ALIAS, Redactor

_OWN = "<home>"


def source_name(path: str, about: Surroundings) -> str:
    """``path`` redacted, the same every time. What is hidden in it but the own home is told apart by 8 hex digits."""
    shown = Redactor(about).text(path)
    hidden = set(ALIAS.findall(shown))
    if hidden <= ({_OWN} if about.home else set()):
        return shown
    import hashlib

    return f"{shown}#{hashlib.blake2b(path.encode(errors='replace'), digest_size=4).hexdigest()}"
