"""Lines that a mail program, a chat or an editor broke at a blank before they reached a width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from diagnose.late import late
from diagnose.records.grammars import read_head
from diagnose.records.process import read_owner
from diagnose.records.shapes import exception_type
from diagnose.records.span import Span
from diagnose.records.transport import read_transport
from diagnose.repair.joints import Vocabulary, is_between_words, is_broken_off, is_dangling
from diagnose.repair.page import Page
from diagnose.repair.wrap import NARROWEST, NO_ROW, WIDEST, Unwrapped, begins_line, columns, joined

CLOSING = ")]}'\"`"
"""Signs that end what stands before them: no line begins with one, were it all of the line."""
COMPARISONS = ("=", "==", "!=", "<", ">", "<=", ">=")
"""Signs with something before them on every line; a rule between lines is longer."""
MANY = 6
"""So many rows that go on tell the width by themselves."""
_GOING_ON = 0.75
"""Share of the full rows that must go on before the width is beyond doubt: a long word begins a line now and then."""
_OTHERS = 2
_WIDER = 0.1
"""Rows, or a share of them, that can be wider: what was put around a text, and what a terminal wrote over."""
_SHOWN = 1 / 3
"""Share of the places where rows go on that must show it."""
_AT_ONE_WIDTH_AT_MOST = 0.5
"""Share of the rows that go on which have one width: a terminal breaks all of them at the same."""
_AT_ONE_WIDTH = 3
"""Rows of exactly one width that a terminal broke, and no mail program did."""

_PROMPT = late(r"Received request \S{1,120}: prompt: (?P<quote>['\"])")
MAX_PROMPT_ROWS = 400
"""Rows of one prompt."""


def rewrapped(page: Page, looks: Sequence[str], *, only_sure: bool = False) -> Iterator[Unwrapped]:
    """The page with rows joined by a blank where the first word of the next one would not have fitted. ``looks``: its
    rows without colours and escapes, which have a width and hide how a line begins. ``only_sure``: as for
    ``unwrapped``."""
    if len(page) < 2:
        return
    texts = list(looks)
    seen: set[tuple[bool, ...]] = set()
    for full in _ways([row.text for row in page]):
        for strict in (False,) if only_sure else (False, True):
            goes_on = _with_prompts(texts, full, _going_on(texts, full, strict=strict))
            sure = not strict and _is_sure(texts, full, goes_on)
            if any(goes_on) and tuple(goes_on) not in seen and (sure or not only_sure):
                seen.add(tuple(goes_on))
                yield _joined(page, goes_on, sure, sure or _is_told(texts, goes_on))


def is_word_wrapped(texts: Sequence[str]) -> bool:
    """Whether a width tells itself."""
    return any(_is_sure(texts, full, _going_on(texts, full, strict=False)) for full in _ways(texts))


def _ways(texts: Sequence[str]) -> Iterator[list[bool]]:
    """Which rows are full, by characters as mail programs count, and by cells where that is something else."""
    for measure in (len,) if all(map(str.isascii, texts)) else (len, columns):
        widths = [measure(text) for text in texts]
        for width in _candidates(texts, widths):
            yield _full(texts, widths, width, measure)


def _candidates(texts: Sequence[str], widths: Sequence[int]) -> list[int]:
    """The widest row that could have been broken, with and without the few that something else wrote; a word that is
    longer than the width stands whole on a row."""
    breakable = sorted(
        (width for text, width in zip(texts, widths, strict=True) if width <= NO_ROW and _is_breakable(text)),
        reverse=True,
    )
    if not breakable or max(widths) < NARROWEST:
        return []
    others = breakable[max(_OTHERS, int(_WIDER * len(breakable))) :] if len(breakable) >= 2 * MANY else []
    found = [max(width, NARROWEST) for width in (breakable[0], *others[:1])]
    return [width for width in dict.fromkeys(found) if width <= WIDEST]


def _is_breakable(text: str) -> bool:
    return " " in text.strip() and "\r" not in text[:-1]


def _full(
    texts: Sequence[str], widths: Sequence[int], width: int, measure: Callable[[str], int] = columns
) -> list[bool]:
    """For every row, whether the first word of the next one had no room on it."""
    flags = [False] * len(texts)
    for index in range(len(texts) - 1):
        following = texts[index + 1]
        if not texts[index].strip() or not following.strip() or following[0] in " \t":
            continue
        if (
            not any(map(str.isalnum, following))
            and following[0] not in CLOSING
            and following.strip() not in COMPARISONS
        ):
            continue
        if following[0] in "|+" and following.rstrip()[-1] in "|+":
            continue  # a row of a table
        word = following.split(maxsplit=1)[0]
        flags[index] = widths[index] + _lost_a_blank(texts[index]) + measure(word) > width
    return flags


def _going_on(texts: Sequence[str], full: Sequence[bool], *, strict: bool) -> list[bool]:
    return [
        flag and _goes_on(text, following, strict=strict)
        for flag, text, following in zip(full, texts, [*texts[1:], ""], strict=True)
    ]


def _with_prompts(texts: Sequence[str], full: Sequence[bool], goes_on: list[bool]) -> list[bool]:
    """``goes_on`` through a prompt up to where its literal ends: whatever stands in it begins no line, though it may
    look so."""
    index = 0
    while index < len(texts):
        opened = _PROMPT.search(texts[index])
        end = index if opened is None else _closed(texts, index, f"{opened['quote']},params:")
        if all(full[index:end]):
            goes_on[index:end] = [True] * (end - index)
        index = end + 1
    return goes_on


def _closed(texts: Sequence[str], first: int, mark: str) -> int:
    """The row in which ``mark`` stands, blanks aside; ``first`` where it does not within a prompt's rows."""
    said = ""
    for place in range(first, min(first + MAX_PROMPT_ROWS, len(texts))):
        said = said[-len(mark) :] + texts[place].replace(" ", "")
        if mark in said:
            return place
    return first


def _goes_on(text: str, following: str, *, strict: bool) -> bool:
    if not begins_line(following, f"{text} ", strict=strict) and read_head(following) is None:
        return True
    if strict or not is_dangling(text) or read_owner(following)[1]:
        return False
    return not (read_transport(following).end and read_transport(text).end)


def _is_sure(texts: Sequence[str], full: Sequence[bool], goes_on: Sequence[bool]) -> bool:
    proven = sum(
        flag and exception_type(following) is None for flag, following in zip(goes_on[:-1], texts[1:], strict=True)
    )
    widths = Counter(len(text) for flag, text in zip(goes_on, texts, strict=True) if flag)
    if proven < MANY or max(widths.values()) > _AT_ONE_WIDTH_AT_MOST * sum(goes_on):
        return False
    return sum(goes_on) >= _GOING_ON * sum(full) and _is_told(texts, goes_on)


def _is_told(texts: Sequence[str], goes_on: Sequence[bool]) -> bool:
    """Whether the places where rows go on show it: of the second line of a message some begin so by chance."""
    places = [index for index, flag in enumerate(goes_on) if flag]
    shown = sum(is_broken_off(texts[index], texts[index + 1]) for index in places)
    return shown >= _SHOWN * len(places)


def broken_at_blanks(texts: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Whether rows that could be joined either way lost a blank rather than were cut in mid word: by how the rows of
    the greatest width go on, how many are of it, and how many narrower ones go on too."""
    widths = [columns(text) for text in texts]
    width = max(widths, default=0)
    at_width = [i for i in range(len(texts) - 1) if widths[i] == width and texts[i + 1].strip()]
    at_width = [i for i in at_width if not begins_line(texts[i + 1], texts[i], strict=False)]
    candidates = _candidates(texts, widths)
    if not at_width or not candidates:
        return bool(candidates)
    going_on = _going_on(texts, _full(texts, widths, candidates[0]), strict=True)
    narrower = sum(
        flag and widths[i] < width and is_between_words(texts[i], texts[i + 1], vocabulary)
        for i, flag in enumerate(going_on)
    )
    clean = sum(1 if is_between_words(texts[i], texts[i + 1], vocabulary) else -1 for i in at_width)
    return clean + narrower - (len(at_width) >= _AT_ONE_WIDTH) * len(at_width) > 0


def _lost_a_blank(text: str) -> bool:
    """A blank was where the row ends, unless it was kept there, as text that flows (RFC 3676) keeps it."""
    return not text.endswith(" ") or text.endswith("  ")


def _joined(page: Page, goes_on: Sequence[bool], sure: bool, told: bool) -> Unwrapped:
    """As ``joined``, with the blank that was lost where a row goes on."""
    rows = [
        Span(f"{row.text} ", row.marks) if flag and _lost_a_blank(row.text) else row
        for row, flag in zip(page, goes_on, strict=True)
    ]
    return joined(rows, goes_on, sure, told)
