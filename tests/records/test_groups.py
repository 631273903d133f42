"""Exception groups, as Python itself prints them."""

from __future__ import annotations

import sys
import traceback

import pytest

from tests.records.feeding import exceptions, logged

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with Python 3.11")


def printed() -> str:
    """A group of two, one of which is a group that has a cause."""
    namespace: dict[str, object] = {}
    source = (
        "def fail(error):\n    try:\n        raise error\n    except BaseException as caught:\n"
        "        return caught\n"
        "def make():\n"
        "    inner = fail(ExceptionGroup('inner', [fail(KeyError(1)), ValueError('two\\nlines')]))\n"
        "    inner.__cause__ = fail(OSError('under'))\n"
        "    return fail(ExceptionGroup('outer', [fail(TypeError('first')), inner]))\n"
    )
    exec(source, namespace)
    group = namespace["make"]()  # type: ignore[operator]
    return "".join(traceback.format_exception(group)).rstrip("\n")


EXPECTED = [
    ("ExceptionGroup: outer (2 sub-exceptions)", None),
    ("TypeError: first", "group"),
    ("OSError: under", "group"),
    ("ExceptionGroup: inner (2 sub-exceptions)", "cause"),
    ("KeyError: 1", "group"),
    ("ValueError: two\nlines", "group"),
]


def links(text: str) -> list[tuple[str, str | None]]:
    return [(r.text, r.exception.link) for r in exceptions(text) if r.exception]


def test_a_printed_group_gives_every_exception_with_its_link() -> None:
    assert links(printed() + "\nnext") == EXPECTED
    assert len({r.exception.chain for r in exceptions(printed()) if r.exception}) == 1


@pytest.mark.parametrize("marks", [True, False])
def test_a_logged_group_gives_the_same(marks: bool) -> None:
    head = "(APIServer pid=1) ERROR 11-29 12:00:00 [a.py:1] "
    text = logged(head, "It failed.", *printed().split("\n"), marks=marks)
    assert links("INFO 11-29 12:00:00 [a.py:2] x\n" + text) == EXPECTED


def test_a_group_may_be_the_cause_of_what_follows() -> None:
    text = (
        printed()
        + "\n\nThe above exception was the direct cause of the following exception:\n\n"
        + 'Traceback (most recent call last):\n  File "/a.py", line 1, in f\nRuntimeError: end'
    )
    assert links(text) == [*EXPECTED, ("RuntimeError: end", "cause")]


def test_a_group_may_have_a_cause() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/a.py", line 1, in f\nOSError: begin'
        "\n\nThe above exception was the direct cause of the following exception:\n\n" + printed()
    )
    assert links(text) == [("OSError: begin", None), (EXPECTED[0][0], "cause"), *EXPECTED[1:]]
