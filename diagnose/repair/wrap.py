"""Lines that a terminal broke at its width, in mid word."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from diagnose.late import late
from diagnose.records.grammars import read_head
from diagnose.records.process import read_owner
from diagnose.records.shapes import SEPARATORS, begins_traceback, exception_type
from diagnose.records.span import Span, join
from diagnose.records.transport import read_transport
from diagnose.repair.flow import OF_VLLM
from diagnose.repair.page import Page

NARROWEST = 38
WIDEST = 420
"""Widths a terminal has."""
MANY = 3
"""So many lines of full width that go on tell the width by themselves."""
_GOING_ON = 0.85
"""Share of the lines of full width that must go on before the width is beyond doubt."""
NO_ROW = 20 * WIDEST
"""A wider line was broken by nobody, and says nothing about the others."""
_WIDER = 0.1
"""Largest share of lines that are wider: what was typed around a paste."""

BEGINS = late(
    r"""
      \((?:[A-Za-z][\w\ =/.-]{0,40}\ )?pid=\d+ | \[rank\d+\]:
    | (?:\[vllm-rbln\]\ )?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\ \d\d(?:\d\d)?-\d\d[- ]
    | (?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[ \t]+\S
    | ["\[]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d | "?\d{13}(?:\d{6})?"?, | "\{"" | \[\d{1,6}\]\ [\w.*/-]+:\ \[
    | (?:SYSLOG_|PRIORITY|MESSAGE|_{1,2}(?:AUDIT|BOOT|CAP|CMDLINE|COMM|CURSOR|EXE|GID|HOSTNAME|KERNEL|LINE|MACHINE
      |MONOTONIC|NAMESPACE|PID|REALTIME|RUNTIME|SELINUX|SEQNUM|SOURCE|STREAM|SYSTEMD|TRANSPORT|UDEV|UID))[A-Z_]*=
    | \ {2,}"[\w./-]{1,60}":\  | \ {2,}[\]}],?
    | [IWEF]\d{4}\ \d\d:\d\d: | [A-Z][a-z]{2}\ [ \d]\d\ \d\d:\d\d:\d\d\ \S
    | (?:Exception\ Group\ )?Traceback\ \(most | \ +File\ " | \{"(?:[A-Z_]{6,}
      |log|event|labels|line|timestamp|TimeGenerated|insertId|textPayload|stream|severity|_source|@timestamp)": | \[pod/
    | (?:[\w.@-]+-\d+|[\w.@-]+\ )\ +\|\  | \#\#\[ | section_(?:start|end): | Process\ \w[\w:.-]*:\s*$
    | \$\ | \S+@\S+[:~].*[$#]\  | (?:srun|slurmstepd|make|ninja|bash|sh|docker)[\w\[\]]*:\ 
    | Aborted\b | Segmentation\ fault | Killed\b | [=\-_!]{4,} | FAILED\  | PASSED\  | [Ee]xit(?:ed|ing)?\b
    | py\d{1,4}[\w.-]{0,40}:\ (?:commands|exit|OK|FAIL)\b | [╭╰┌└│┃] | b["']
    | \d{1,2}:\d\d(?::\d\d)?\b | \d+\ of\ \d | usage:\  | `{3} | ~{3} | \[Pipeline\]\  | terminate\ called
    """,
    re.VERBOSE,
)
"""How a line of a log begins: never the second half of a broken one."""


_IN_WORD = late(r"[A-Za-z0-9_][a-z0-9_]")
_SAME_WORD = late(r"[A-Za-z][a-z]|[0-9][0-9]")
_BROKEN_OFF = late(r"""[\w\s(\[{,=/'"<_+*%@&|~-](?:[\w)\](}{,='"./:;%> -]|$)|[^\w\s](?:[a-z0-9)\],.;: ])""")
"""Last character of a line and first of the next: a sentence does not end between them."""


_ASCII = late(r"[\x00-\x7f]+")
_BARS = "|+│┃║╭╮╰╯┌┐└┘"
_RULES = ("====", "----", "____")
"""How a line across the page ends, with a title in it as pytest draws it."""
_LEAD = late(
    r"(?P<quote> {0,3}>)|(?P<number> *\d{1,7}[\t :|│.)-])|(?P<blanks>[ \t]{2,})"
    r"|(?P<time>(?:#\d{1,4} |[\[(+<] *)?\d+[.:][\d.:]*\d(?:[a-zµ]{1,3})?[\])>]? )|(?P<bar>[\w.-]{1,40} {0,3}[|│┃] )"
    r"|(?P<raised>E {3,}\S)|(?P<item>[-*•+] )|(?P<object>\{ ?\"[\w@.-]{1,40}\" ?:)"
)
_FRAME_END = late(r"[0-9], in <?[A-Za-z_]\w{0,80}>?\Z")
_IN_TEXT = late(r"(?:Exception Group )?Traceback \(most|  File \"|\d{1,7} ")
_BEGINS_WORK = late(
    r"[A-Z][\w ]{3,60}(?: \([^()]{1,40}\))?(?:: {1,3}| {2,})(?:\d{1,3}%)?(?:\||[█▏▎▍▌▋▊▉]{2})| {0,3}\d{1,3}%\|"
    r"|(?:/|<)[^\s:]{0,300}:\d{1,6}: [A-Z]\w{0,60}Warning: "
)
"""A progress bar and a warning of Python: begun by whatever wrote them, without a logger."""
_IN_A_PATH = late(r"/[\w.-]*\Z")
_IN_SENTENCE = late(r"[Ee]xit(?:ed|ing)?\b|Killed\b|Aborted\b|\d+ of \d")
_IN_CLOCK = late(r"(?:\A|\s)[012]\Z")
_CLOCK = late(r"[0-9]:[0-5][0-9]:")
_GOES_ON = late(r" [a-z0-9]")
"""How no line of a log begins."""
_TASK = late(r" {0,3}\d{1,4}: ")
_IN_NAME = late(r"[A-Za-z_]\.?\Z")


class Unwrapped(NamedTuple):
    page: Page
    sure: bool
    """True when the width tells itself."""
    told: bool
    """True when at least nothing speaks against it: several lines were joined, or all of the page in mid word."""
    joined: frozenset[int]
    """Lines of the input that are the rest of the line before."""


def begins_line(text: str, before: str, *, strict: bool = True) -> bool:
    """Whether a row is the beginning of a line. ``before``: the row before it. Not ``strict``: the type of an
    exception can be the second half of a dotted or a longer name, and a line broken at a blank, or in a time of day,
    can go on as a traceback does."""
    if not strict and (_is_broken_in_text(before, text) or (_IN_CLOCK.search(before) and _CLOCK.match(text))):
        return False
    if OF_VLLM.match(text) is not None or BEGINS.match(text, 0, WIDEST) is not None:
        return True
    if text.strip() in SEPARATORS or _is_carried(text, before):
        return True
    if _BEGINS_WORK.match(text) is not None and _IN_A_PATH.search(before) is None and not is_prefix(before):
        return True
    if _same_lead(before, text):
        return True
    return exception_type(text) is not None and (strict or _IN_NAME.search(before) is None)


def _is_carried(text: str, before: str) -> bool:
    """Whether a transport begins the row. A number and a colon can be the rest of a sentence as well as the task of
    ``srun``: they count where the row before has them too, or a line begins behind them."""
    end = read_transport(text).end
    if not end or _TASK.match(text) is None or _TASK.match(before) is not None:
        return end > 0
    return BEGINS.match(text, end, WIDEST) is not None or exception_type(text[end:]) is not None


def _is_broken_in_text(before: str, text: str) -> bool:
    """Whether the row ends in a blank and what follows can stand in mid line as well."""
    if not before.endswith(" ") or before.isspace():
        return False
    if begins_traceback(text):
        return is_prefix(before)
    if _IN_TEXT.match(text) is not None or exception_type(text) is not None:
        return True
    return (before.rstrip()[-1].isalnum() or before.rstrip().endswith(")")) and _IN_SENTENCE.match(text) is not None


def is_prefix(text: str) -> bool:
    """Whether a row is no more than what a transport, a process and a logger put before a message."""
    text = f"{text.rstrip()} "
    start = read_transport(text).end
    start = max(start, read_owner(text, start)[1])
    head = read_head(text[start:])
    return not text[start + (0 if head is None else head.start) :].strip()


def _same_lead(before: str, text: str) -> bool:
    """Whether what stands before every line stands before this one too: numbers do not fall, and objects begin with
    the same key."""
    first, second = _LEAD.match(before), _LEAD.match(text)
    if first is None or second is None or first.lastgroup != second.lastgroup:
        return False
    if second["object"] is not None:
        return first["object"] == second["object"]
    if second["number"] is None:
        return True
    return first["number"][-1] == second["number"][-1] and int(first["number"][:-1]) <= int(second["number"][:-1])


def columns(text: str) -> int:
    """Cells a terminal needs for ``text``: two for a Hangul syllable, none for a combining mark."""
    if text.isascii():
        return len(text)
    return len(text) + sum(map(_beyond_one, _ASCII.sub("", text)))


@lru_cache(maxsize=4096)
def _beyond_one(character: str) -> int:
    """Cells ``character`` takes more than one; cached, for a progress bar is made of few characters."""
    if unicodedata.combining(character):
        return -1
    return int(unicodedata.east_asian_width(character) in "WF")


def is_wrapped(texts: Sequence[str]) -> bool:
    """Whether a width tells itself: all lines of the page, without looking at anything else."""
    widths = _widths(texts, columns)
    return any(
        _is_sure(texts, widths, width, _going_on(texts, widths, width, columns, strict=False))
        for width in _candidates(widths)
    )


def _widths(texts: Sequence[str], measure: Callable[[str], int]) -> list[int]:
    """Widths of the rows; none of a line that was drawn across the page."""
    return [0 if text.endswith(_RULES) else measure(text) for text in texts]


def unwrapped(page: Page, *, only_sure: bool = False) -> Iterator[Unwrapped]:
    """The ways to read the page as broken at a width, most likely first; none when nothing looks so. ``only_sure``:
    none but those whose width tells itself."""
    if len(page) < 2:
        return
    seen: set[tuple[int, ...]] = set()
    texts = [row.text for row in page]
    ascii_only = all(map(str.isascii, texts))
    for measure in (columns,) if ascii_only else (columns, len):
        widths = _widths(texts, measure)
        for width, strict in itertools.product(_candidates(widths), (False,) if only_sure else (False, True)):
            goes_on = _going_on(texts, widths, width, measure, strict=strict)
            key = tuple(index for index, flag in enumerate(goes_on) if flag)
            sure = not strict and _is_sure(texts, widths, width, goes_on)
            if key and key not in seen and (sure or not only_sure):
                seen.add(key)
                yield joined(page, goes_on, sure, _is_told(page, goes_on))
                if not only_sure:
                    yield from _but_one(page, goes_on, seen)


def _but_one(page: Page, goes_on: list[bool], seen: set[tuple[int, ...]]) -> Iterator[Unwrapped]:
    """Of a few lines of full width, one can be so by chance and end there."""
    places = [index for index, flag in enumerate(goes_on) if flag]
    if not 1 < len(places) <= MANY:
        return
    for left_out in places:
        flags = [flag and index != left_out for index, flag in enumerate(goes_on)]
        seen.add(tuple(index for index in places if index != left_out))
        yield joined(page, flags, False, True)


def _candidates(widths: list[int]) -> list[int]:
    filled = [width for width in widths if 0 < width <= NO_ROW]
    if not filled:
        return []
    common = [w for w, count in Counter(filled).most_common(3) if count >= MANY]
    found = [max(filled), *common]
    wider = len(filled) * _WIDER
    return [
        width
        for width in dict.fromkeys(found)
        if NARROWEST <= width <= WIDEST and sum(other > width for other in filled) <= wider
    ]


def _going_on(
    texts: Sequence[str], widths: list[int], width: int, measure: Callable[[str], int], *, strict: bool
) -> list[bool]:
    """For every row, whether the next one is the rest of it."""
    flags = [False] * len(texts)
    for index in range(len(texts) - 1):
        if not width - 1 <= widths[index] <= width:
            continue
        text, following = texts[index], texts[index + 1]
        if not following.strip() or text.endswith("\r"):
            continue
        if following.startswith("    ") and _FRAME_END.search(text):
            continue  # the source line under a frame
        if text[0] in _BARS and text[-1] in _BARS:
            continue  # a row of a table or of a box: all are of one width
        # a character of two cells that did not fit leaves one cell empty
        full = widths[index] == width or measure(following[0]) == 2
        flags[index] = full and any(map(str.isalnum, text)) and not begins_line(following, text, strict=strict)
    return flags


def _is_sure(texts: Sequence[str], widths: list[int], width: int, goes_on: list[bool]) -> bool:
    """Whether the width tells itself: by lines that go on in words no line begins with. The type of an exception can
    be the rest of a longer name, but three restarts that failed alike look so too."""
    proven = sum(
        flag and exception_type(following) is None for flag, following in zip(goes_on[:-1], texts[1:], strict=True)
    )
    count = sum(goes_on)
    full = sum(w == width and any(map(str.isalnum, text)) for w, text in zip(widths[:-1], texts[:-1], strict=True))
    return proven >= MANY and count >= _GOING_ON * full


def _is_told(page: Page, goes_on: list[bool]) -> bool:
    if sum(goes_on) > 1:
        return True
    index = goes_on.index(True)
    filled = sum(bool(row.text.strip()) for row in page)
    text, following = page[index].text, page[index + 1].text
    if _IN_WORD.match(text[-1:] + following[:1]) is not None or _GOES_ON.match(following) or text.endswith(", "):
        return True
    if filled != 2 or following.startswith("  "):
        return False
    return _BROKEN_OFF.match(text[-1:] + following[:1]) is not None


def joined(page: Page, goes_on: Sequence[bool], sure: bool, told: bool) -> Unwrapped:
    """The page with every row that goes on and the next one as one row."""
    out: Page = []
    open_: list[Span] = []
    rest: set[int] = set()
    for row, flag in zip(page, goes_on, strict=True):
        if open_:
            rest.add(row.marks[0].line)
        open_.append(row)
        if not flag:
            out.append(join(open_) if len(open_) > 1 else row)
            open_ = []
    return Unwrapped(out, sure, told, frozenset(rest))
