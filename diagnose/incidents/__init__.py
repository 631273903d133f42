"""The memory: what went wrong before on this machine, what was told about it, and what fixed it.

Only this room knows SQL. A store that cannot be used raises :class:`StoreError`; callers say it once and go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.late import late_names

if TYPE_CHECKING:
    from diagnose.incidents.errors import StoreError
    from diagnose.incidents.recalling import Memory, recall
    from diagnose.incidents.remembering import remember
    from diagnose.incidents.store import Store

__all__ = ["Memory", "Store", "StoreError", "recall", "remember"]

__getattr__ = late_names(
    __name__,
    {
        "Memory": "recalling",
        "Store": "store",
        "StoreError": "errors",
        "recall": "recalling",
        "remember": "remembering",
    },
)
