"""A shell script's commands as words: quotes, line continuations, comments, redirections, here-documents.

Nothing is run or expanded; ``$VARS`` stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command."""

    words: tuple[str, ...]
    line: int
    """Line of its first word, from 1."""


class UnclosedQuote(ValueError):
    """A quote is opened in ``line`` and never closed."""

    def __init__(self, line: int) -> None:
        super().__init__(f"unclosed quote in line {line}")
        self.line = line


_TOKEN = re.compile(
    r"""(?P<joined>\\\n)
      | (?P<blank>[ \t]+)
      | (?P<newline>\n)
      | (?P<here><<-?[ \t]*(?P<mark>'[^'\n]*'|"[^"\n]*"|[^\s;&|()<>]+))
      | (?P<redirect>(?:&>>?|<<<|>>|>&|<&|>\||<>|>|<)[ \t]*)
      | (?P<end>&&|\|\||;;|[;&|()])
      | (?P<single>'[^']*')
      | (?P<double>"(?:[^"\\]|\\.)*")
      | (?P<substitution>\$\([^()\n]*\)|`[^`\n]*`)
      | (?P<escaped>\\.)
      | (?P<plain>[^\s;&|()<>'"\\`$\#]+|[$\#])
      | (?P<open>['"])
      | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"#[^\n]*")
_UNESCAPE = re.compile(r'\\([\\"$`])|\\\n', re.DOTALL)
_DIGITS = re.compile(r"[0-9]+$")


@dataclass(slots=True)
class _Reading:
    words: list[str] = field(default_factory=list)
    word: str | None = None
    drop_next: bool = False
    marks: list[str] = field(default_factory=list)
    start: int = 0
    line: int = 1

    def add(self, text: str) -> None:
        if self.word is None and not self.words and not self.drop_next:
            self.start = self.line
        self.word = (self.word or "") + text

    def close_word(self) -> None:
        if self.word is not None and not self.drop_next:
            self.words.append(self.word)
        if self.word is not None:
            self.drop_next = False
        self.word = None

    def close(self) -> Command | None:
        self.close_word()
        self.drop_next = False
        found = Command(tuple(self.words), self.start) if self.words else None
        self.words = []
        return found


def commands(text: str) -> Iterator[Command]:
    """Every simple command of ``text`` in order. Raises UnclosedQuote."""
    state = _Reading()
    position = 0
    while position < len(text):
        if text[position] == "#" and state.word is None:
            comment = _COMMENT.match(text, position)
            position = comment.end() if comment else position + 1
            continue
        token = _TOKEN.match(text, position)
        if token is None:  # every character is covered; kept so that the type checker sees it
            return
        position = token.end()
        kind = token.lastgroup if token.lastgroup != "mark" else "here"
        ended = _take(state, kind or "other", token)
        state.line += token[0].count("\n")
        if ended is not None:
            yield ended
        if kind == "newline" and state.marks:
            position = _skip_documents(text, position, state)
    last = state.close()
    if last is not None:
        yield last


def _take(state: _Reading, kind: str, token: re.Match[str]) -> Command | None:
    """Adds one token to the command being read; the command, when this token ends it."""
    shown = token[0]
    if kind == "open":
        raise UnclosedQuote(state.line)
    if kind in ("newline", "end"):
        return state.close()
    if kind == "blank":
        state.close_word()
    elif kind == "here":
        state.close_word()
        state.marks.append(token["mark"].strip("'\""))
    elif kind == "redirect":
        # `2>file`: the digits belong to the redirection, not to the command.
        if state.word is not None and _DIGITS.fullmatch(state.word):
            state.word = None
        state.close_word()
        state.drop_next = True
    elif kind != "joined":
        state.add(_plain(kind, shown))
    return None


def _plain(kind: str, shown: str) -> str:
    if kind == "single":
        return shown[1:-1]
    if kind == "double":
        return _UNESCAPE.sub(lambda found: found[1] or "", shown[1:-1])
    return shown[1:] if kind == "escaped" else shown


def _skip_documents(text: str, position: int, state: _Reading) -> int:
    """The position behind the here-documents that were announced; to the end when a mark never comes."""
    for mark in state.marks:
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            line, position = text[position:end], min(end + 1, len(text))
            state.line += 1
            if line.strip() == mark:
                break
    state.marks = []
    return position
