"""A look at a line that is half written changes nothing."""

from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.scan import Repeats, Scanner, make_engine

ENGINE = make_engine(["Error: "])


def scanner() -> Scanner:
    return Scanner(ENGINE, before=2, after=1, repeats=Repeats(2))


@given(st.lists(st.sampled_from([b"calm\n", b"Error: no\n", b"Err", b"or: no", b"\n", b"x"]), max_size=20))
@settings(max_examples=100)
def test_a_look_is_what_the_end_would_give_and_changes_nothing(pieces: list[bytes]) -> None:
    looked, plain = scanner(), scanner()
    for piece in pieces:
        assert list(looked.feed(piece)) == list(plain.feed(piece))
        for rest in (b"", b"more\nError: no"):
            twin = copy.deepcopy(plain, {id(ENGINE): ENGINE})
            lines, seen = looked.peek(rest)
            assert lines == [*twin.feed(rest), *twin.finish()]
            assert seen == twin.lines_seen
    assert list(looked.finish()) == list(plain.finish())
