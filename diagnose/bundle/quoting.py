"""Lines of a log as an excerpt: cleaned, with a mark where lines were left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from diagnose.report.clean import clean
from diagnose.sources import Transcoder
from diagnose.sources.lines import decode_line

MAX_LINE_CHARS = 20_000
"""A longer line is cut."""


def numbered(blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Lines of an input with their numbers, cleaned and without line ends."""
    transcoder = Transcoder()
    rest, number = b"", 0

    def pieces() -> Iterator[bytes]:
        for block in blocks:
            yield transcoder.feed(block)
        yield transcoder.finish()

    for piece in pieces():
        *whole, rest = (rest + piece).split(b"\n")
        for raw in whole:
            number += 1
            yield number, _shown(raw)
    if rest:
        yield number + 1, _shown(rest)


def _shown(raw: bytes) -> str:
    return clean(decode_line(raw[: MAX_LINE_CHARS * 4].rstrip(b"\r")))[:MAX_LINE_CHARS].replace("\n", " ")


def held(blocks: Iterable[bytes], wanted: Callable[[int], bool]) -> Mapping[int, str]:
    """The lines that are wanted, by number."""
    return {number: text for number, text in numbered(blocks) if wanted(number)}


def excerpt(lines: Mapping[int, str], chosen: Iterable[int], last: int) -> str:
    """The chosen lines of a log of ``last`` lines; the marks in between say nothing a reader of logs would heed."""
    parts: list[str | None] = []
    before = 0
    for number in sorted(chosen):
        parts += [_left_out(before + 1, number - 1), lines[number]]
        before = number
    parts.append(_left_out(before + 1, last))
    return "".join(f"{part}\n" for part in parts if part is not None)


def _left_out(first: int, last: int) -> str | None:
    if first > last:
        return None
    return f"[... lines {first}-{last} left out ...]" if first < last else f"[... line {first} left out ...]"
