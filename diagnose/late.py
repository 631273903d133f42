"""Regular expressions that are compiled when they are first used: start-up time is a feature.

Compiling all those of the rooms that read a log takes a fifth of the time of a small diagnosis, which needs few.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Late:
    """Stands for the pattern; its methods are the pattern's own from the first use on."""

    def __init__(self, source: Any, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As ``re.compile``, without the work; a mistake in ``source`` shows at the first use."""
    return cast("re.Pattern[AnyStr]", _Late(source, flags))
