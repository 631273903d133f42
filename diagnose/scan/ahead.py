"""Looking for literals in several blocks at once: the engine works outside the interpreter's lock."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

THREADS = 2
"""The caller's, which reads blocks and counts their lines, and one that searches: both have about as much to do. With
two that search, three would take turns on the two processors of a small machine."""
THREADS_FROM_BYTES = 32 << 20
"""Below this a scan takes less time than starting threads and waiting for them."""
TRIAL_BYTES = 32 << 20
"""So much is searched in another thread before it is decided whether it pays."""
WORTH = 1.1
"""Times faster that it must be: the two processors of a virtual machine are often halves of one."""
BLOCKS_AHEAD = 8
"""Blocks that may wait with their hits: bounds the memory."""
PIECE_BYTES = 1 << 18
"""Of a block that nobody searches ahead, so much goes on at a time: it stays in the cache of the processor, with what
is made of it. A block handed over stays whole: handing over costs time too."""
Find = Callable[[bytes], list[int]]
_Found = Iterator["tuple[bytes, list[int] | None]"]
"""Blocks or pieces of them, each with its hits or None."""


def processors() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def with_hits(
    blocks: Iterable[bytes],
    find: Find,
    is_dense: Callable[[], bool],
    *,
    threads: int = THREADS,
    from_bytes: int = THREADS_FROM_BYTES,
    trial_bytes: int = TRIAL_BYTES,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[tuple[bytes, list[int] | None]]:
    """Each of ``blocks`` in order, with what ``find`` gave for it, or None where it was not asked.

    ``threads``: with the caller's. Once ``from_bytes`` bytes have gone by, ``find`` is called in the others, a few
    blocks ahead, for ``trial_bytes``, and further on if that was faster by the ``clock`` (seconds); never while
    ``is_dense()`` says that the last block was full of hits. A block for which it was not asked comes in pieces of
    ``PIECE_BYTES``.
    """
    rest = iter(blocks)
    yield from _alone(rest, from_bytes // 2)  # the engine is built meanwhile
    alone = yield from _paced(_alone(rest, from_bytes // 2 + 1), clock)
    if threads < 2 or not alone:
        yield from _alone(rest)
        return
    # imported here: most logs are small
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads - 1) as pool:
        shared = yield from _paced(_shared(rest, find, is_dense, pool, trial_bytes), clock)
        if alone > WORTH * shared:
            yield from _shared(rest, find, is_dense, pool)
    yield from _alone(rest)


def _paced(found: _Found, clock: Callable[[], float]) -> Generator[tuple[bytes, list[int] | None], None, float]:
    """As ``found``; returns the seconds per byte of the block in the middle, 0 without any. Not of all together: one
    with an error takes as long as a hundred."""
    paces = []
    started = clock()
    for block, hits in found:
        yield block, hits
        paces.append((clock() - started) / len(block))
        started = clock()
    return sorted(paces)[len(paces) // 2] if paces else 0


def _alone(rest: Iterator[bytes], limit_bytes: float = float("inf")) -> _Found:
    """Blocks of ``rest`` that the caller searches, up to ``limit_bytes``."""
    seen = 0
    while seen < limit_bytes and (block := next(rest, None)) is not None:
        yield from _pieces(block)
        seen += len(block)


def _shared(
    rest: Iterator[bytes],
    find: Find,
    is_dense: Callable[[], bool],
    pool: Executor,
    limit_bytes: float = float("inf"),
) -> _Found:
    """Blocks of ``rest`` searched in ``pool``, up to ``limit_bytes``; by the caller while they are full of hits."""
    waiting: deque[tuple[bytes, Future[list[int]]]] = deque()
    seen = 0
    while seen < limit_bytes:
        while not waiting and is_dense() and (block := next(rest, None)) is not None:
            yield from _pieces(block)
            seen += len(block)
        ahead = None if is_dense() else next(rest, None)
        if ahead is not None:
            waiting.append((ahead, pool.submit(find, ahead)))
            seen += len(ahead)
        if not waiting:
            break
        while waiting and (len(waiting) >= BLOCKS_AHEAD or ahead is None):
            yield _searched(*waiting.popleft())
    for one in waiting:
        yield _searched(*one)


def _pieces(block: bytes) -> _Found:
    if len(block) <= PIECE_BYTES:
        yield block, None
        return
    for start in range(0, len(block), PIECE_BYTES):
        yield block[start : start + PIECE_BYTES], None


def _searched(block: bytes, hits: Future[list[int]]) -> tuple[bytes, list[int]]:
    return block, hits.result()
