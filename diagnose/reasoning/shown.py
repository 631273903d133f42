"""Rows of a text that show what somebody else wrote: a printed document, a diff, a model's answer, a passed test.

Every mark has words that must be in the text for its pattern to be made at all: most logs have none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from diagnose.late import late

MOST_PROMPTS = 64
"""Prompts behind a command that are looked at for its end: an open fence may hold examples of commands."""

_STAMP = late(r"\d{4}-\d\d-\d\dT[\d:.]+Z ?")
"""What GitHub puts before every line of a job's log."""
_PROMPT = late(
    r"(?P<sign>\$|\+|\#\#\[group\]Run|\S+@\S+[:~][^$#]{0,80}[$#]|\([\w.-]+\)\s\S+@[^$#]{0,80}[$#])\s(?P<command>\S.*)"
)
_SHOWING = ("cat", "less", "more", "head", "tail", "sed", "bat", "type", "gh", "git", "curl", "grep", "zgrep", "rg")
_SIGNS = tuple(f"{sign} {word} " for sign in ("$", "+", "#", "Run") for word in _SHOWING)
_DOCUMENT = late(
    r"(?:cat|less|more|head|tail|sed|bat|type|z?grep|rg)\s(?:.*[\s/])?(?:\S*(?:\.(?:md|rst|adoc|mdx)\b|issue|readme"
    r"|troubleshoot|changelog|faq)|docs?(?:/|$))"
    r"|gh\s+(?:issue|pr|release)\s+(?:view|list)\b|git\s+(?:\S+\s+)?(?:show|diff|log)\b|curl\s.*/issues/\d",
    re.IGNORECASE,
)
_SEARCH = late(r"(?:z?grep|rg)\s")
_RUNS = late(r"(?:\w+=\S+\s+)*(?:python\S*|vllm|torchrun|optimum-\S+|pytest|make|bash|sh|\./\S+)(?:\s|$)")
_SEVERAL = late(r"&&|\|\||;")
_HARMLESS = late(r"\s*(?:echo|cd|true|:|shell:|env:|\s\s\S+:|\Z)")
_FENCE = late(r"\s{0,3}(?:`{3,}|~{3,})")
_DIFF = late(r"diff --git a/\S+ b/")
_OF_A_DIFF = late(
    r"[ +\-\\]|@@ |index [0-9a-f]|(?:new|deleted) file mode|(?:old|new) mode|similarity |rename |copy |Binary files "
    r"|diff --git "
)
_TEST = late(r"\S+\.py::\S+(?:\s|$)")
_TEST_ENDS = late(r"(?:\S+\.py::\S+\s+)?(?P<how>PASSED|XFAIL|XPASS|SKIPPED|FAILED|ERROR)\b")
_GTEST = late(r"\[ RUN {6}\] ")
_GTEST_ENDS = late(r"\[ {2,7}(?P<how>OK|FAILED|SKIPPED) {1,2}\]")
_WELL = frozenset({"PASSED", "XFAIL", "OK"})
_EXAMPLE = "Failed example:"
_EXPECTED = ("Expected:", "Got:", "Got nothing")
"""What doctest prints the text of a docstring between."""
_COMPARED = late(r"E {5,}[-+?] ")
"""A row of the two texts that pytest compares below an assertion."""
_SPEAKERS = ("ssistant", "AI", "ot", "ChatGPT", "laude", "emini")
_ANSWER = late(r"(?:assistant|ai|bot|chatgpt|claude|gemini)\s*[:：]", re.IGNORECASE)
_ASKS = late(r"(?:user|human|you|me)\s*[:：]", re.IGNORECASE)
_LABELS = ("HEAD is now at", "_TITLE", "_BODY", "_MESSAGE", "_DESCRIPTION", '"choices"')
_LABELLED = late(
    r"\s*(?:HEAD is now at [0-9a-f]{7}|(?:PR|MR|ISSUE|COMMIT|CI_COMMIT|CI_MERGE_REQUEST|GITHUB)_\w*"
    r"(?:TITLE|BODY|MESSAGE|DESCRIPTION)\w*\s*[:=])"
    r"|(?:data: )?\{(?=[^\n]*\"choices\":\s?\[)(?=[^\n]*\"content\":)"
)


def rows_of(text: str) -> tuple[str, ...]:
    """Rows of a text without the time a CI service puts before them."""
    rows = text.split("\n")
    return tuple(_STAMP.sub("", row, count=1) for row in rows) if _STAMP.match(text) else tuple(rows)


def regions(text: str, rows: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """First and last row, from 0, of what is shown; whether it was found by a search before a program was started."""
    if any(sign in text for sign in _SIGNS):
        yield from _printed(rows)
    if "diff --git" in text:
        yield from ((first, last, False) for first, last in _diffs(rows))
    if any(name + mark in text for name in _SPEAKERS for mark in ":："):
        yield from ((first, last, False) for first, last in _answers(rows))


def vouched(text: str, rows: Sequence[str]) -> Iterator[range]:
    """Rows, from 0, of tests that ended as they should or hold what was expected, and rows whose label says what they
    quote."""
    for sign, begins, ends in ((".py::", _TEST, _TEST_ENDS), ("[ RUN  ", _GTEST, _GTEST_ENDS)):
        if sign in text:
            yield from _tests(rows, begins, ends)
    if _EXAMPLE in text:
        yield from _expected(rows)
    for signs, pattern in ((("E    ",), _COMPARED), (_LABELS, _LABELLED)):
        if any(sign in text for sign in signs):
            yield from (range(i, i + 1) for i, row in enumerate(rows) if pattern.match(row))


def _printed(rows: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    prompts: list[tuple[int, str, str, bool]] = []
    fenced = False
    for i, row in enumerate(rows):
        fenced ^= _FENCE.match(row) is not None
        found = _PROMPT.match(row)
        if found is not None:
            prompts.append((i, found["sign"][-1:], found["command"], fenced))
    last_run = max((i for i, _, command, _ in prompts if _RUNS.match(command)), default=-1)
    for number, (at, sign, command, inside) in enumerate(prompts):
        search = _SEARCH.match(command) is not None
        if not (search and last_run > at) and not _only_shows(rows, at, sign, command):
            continue
        later = (
            i for i, other, _, f in prompts[number + 1 : number + 1 + MOST_PROMPTS] if other == sign and f == inside
        )
        end = next(later, None)
        if end is not None:
            yield at, end - 1, search


def _only_shows(rows: Sequence[str], at: int, sign: str, command: str) -> bool:
    """Whether everything a prompt was given prints what somebody wrote."""
    commands = _SEVERAL.split(command)
    if sign == "n":  # of a step of several lines its first one is the title
        script: list[str] = []
        for row in rows[at + 1 :]:
            if row.startswith("##["):
                break
            script.append(row)
        commands += [part for row in script for part in _SEVERAL.split(row)]
    shown = [one for one in commands if not _HARMLESS.match(one)]
    return bool(shown) and all(_DOCUMENT.match(one.strip()) for one in shown)


def _diffs(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    first = None
    for i, row in enumerate((*rows, "end")):
        if first is None:
            first = i if _DIFF.match(row) else None
        elif row and not _OF_A_DIFF.match(row):
            yield first, i - 1
            first = None


def _answers(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """What a model said, between two speakers: what a person said may be the log they ask about."""
    first = None
    for i, row in enumerate(rows):
        if _ANSWER.match(row):
            first = i
        elif first is not None and _ASKS.match(row):
            yield first, i - 1
            first = None


def _tests(rows: Sequence[str], begins: re.Pattern[str], ends: re.Pattern[str]) -> Iterator[range]:
    first = None
    for i, row in enumerate(rows):
        if begins.match(row):
            first = i
        over = ends.match(row)
        if over is not None and first is not None:
            if over["how"] in _WELL:
                yield range(first, i + 1)
            first = None


def _expected(rows: Sequence[str]) -> Iterator[range]:
    """What a docstring says that an example prints: it did not."""
    first = None
    example = False
    for i, row in enumerate(rows):
        example |= row.startswith(_EXAMPLE)
        if example and row.startswith(_EXPECTED[0]):
            first = i
        elif first is not None and row.startswith(_EXPECTED[1:]):
            yield range(first, i)
            first, example = None, False
