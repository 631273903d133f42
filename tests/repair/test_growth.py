"""Twice the text is twice the work: what is done is counted, never timed."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import Piece
from diagnose.records.span import Span, join
from diagnose.repair import strips
from diagnose.repair.page import Origin, cut, page_of, replaced, text_of

SIZE = 400
PIECES = st.lists(st.sampled_from(["a", "&lt;", "&nbsp;", "&#39;", "가", " "]), min_size=1, max_size=6).map("".join)


def of_parts(parts: list[str]) -> Span:
    return join([Span(part, (Piece(0, number, number * 100),)) for number, part in enumerate(parts, 1)])


def characters(change: Callable[[str], str], parts: int) -> int:
    """Characters that are changed for the sake of a row joined of so many."""
    seen: list[int] = []

    def counted(text: str) -> str:
        seen.append(len(text))
        return change(text)

    replaced(of_parts(["a&nbsp;b &lt;c&gt; "] * parts), counted)
    return sum(seen)


@pytest.mark.parametrize(
    "change",
    [html.unescape, str.rstrip, lambda text: text.replace("&", "\\"), lambda text: text.removesuffix(" ")],
)
def test_a_row_joined_of_twice_the_lines_takes_twice_the_work(change: Callable[[str], str]) -> None:
    assert characters(change, 2 * SIZE) < 2.5 * characters(change, SIZE)


def test_escapes_of_html_are_looked_up_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = itertools.count()
    unescape = html.unescape

    def counted(text: str) -> str:
        next(looked_up)
        return unescape(text)

    monkeypatch.setattr(html, "unescape", counted)
    assert strips.entities([of_parts(["a&nbsp;b&nbsp;"] * SIZE)]) is not None
    assert next(looked_up) < 2 * SIZE * 12


@given(st.lists(PIECES, min_size=1, max_size=9))
def test_every_part_of_a_changed_row_begins_where_the_parts_before_it_end(parts: list[str]) -> None:
    changed = replaced(of_parts(parts), html.unescape)
    ends = [0, *itertools.accumulate(len(html.unescape(part)) for part in parts)]
    assert [mark.start for mark in changed.marks] == ends[:-1]


@given(st.lists(st.sampled_from(["a", "&", "nb", "sp;", "lt", ";", "# ", "가"]), min_size=1, max_size=12))
def test_the_parts_of_any_changed_row_stay_in_order_and_in_it(parts: list[str]) -> None:
    changed = replaced(of_parts(parts), html.unescape)
    starts = [mark.start for mark in changed.marks]
    assert starts == sorted(starts)
    assert starts[0] == 0
    assert starts[-1] <= len(changed.text)


@given(st.lists(st.text("ab가 ", min_size=1, max_size=5), min_size=1, max_size=9))
def test_every_mark_of_a_joined_row_is_found_again_by_its_byte(parts: list[str]) -> None:
    row = of_parts(parts)
    _, origin = text_of([row])
    for mark, piece in zip(row.marks, origin.marks(1) or (Piece(0, 1, 0),), strict=True):
        assert piece.offset == len(row.text[: mark.start].encode())
        assert origin.of_offset(piece.offset) == (mark.line, mark.offset)


class _Marks(tuple[Piece, ...]):
    """Counts how often one of them is looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        _Marks.looks += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Piece]:
        return (self[index] for index in range(len(self)))


def test_a_row_is_cut_by_looking_at_every_mark_a_few_times() -> None:
    row = of_parts(["abcd"] * SIZE)
    pieces = list(cut(Span(row.text, _Marks(row.marks)), range(0, len(row.text) + 1, 2)))
    assert "".join(piece.text for piece in pieces) == row.text
    assert SIZE <= _Marks.looks < 20 * SIZE


def test_a_page_knows_the_way_back_to_its_bytes() -> None:
    page = page_of("가나\nb\n".encode())
    data, origin = text_of(page)
    assert isinstance(origin, Origin)
    assert origin.of_offset(data.index(b"b")) == (2, len("가나\n".encode()))
