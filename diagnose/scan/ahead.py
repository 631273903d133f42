"""Looking for literals in several blocks at once: the engine works outside the interpreter's lock."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

THREADS = 2
"""More would wait for the blocks to be read and their lines to be counted."""
THREADS_FROM_BYTES = 32 << 20
"""Below this a scan takes less time than starting threads and waiting for them."""
TRIAL_BYTES = 32 << 20
"""So much is searched in threads before it is decided whether they pay."""
WORTH = 1.1
"""Times faster that threads must be: the two processors of a virtual machine are often halves of one."""
BLOCKS_OF_A_JOB = 4
"""Handing over costs as much as searching a tenth of a block."""
JOBS_AHEAD = 3
"""Jobs that may wait with their hits: bounds the memory."""
Find = Callable[[bytes], list[int]]
_Searched = list[tuple[bytes, list[int]]]
_Found = Generator["tuple[bytes, list[int] | None]", None, int]
"""Blocks, each with its hits or None; returns the bytes that went by."""


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

    Once ``from_bytes`` bytes have gone by, ``find`` is called in other threads, a few blocks ahead, for
    ``trial_bytes``, and further on if that was faster by the ``clock`` (seconds); never while ``is_dense()`` says that
    the last block was full of hits.
    """
    rest = iter(blocks)
    seen = yield from _alone(rest, from_bytes // 2)  # the engine is built meanwhile
    started = clock()
    seen = yield from _alone(rest, from_bytes // 2 + 1)
    alone_per_s = seen / max(clock() - started, 1e-9)
    if threads < 2 or not seen:
        yield from _alone(rest)
        return
    # imported here: most logs are small
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        started = clock()
        seen = yield from _shared(rest, find, is_dense, pool, trial_bytes)
        if seen / max(clock() - started, 1e-9) > WORTH * alone_per_s:
            yield from _shared(rest, find, is_dense, pool)
    yield from _alone(rest)


def _alone(rest: Iterator[bytes], limit_bytes: float = float("inf")) -> _Found:
    """Blocks of ``rest`` that the caller searches, up to ``limit_bytes``."""
    seen = 0
    while seen < limit_bytes and (block := next(rest, None)) is not None:
        yield block, None
        seen += len(block)
    return seen


def _shared(
    rest: Iterator[bytes],
    find: Find,
    is_dense: Callable[[], bool],
    pool: Executor,
    limit_bytes: float = float("inf"),
) -> _Found:
    """Blocks of ``rest`` searched in ``pool``, up to ``limit_bytes``; by the caller while they are full of hits."""
    waiting: deque[Future[_Searched]] = deque()
    seen = 0
    while seen < limit_bytes:
        while not waiting and is_dense() and (block := next(rest, None)) is not None:
            yield block, None
            seen += len(block)
        job = [] if is_dense() else list(islice(rest, BLOCKS_OF_A_JOB))
        if job:
            waiting.append(pool.submit(_search, find, job))
            seen += sum(map(len, job))
        if not waiting:
            break
        while waiting and (len(waiting) > JOBS_AHEAD or not job):
            yield from waiting.popleft().result()
    for future in waiting:
        yield from future.result()
    return seen


def _search(find: Find, blocks: list[bytes]) -> _Searched:
    return [(block, find(block)) for block in blocks]
