"""A page of text: indentation, wrapping by terminal cells, colour. The only file that touches rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as RichText

MIN_WIDTH, MAX_PROSE = 40, 100
"""Prose wider than this is tiring to read; rows of the log may use the whole width."""

TAB_CELLS = 8

_STYLES = {
    "bad": "bold red",
    "good": "bold green",
    "doubt": "bold yellow",
    "heading": "bold",
    "dim": "dim",
    "mark": "bold red",
    "new": "bold",
    "command": "cyan",
    "added": "green",
    "removed": "red",
    "badge_exact": "green",
    "badge_estimate": "yellow",
    "badge_needs-value": "magenta",
    "badge_advice": "dim",
    "": "",
}
_BOLD = {"bad": "\x1b[1;31m", "good": "\x1b[1;32m", "doubt": "\x1b[1;33m"}
_ASCII = {"→": "->", "–": "-", "·": "-", "…": "..."}

Part = tuple[str, str]
"""(text, style name)."""


class Page:
    """Writes to ``stream``; only a command may be wider than ``width`` cells."""

    def __init__(self, stream: TextIO, *, width: int = 80, color: bool = False) -> None:
        self.stream = stream
        self.width = max(width, MIN_WIDTH)
        self.prose = min(self.width, MAX_PROSE)
        self.color = color
        self._ascii = not _can_write("".join(_ASCII), stream)
        self._console: Console | None = None

    def glyph(self, character: str) -> str:
        """``character``, or its ASCII spelling where the stream's encoding does not have it."""
        return _ASCII.get(character, character) if self._ascii else character

    def first(self, text: str, style: str) -> None:
        """The headline. Goes out before rich is imported, so that something is read at once."""
        from diagnose.report.excerpt import cells

        if cells(text) > self.prose:
            self.write(text, style)
        else:
            self.stream.write(f"{_BOLD[style]}{text}\x1b[0m\n" if self.color else f"{text}\n")
        self.stream.flush()

    def gap(self) -> None:
        self.stream.write("\n")

    def write(self, text: str, style: str = "", *, indent: int = 0) -> None:
        self.parts([(text, style)], indent=indent)

    def parts(self, parts: list[Part], *, indent: int = 0, hang: int = 0, full: bool = False) -> None:
        """Styled pieces as one wrapped paragraph; lines after the first hang by ``hang`` cells."""
        from rich.text import Text as RichText

        text = RichText()
        for piece, style in parts:
            text.append(self._spelled(piece), style=_STYLES[style])
        width = (self.width if full else self.prose) - indent - hang
        for number, line in enumerate(self._wrapped(text, width, first=hang)):
            self._emit(RichText(" " * (indent + (hang if number else 0))) + line)

    def items(self, items: list[str], style: str = "", *, indent: int = 0) -> None:
        """Short facts joined by a dot, broken only between them."""
        from diagnose.report.excerpt import cells

        separator = f" {self.glyph('·')} "
        line = ""
        for item in items:
            joined = f"{line}{separator}{item}" if line else item
            if line and cells(joined) > self.prose - indent:
                self.write(line, style, indent=indent)
                joined = item
            line = joined
        if line:
            self.write(line, style, indent=indent)

    def labelled(self, label: str, text: str, *, indent: int, column: int, style: str = "") -> None:
        """``label`` in a column of its own; on a narrow page the text goes below it."""
        from diagnose.report.excerpt import cells

        if self.width < 56:
            self.write(label, "dim", indent=indent)
            self.write(text, style, indent=indent + 2)
        else:
            lead = label + " " * max(column - cells(label), 1)
            self.parts([(lead, "dim"), (text, style)], indent=indent, hang=cells(lead))

    def verbatim(self, text: str, style: str = "", *, indent: int = 0, lead: str = "") -> None:
        """One line exactly as it is, never wrapped: a row of the log, a command; ``lead`` has no style."""
        from rich.text import Text as RichText

        self._emit(RichText(" " * indent + lead).append(text, style=_STYLES[style]))

    def _wrapped(self, text: RichText, width: int, *, first: int) -> list[RichText]:
        """Lines of ``text``; the first may be ``first`` cells longer, being indented that much less."""
        width = max(width, 10)
        lines: list[RichText] = []
        for paragraph in text.split("\n", allow_blank=True):
            room = width + (first if not lines else 0)
            wrapped = list(paragraph.wrap(self._breaker, room, overflow="fold"))
            if room != width and len(wrapped) > 1:
                cut = len(paragraph.plain) - len(paragraph.plain[len(wrapped[0].plain) :].lstrip())
                rest = paragraph[cut:]
                wrapped = [wrapped[0], *rest.wrap(self._breaker, width, overflow="fold")]
            lines += wrapped or [text.blank_copy()]
        return lines

    @property
    def _breaker(self) -> Console:
        """What rich asks for to wrap a text; it looks at it only to justify one."""
        return self.console if self.color else cast("Console", None)

    @property
    def console(self) -> Console:
        if self._console is None:
            from rich.console import Console

            self._console = Console(
                file=self.stream,
                width=self.width,
                force_terminal=True,
                color_system="standard",
                highlight=False,
                markup=False,
                emoji=False,
                legacy_windows=False,
                _environ={},
            )
        return self._console

    def _emit(self, line: RichText) -> None:
        line.rstrip()
        if self.color:
            self.console.print(line, soft_wrap=True, overflow="ignore", crop=False)
        else:  # a pipe, a file, a job: nothing is left for a console to do, and importing it takes a tenth of a start
            line.expand_tabs(TAB_CELLS)  # as the console does
            self.stream.write(f"{line.plain}\n")

    def _spelled(self, text: str) -> str:
        if self._ascii:
            for character, spelled in _ASCII.items():
                text = text.replace(character, spelled)
        return text


def _can_write(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
