"""Searching ahead: the same lines, whatever thread found them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.scan import STRUCTURAL, Scanner, make_engine
from diagnose.scan.ahead import BLOCKS_AHEAD, PIECE_BYTES, with_hits

AHEAD = BLOCKS_AHEAD + 1
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
        line
        for block, hits in with_hits(blocks, ahead.hits, lambda: ahead.is_dense, from_bytes=from_bytes)
        for line in ahead.feed(block, hits)
    ]
    assert [*found, *ahead.finish()] == [*expected, *plain.finish()]


def test_a_small_input_is_searched_by_nobody_else() -> None:
    blocks = [b"a" * 10] * 5
    assert list(with_hits(blocks, lambda block: [1], calm, from_bytes=51)) == [(block, None) for block in blocks]
    assert list(with_hits(blocks, lambda block: [1], calm, threads=1, from_bytes=1)) == [
        (block, None) for block in blocks
    ]


BLOCKS = [bytes([number]) for number in range(120)]


def calm() -> bool:
    return False


def searched(
    *,
    dense: range = range(0),
    trial_bytes: int = 200,
    alone_s: float = 1,
    ahead_s: float = 0.5,
    with_errors: Mapping[int, float] = MappingProxyType({}),
) -> set[int]:
    """Numbers of the blocks another thread searched. A block takes ``alone_s`` where the caller searches it and
    ``ahead_s`` where not, and one of ``with_errors`` so much more."""
    elsewhere: set[int] = set()
    last, now = [0], [0.0]

    def find(block: bytes) -> list[int]:
        if threading.current_thread() is not me:
            elsewhere.add(block[0])
        return [block[0]]

    me = threading.current_thread()
    found = []
    for block, hits in with_hits(
        BLOCKS, find, lambda: last[0] in dense, from_bytes=4, trial_bytes=trial_bytes, clock=lambda: now[0]
    ):
        last[0] = block[0]
        found.append(block)
        now[0] += (alone_s if hits is None else ahead_s) + with_errors.get(block[0], 0)
        assert hits is None or hits == [block[0]]
    assert found == BLOCKS
    return elsewhere


def test_a_large_input_is_searched_in_another_thread_and_stays_in_order() -> None:
    assert searched() == set(range(5, 120))


def test_a_thread_that_does_not_pay_is_given_up() -> None:
    assert searched(trial_bytes=40, ahead_s=0.95) == set(range(5, 45))
    assert searched(trial_bytes=40, ahead_s=0.85) == set(range(5, 120))


def test_a_block_with_an_error_decides_nothing() -> None:
    assert searched(trial_bytes=40, with_errors={20: 1000}) == set(range(5, 120))
    assert searched(trial_bytes=40, ahead_s=1, with_errors={3: 1000}) == set(range(5, 45))


def test_a_block_that_nobody_searched_ahead_goes_on_in_pieces() -> None:
    block = bytes(PIECE_BYTES) + b"rest"
    pieces = list(with_hits([block, b"next"], lambda block: [], calm))
    assert pieces == [(bytes(PIECE_BYTES), None), (b"rest", None), (b"next", None)]


def test_blocks_full_of_hits_are_searched_by_the_caller_until_they_are_calm_again() -> None:
    elsewhere = searched(dense=range(20, 70))
    assert not elsewhere & set(range(20 + AHEAD, 70)) and elsewhere >= {*range(5, 20), *range(80, 120)}


def test_no_more_blocks_are_read_ahead_than_may_wait() -> None:
    read = []

    def blocks() -> Iterator[bytes]:
        for block in BLOCKS:
            read.append(block)
            yield block

    for block, _ in with_hits(blocks(), lambda block: [], calm, from_bytes=1, trial_bytes=1000):
        assert len(read) <= block[0] + AHEAD
