"""Copies in a block are told from the rest of it, whose hits are found where they stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diagnose.scan import Repeats, Scanner, make_engine
from diagnose.scan.copies import Copies
from diagnose.scan.repeats import KEY_BYTES
from diagnose.scan.scanner import DENSE_HITS

MARK = b" ERROR "
LONGEST_BYTES = 2 * KEY_BYTES

_texts = [
    b"pid 12 ERROR of device 3",
    b"pid 9 ERROR of device 77",
    b"pid 1 ERROR not seen before",
    b"calm",
    b"",
    b" ERROR " + b"y" * KEY_BYTES + b"1",
    b" ERROR " + b"y" * KEY_BYTES + b"z",
    b"0" * LONGEST_BYTES + b" ERROR of device",
]
_lines = st.lists(st.sampled_from(_texts), max_size=30)


def _seen(texts: list[bytes]) -> Repeats:
    repeats = Repeats(1)
    for number, text in enumerate(texts, 1):
        repeats.is_copy(text, False)
        repeats.stands_at(number)
    return repeats


@given(before=_lines, lines=_lines)
def test_any_block_is_its_copies_and_its_rest(before: list[bytes], lines: list[bytes]) -> None:
    repeats = _seen(before)
    block = b"".join(line + b"\n" for line in lines)
    split = Copies(repeats, MARK, LONGEST_BYTES).split(block, 0, len(block))
    is_copy = [MARK in line and len(line) < LONGEST_BYTES and repeats.told_enough(line) is not None for line in lines]
    assert split.rest() == b"\n" + b"".join(line + b"\n" for line, copy in zip(lines, is_copy, strict=True) if not copy)
    starts = [len(b"".join(line + b"\n" for line in lines[:place])) for place in range(len(lines))]
    assert split.starts == [start for start, copy in zip(starts, is_copy, strict=True) if copy]
    assert split.copies == [repeats.told_enough(line) for line, copy in zip(lines, is_copy, strict=True) if copy]


@given(before=_lines, lines=_lines)
def test_hits_in_the_rest_of_any_block_are_found_where_they_stand(before: list[bytes], lines: list[bytes]) -> None:
    block = b"".join(line + b"\n" for line in lines)
    split = Copies(_seen(before), MARK, LONGEST_BYTES).split(block, 0, len(block))
    rest = split.rest()
    ends = list(range(2, len(rest) + 1))
    assert all(block[at - 1] == rest[end - 1] for at, end in zip(split.hits(ends), ends, strict=True))


@given(before=_lines, again=_lines)
def test_what_was_known_before_a_start_is_not_known_after_it(before: list[bytes], again: list[bytes]) -> None:
    repeats = Repeats(1, starts=[b"begins"])
    copies = Copies(repeats, MARK, LONGEST_BYTES)
    block = b"".join(line + b"\n" for line in before)
    for line in before:
        repeats.is_copy(line, False)
    copies.split(block, 0, len(block))
    repeats.is_copy(b"the server begins", False)
    assert copies.split(block, 0, len(block)).copies == []
    for line in again:
        repeats.is_copy(line, False)
    told = [repeats.told_enough(line) for line in before if MARK in line and len(line) < LONGEST_BYTES]
    assert copies.split(block, 0, len(block)).copies == [seen for seen in told if seen is not None]


def test_a_storm_is_one_in_every_block_of_it() -> None:
    line = b"pid 7 ERROR boom: no room\n"
    block = line * (DENSE_HITS // 2 + 1)  # two hits in every line: together more, each alone fewer
    scanner = Scanner(make_engine([" ERROR ", "boom: "]), repeats=Repeats(1), mark=MARK)
    dense = []
    for _ in range(4):
        list(scanner.feed(b"\n" + block))
        dense.append(scanner.is_dense)
    assert dense == [True] * 4
