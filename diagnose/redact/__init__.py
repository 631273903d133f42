"""Secrets and names of the person become stable aliases: after matching, before anything is stored, sent or exported.

    about = surroundings(os.environ, platform.node())
    Redactor(about).text("GET http://10.1.2.3/ by kim@corp.example.com")   # 'GET http://<ip-1>/ by <email-1>'

The same secret has the same alias within one document, which is one ``Redactor``. Patterns are our own:
detect-secrets knows other services, works by line, gives no spans and takes longer to import than a diagnosis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.late import late_names

if TYPE_CHECKING:
    from diagnose.redact.about import Surroundings, here, surroundings
    from diagnose.redact.nouns import redacted
    from diagnose.redact.redactor import Redactor

__all__ = ["Redactor", "Surroundings", "here", "redacted", "surroundings"]

__getattr__ = late_names(
    __name__,
    {
        "Redactor": "redactor",
        "Surroundings": "about",
        "here": "about",
        "redacted": "nouns",
        "surroundings": "about",
    },
)
