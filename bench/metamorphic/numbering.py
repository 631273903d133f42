"""Viewers that put the number of a line before it: one small function each.

Forms: ``cat -n``, ``less -N``, ``nl`` with its tab and with blanks, GitHub's page, ``grep -n``, bat with its box and
without, and what people, chats and assistants write: ``12: ``, ``0012: ``, ``L12: ``, ``12 | ``, ``[12] ``.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from bench.metamorphic.lines import per_line

Change = Callable[[str, Random], str]
_WIDTH = 60
"""Columns of bat's box."""


def cat_n(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{n:6d}\t{line}")


def less_n(text: str, r: Random) -> str:
    first = r.randrange(1, 4000)
    return per_line(text, lambda n, line: f"{n + first:7d} {line}")


def nl(text: str, r: Random) -> str:
    count = iter(range(1, 1_000_000))
    return per_line(text, lambda _, line: f"{next(count):6d}\t{line}" if line else "       ")


def nl_blanks(text: str, r: Random) -> str:
    count = iter(range(1, 1_000_000))
    return per_line(text, lambda _, line: f"{next(count):6d}  {line}" if line else "        ")


def nl_all(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{n:6d}  {line}")


def page_numbers(text: str, r: Random) -> str:
    """GitHub's view of a file, copied."""
    first = r.randrange(1, 900)
    return per_line(text, lambda n, line: f"{n + first}\t{line}")


def grep_n(text: str, r: Random) -> str:
    first = r.randrange(1, 9000)
    return per_line(text, lambda n, line: f"{n + first}:{line}")


def bat(text: str, r: Random) -> str:
    rule = "─" * _WIDTH
    body = per_line(text, lambda n, line: f"{n:4d}   │ {line}")
    return f"{'─' * 7}┬{rule}\n       │ File: chat.log\n{'─' * 7}┼{rule}\n{body}{'─' * 7}┴{rule}\n"


def bat_lines(text: str, r: Random) -> str:
    first = r.randrange(900)
    return per_line(text, lambda n, line: f"{n + first:4d} │ {line}")


def colon_numbers(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{n}: {line}")


def zero_numbers(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{n:04d}: {line}")


def letter_numbers(text: str, r: Random) -> str:
    first = r.randrange(900)
    return per_line(text, lambda n, line: f"L{n + first}: {line}")


def bar_numbers(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{n:3d} | {line}")


def bracket_numbers(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"[{n}] {line}")


NUMBERED: tuple[Change, ...] = (
    *(cat_n, less_n, nl, page_numbers, grep_n),
    *(nl_blanks, nl_all, bat, bat_lines, colon_numbers, zero_numbers, letter_numbers, bar_numbers, bracket_numbers),
)
