"""Looking for literals in several blocks at once: the engine works outside the interpreter's lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator

THREADS = 2
"""More would wait for the blocks to be read and their lines to be counted."""
THREADS_FROM_BYTES = 16 << 20
"""Below this a scan takes less time than starting threads and waiting for them."""
BLOCKS_AHEAD = 6
"""Blocks that may wait with their hits: bounds the memory."""

DENSE_HITS = 512
"""In a block with more, a thread waits for the interpreter's lock at every hit: then it is searched by the caller."""


def processors() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def with_hits(
    blocks: Iterable[bytes],
    find: Callable[[bytes], list[int]],
    *,
    threads: int = THREADS,
    from_bytes: int = THREADS_FROM_BYTES,
) -> Iterator[tuple[bytes, list[int] | None]]:
    """Each of ``blocks`` in order, with what ``find`` gave for it, or None where it was not asked.

    Once ``from_bytes`` bytes have gone by, ``find`` is called in other threads, up to ``BLOCKS_AHEAD`` blocks ahead.
    """
    rest, seen = iter(blocks), 0
    for block in rest:
        yield block, None
        seen += len(block)
        if threads > 1 and seen >= from_bytes:
            break
    else:
        return
    # imported here: most logs are small
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[tuple[bytes, Future[list[int]]]] = deque()
    is_dense = False
    with ThreadPoolExecutor(threads) as pool:
        for block in rest:
            if is_dense:
                hits = find(block)
                is_dense = len(hits) > DENSE_HITS
                yield block, hits
                continue
            waiting.append((block, pool.submit(find, block)))
            while len(waiting) > (0 if is_dense else BLOCKS_AHEAD):
                done, future = waiting.popleft()
                hits = future.result()
                is_dense = len(hits) > DENSE_HITS
                yield done, hits
        for done, future in waiting:
            yield done, future.result()
