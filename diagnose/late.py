"""What is made when it is first used: start-up time is a feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    import re


class _Late:
    """Stands for the pattern; its methods are the pattern's own from the first use on."""

    def __init__(self, source: Any, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        import re

        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As ``re.compile``, without the work; a mistake in ``source`` shows at the first use.

    Compiling all patterns of the rooms that read a log takes a fifth of the time of a small diagnosis, which needs few.
    """
    return cast("re.Pattern[AnyStr]", _Late(source, flags))


def late_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of ``package``: its public names (name → module in it) are imported when first used."""

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import importlib

        return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)

    return find
