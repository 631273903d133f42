"""Every case that log shippers stumble over has a test of its name here, and runs with file events and without."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

CASES = dict(
    enumerate(
        (
            # rotation
            "a renamed file is still written to",
            "a rename in the middle of a traceback",
            "five renames between two looks",
            "copytruncate, the writer appends",
            "copytruncate, the writer leaves a hole",
            "rewritten longer between two looks",
            "rewritten to the same size",
            "truncated and never written again",
            "deleted and created again",
            "an inode is used again",
            "a symlink is switched",
            "the folder is renamed and made again",
            "replaced by a rename over it",
            "the rotated file is compressed",
            "two files that begin alike",
            "patterns: files come and go",
            # bytes and lines
            "a line in two writes",
            "a last line without its end",
            "line ends of all kinds",
            "a syllable in two reads",
            "other encodings",
            "NUL bytes, colours cut between reads",
            "lines of megabytes",
            "a burst",
            "empty files, files that appear later",
            "one line a million times",
            # many lines, many processes
            "two tracebacks interleaved",
            "carets, notes, chained causes",
            "an event that is never closed",
            "an event beyond every bound",
            "one failure printed by every process",
            # restart and crash
            "stop and start",
            "killed at every step",
            "killed in the middle of an event",
            "rotated while down",
            "copytruncate while down",
            "a damaged checkpoint",
            "the first start on an old log",
            "the clock jumps",
            "a store that is locked, full, deleted",
            "two daemons on one log",
            "the knowledge base is reloaded",
            "a store of an older schema",
            # operating system
            "lost file events",
            "no file events left",
            "a network file system",
            "permission taken and given back",
            "pipes and FIFOs",
            "a pipe that ends without a line end",
            "a thousand rotations",
            "one busy file among many",
            "idle",
            # alerts
            "one incident for minutes",
            "an incident after a recovery",
            "a service that is down or slow",
            "a crash between sending and noting it",
            "a secret in the log",
            # equivalence
            "any way in gives one diagnosis",
            "the order of processes",
            "a healthy server",
        ),
        start=1,
    )
)
ONE_WAY = {
    44: "is about the events themselves: its observer loses half of them, or all",
    45: "is about having none",
}
"""Cases that are the same test with events and without."""
FILES = sorted(Path(__file__).parent.glob("test_*.py"))


def _tests() -> dict[int, list[set[str]]]:
    """Number → the arguments of its tests."""
    found: dict[int, list[set[str]]] = {}
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and (number := re.match(r"test_(\d\d)[a-z]?_", node.name)):
                found.setdefault(int(number[1]), []).append({a.arg for a in node.args.args})
    return found


@pytest.mark.parametrize("number", CASES, ids=lambda n: f"{n:02}-{CASES[n].replace(' ', '-')}")
def test_every_case_has_its_test_with_events_and_without(number: int) -> None:
    tests = _tests().get(number, [])
    assert tests, CASES[number]
    assert number in ONE_WAY or any(arguments & {"rig", "events"} for arguments in tests), CASES[number]


def test_no_test_has_the_number_of_a_case_there_is_not() -> None:
    assert len(CASES) == 60
    assert set(_tests()) == set(CASES)
