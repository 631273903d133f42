"""Searching ahead: the same lines, whatever thread found them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.scan import STRUCTURAL, Scanner, make_engine
from diagnose.scan.ahead import BLOCKS_AHEAD, DENSE_HITS, with_hits

_ENGINE = make_engine(STRUCTURAL, "hyperscan")
_lines = st.lists(st.sampled_from([b"calm", b"", b"x ERROR y", b"Killed", b"Traceback (most recent call last):"]))


@settings(max_examples=40)
@given(_lines, st.lists(st.integers(0, 400), max_size=30), st.integers(0, 60))
def test_any_text_in_any_blocks_gives_the_lines_it_gives_without_threads(
    lines: list[bytes], places: list[int], from_bytes: int
) -> None:
    data = b"\n".join(lines)
    cuts = sorted({0, len(data), *(place for place in places if place < len(data))})
    blocks = [data[a:b] for a, b in pairwise(cuts)]
    plain, ahead = Scanner(_ENGINE, before=1, after=1), Scanner(_ENGINE, before=1, after=1)
    expected = [line for block in blocks for line in plain.feed(block)]
    found = [
        line for block, hits in with_hits(blocks, ahead.hits, from_bytes=from_bytes) for line in ahead.feed(block, hits)
    ]
    assert [*found, *ahead.finish()] == [*expected, *plain.finish()]


def test_a_small_input_is_searched_by_nobody_else() -> None:
    blocks = [b"a" * 10] * 5
    assert list(with_hits(blocks, lambda block: [1], from_bytes=51)) == [(block, None) for block in blocks]
    assert list(with_hits(blocks, lambda block: [1], threads=1, from_bytes=1)) == [(block, None) for block in blocks]


def test_a_large_one_is_searched_in_other_threads_and_stays_in_order() -> None:
    threads = set()

    def find(block: bytes) -> list[int]:
        threads.add(threading.current_thread())
        return [block[0]]

    blocks = [bytes([number]) for number in range(40)]
    found = list(with_hits(blocks, find, from_bytes=3))
    assert found == [(block, None if block[0] < 3 else [block[0]]) for block in blocks]
    assert threading.current_thread() not in threads


def test_no_more_blocks_are_read_ahead_than_may_wait() -> None:
    read = []

    def blocks() -> Iterator[bytes]:
        for number in range(50):
            read.append(number)
            yield bytes([number])

    for block, _ in with_hits(blocks(), lambda block: [], from_bytes=1):
        assert len(read) <= block[0] + BLOCKS_AHEAD + 2


def test_blocks_full_of_hits_are_searched_by_the_caller_until_they_are_calm_again() -> None:
    searched: list[tuple[int, bool]] = []
    me = threading.current_thread()

    def find(block: bytes) -> list[int]:
        searched.append((block[0], threading.current_thread() is me))
        return [0] * (DENSE_HITS + 1 if 20 <= block[0] < 40 else 1)

    blocks = [bytes([number]) for number in range(80)]
    assert [block for block, _ in with_hits(blocks, find, from_bytes=1)] == blocks
    by_me = {number for number, mine in searched if mine}
    assert set(range(20 + BLOCKS_AHEAD + 2, 40)) <= by_me and not by_me & {*range(20), *range(50, 80)}
