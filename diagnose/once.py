"""Work that is asked for again and again with equal arguments, as by whoever looks at a log that goes on."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

MAX_KEPT: Final = 512
"""Results one memory keeps. What a look at a log works out is a few results a finding and three runs at most."""


class Once:
    """Does a piece of work once. Bounded: the result that was not asked for the longest goes first.

    Arguments are the same when their ``repr`` is: ``1``, ``1.0`` and ``True`` are equal to Python, but not as
    settings. They have to be plain values and nouns of ``diagnose.model``, whose ``repr`` shows all of them.
    Belongs to whoever knows on what else the work depends (one knowledge base, the aliases of one document).
    """

    def __init__(self, most: int = MAX_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, int, int], Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def __call__(self, about: object, work: Callable[[], _T]) -> _T:
        """What ``work`` gave for the same ``about`` before, else what it gives now. What it raises is not kept."""
        # No text that long is kept: a configuration read from a file may be. The three together stand for it, and
        # need no library of ciphers, which takes longer to import than a small log to read.
        said = repr(about)
        key = (len(said), hash(said), zlib.crc32(said.encode("utf-8", "surrogatepass")))
        if key in self._kept:
            self._kept.move_to_end(key)
        else:
            self._kept[key] = work()
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        result: _T = self._kept[key]
        return result
