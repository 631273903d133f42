"""rbln-diagnose: what went wrong on a Rebellions NPU, and what to change.

    import diagnose
    found = diagnose.diagnose_path("server.log")
    found.outcome, found.findings[0].title.ko, found.to_dict()

The public names are imported when they are first used: start-up time is a feature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.late import late_names
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.analyzer import Analyzer, diagnose_bytes, diagnose_path
    from diagnose.model import Diagnosis, InputError
    from diagnose.redact.nouns import redacted

__all__ = ["Analyzer", "Diagnosis", "InputError", "__version__", "diagnose_bytes", "diagnose_path", "redacted"]

__getattr__ = late_names(
    __name__,
    {
        "Analyzer": "analyzer",
        "diagnose_bytes": "analyzer",
        "diagnose_path": "analyzer",
        "Diagnosis": "model",
        "InputError": "model",
        "redacted": "redact.nouns",
    },
)
