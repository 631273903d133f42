"""Names of several programs before the lines of one text, in forms that only the whole text shows.

Shapes: stern's ``pod container ``, concurrently's ``[name] ``, ``name | `` of honcho, foreman, overmind, pm2 and
podman, also behind a clock, ``node: `` of pdsh, clush and dsh, ``file:`` and ``file:12:`` of grep over several files,
a time and a name; the lines ``==> file <==`` of tail and ``host | CHANGED | rc=0 >>`` of ansible over what each said.
They are written as ``kubectl logs --prefix`` would, which the records read.

One such line proves nothing: a logger, a level and a sentence begin so too. It is a name where nearly all lines have
the shape, the names are few and come again, and behind at least two of them lines of a log begin.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from diagnose.late import late
from diagnose.records.grammars import vllm_head
from diagnose.records.process import read_owner
from diagnose.records.span import Span
from diagnose.records.terminal import strip_colours
from diagnose.records.transport import read_transport
from diagnose.repair.page import Page, replaced

NEARLY_ALL = 0.95
"""Share of the lines that must have the shape, with a name that comes again."""
LEAST_LINES = 6
AGAIN = 3
"""Lines with one name before it is a name."""
SPEAKS = 2
"""Lines of a log that must begin behind a name."""
MOST_NAMES = 64
LOOKED_AT = 40
"""Lines whose beginnings tell that a text has no such shape."""

_LEVEL = r"(?:(?i:trace|debug|info|notice|success|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal)(?![\w-]))"
_TIME = (
    r"(?P<time>\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?\]? "
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )"
)
_KUBE = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_FORMS: Sequence[re.Pattern[str]] = (
    late(rf"{_TIME}?(?P<name>(?=\S*-){_KUBE} {_KUBE})(?: |$)"),
    late(rf"{_TIME}?\[(?P<name>(?!{_LEVEL}|rank\d+\])[A-Za-z0-9][\w./@:-]{{0,79}})\](?: |$)"),
    late(rf"{_TIME}?(?P<name>(?!{_LEVEL})(?:\d{{1,4}}\|)?[A-Za-z][\w./@:-]{{0,79}}) {{0,40}}[|│](?: |$)"),
    late(rf"{_TIME}?(?P<name>(?!{_LEVEL})[A-Za-z0-9][\w.@-]{{0,79}}):(?: |$)"),
    late(rf"(?P<name>(?!{_LEVEL}|[\d:-]+[:-])[\w./@+-]{{1,200}}?):(?:\d{{1,7}}:)?"),
    # with the lines around those that were looked for
    late(r"(?P<name>[\w./@+-]{1,200}?\.[a-z]{1,8}(?:\.\d{1,3})?)[:-](?:\d{1,7}[:-])?"),
    late(rf"{_TIME}(?P<name>(?!{_LEVEL})[A-Za-z][\w./@-]{{0,79}}) "),
)
_OVER: Sequence[re.Pattern[str]] = (
    late(r"==> (?P<name>\S.{0,250}) <==\Z"),
    late(r"(?P<name>[\w.@-]{1,120}) \| (?:CHANGED|SUCCESS|FAILED)(?: \| rc=-?\d{1,5} >>|! => \{)\Z"),
)
"""A line over what one said."""
_BETWEEN = "--"
"""What grep puts between parts."""

_ENDING = late(r"(?:\.(?:log|txt|out|err|stdout|stderr|gz|zst|\d{1,3})|[-_.](?:stdout|stderr|out|err|error|output))\Z")
_DAY = late(r"[-_.]?\d{4}[-_.]?\d\d[-_.]?\d\d(?!\d)")
_NO_NAME = frozenset({"stdout", "stderr", "out", "err", "error", "output", "console"})
_DATED = late(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")


def speakers(page: Page) -> Page | None:
    """``page`` with the names of its programs before the lines as the records know them; without, where all the names
    are those of one; None where it has no such shape."""
    filled = [row for row in page if row.text.strip()]
    if len(filled) < LEAST_LINES:
        return None
    if any(row.text.endswith((" <==", " >>", "! => {")) for row in filled[:LOOKED_AT]):
        return _below(page)
    if not _can_be(filled[:LOOKED_AT]):
        return None
    bare = [replaced(row, strip_colours) for row in page]
    for form in _FORMS:
        found = [form.match(row.text) for row in bare]
        whose = _names([one and one["name"] for one in found], [row.text for row in bare])
        if whose is None:
            continue
        rests = [row.drop(one.end()) if one is not None else row for one, row in zip(found, bare, strict=True)]
        if not _speak(whose, rests):
            continue
        known = sum(_is_known(one, row.text) for one, row in zip(found, bare, strict=True))
        # the records know some of stern's names, but not those of a StatefulSet
        most = NEARLY_ALL if form is _FORMS[0] else 1 - NEARLY_ALL
        return None if known > most * len(filled) else _with(whose, rests)
    return None


def _can_be(rows: Sequence[Span]) -> bool:
    """Whether the beginnings leave room for names: those of most logs do not, and cost no more than this look."""
    plain = 0
    for row in rows:
        text = strip_colours(row.text) if row.text[:1] in "\x1b" else row.text
        plain += not (text[:1].isalnum() or text[:1] == "[") or vllm_head(text) is not None
    return plain <= (1 - NEARLY_ALL) * len(rows)


def _names(found: Sequence[str | None], texts: Sequence[str]) -> list[str] | None:
    """Whose every line is, "" of one without a name; None where they are too few or too many to be names."""
    filled = sum(bool(text.strip()) and text != _BETWEEN for text in texts)
    said = Counter(name for name in found if name is not None)
    again = {name for name, lines in said.items() if lines >= AGAIN}
    if not 2 <= len(again) <= MOST_NAMES or sum(said[name] for name in again) < NEARLY_ALL * filled:
        return None
    return [program_of(name) if name is not None else "" for name in found]


def _speak(whose: Sequence[str], rests: Page) -> bool:
    """Whether lines of a log begin behind the names: of two programs, or of the one that all of them are."""
    spoken = Counter(name for name, rest in zip(whose, rests, strict=True) if begins(rest.text))
    return sum(lines >= SPEAKS for lines in spoken.values()) >= min(2, len({*whose} - {""}) or 1)


def begins(text: str) -> bool:
    """Whether a server wrote what begins there: a process of vLLM, its logger, or one with a date."""
    carried = read_transport(text).end
    return read_owner(text)[1] > 0 or vllm_head(text) is not None or carried > 0 or _DATED.match(text) is not None


def _is_known(found: re.Match[str] | None, text: str) -> bool:
    """Whether the records know whose a line is, or what is taken for a name is a part of a logger's head."""
    if read_transport(text).origin:
        return True
    behind = (found.groupdict().get("time") or "") if found is not None else ""
    rest = text[len(behind) :]
    return read_owner(rest)[1] > 0 or vllm_head(rest) is not None


def _below(page: Page) -> Page | None:
    """The same for names that stand over what each said."""
    for form in _OVER:
        found = [form.match(row.text) for row in page]
        name, whose = "", []
        for one in found:
            name = program_of(one["name"]) if one is not None else name
            whose.append(name if one is None else "")
        rests = [row if one is None else row.drop(len(row.text)) for one, row in zip(found, page, strict=True)]
        if len({one["name"] for one in found if one is not None}) > 1 and _speak(whose, rests):
            return _with(whose, rests)
    return None


def _with(whose: Sequence[str], rests: Page) -> Page:
    """Names before the rows as ``kubectl logs --prefix`` writes them, where they are several."""
    several = len({*whose} - {""}) > 1
    return [
        behind(f"[pod/{name}] ", rest) if several and name and rest.text.strip() else rest
        for name, rest in zip(whose, rests, strict=True)
    ]


def behind(before: str, row: Span) -> Span:
    """``row`` with ``before`` ahead of it."""
    marks = (replace(mark, start=mark.start + len(before)) for mark in row.marks[1:])
    return Span(before + row.text, (row.marks[0], *marks))


def program_of(name: str) -> str:
    """What is the same in the names of all files one program writes: not the ending, the day or the number of a file,
    nor which of its two streams it is."""
    name = " ".join(name.split())
    if "/" not in name and "." not in name and name not in _NO_NAME:
        return name
    folder, slash, last = name.rpartition("/")
    while (found := _ENDING.search(last)) is not None:
        last = last[: found.start()]
    last = _DAY.sub("", last)
    return folder + slash + ("" if last in _NO_NAME else last)
