"""The memory: what went wrong before on this machine, what was told about it, and what fixed it.

Only this room knows SQL. A store that cannot be used raises :class:`StoreError`; callers say it once and go on.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diagnose.incidents.errors import StoreError
    from diagnose.incidents.recalling import Memory, recall
    from diagnose.incidents.remembering import remember
    from diagnose.incidents.store import Store

__all__ = ["Memory", "Store", "StoreError", "recall", "remember"]

_HOMES = {
    "Memory": "recalling",
    "Store": "store",
    "StoreError": "errors",
    "recall": "recalling",
    "remember": "remembering",
}
"""Name → module, imported when it is first used: start-up time is a feature."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'diagnose.incidents' has no attribute {name!r}")
    return getattr(importlib.import_module(f"diagnose.incidents.{_HOMES[name]}"), name)
