"""Cuts a stream into lines and gives those near a line of interest."""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from diagnose.model import Line
from diagnose.scan.copies import Copies, Row, Split
from diagnose.scan.engine import Engine
from diagnose.scan.long_lines import MAX_LINE_BYTES, Shortener, is_several, joined, quotes, searchable
from diagnose.scan.repeats import Repeats
from diagnose.sources.lines import decode_line

BEFORE = 24
"""Lines given ahead of a line of interest: what the process printed just before it failed."""
AFTER = 96
"""Lines given behind one: the rest of a message of many lines, such as a JSON dump. The frames of a traceback
are lines of interest themselves, so that one of any length is given whole."""
DENSE_HITS = 512
"""In a block with more, Python is called so often that it pays to look for known lines first, and not to search in
other threads, which would wait for the interpreter's lock at every hit."""
HITS_OF_A_COPY = 2
"""What a copy that the engine was not asked about counts for: a line of a storm mostly holds the mark and a literal of
an entry. Counted once, every other block of a storm would be searched the long way."""
STORM_AFTER_LINES = 8
"""Takes the place of ``AFTER`` in a storm, where the next line of interest is never far."""

_COUNT_BYTES = 64 * 1024


class Scanner:
    """Lines of interest and their surroundings, each once and in order.

    Which lines come out depends only on the lines of the stream, never on how its bytes were cut into feeds.
    Memory is bounded by one block and ``before`` lines of at most ``max_line_bytes``.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        before: int = BEFORE,
        after: int = AFTER,
        max_line_bytes: int = MAX_LINE_BYTES,
        repeats: Repeats | None = None,
        mark: bytes = b"",
        dense_hits: int = DENSE_HITS,
    ) -> None:
        """``repeats``: when given, copies of a line beyond its limit are no lines of interest any more.

        ``mark``: a literal of ``engine`` that most lines of a storm hold. Behind a block of more than ``dense_hits``
        hits, lines that hold it are compared with those seen before the engine is asked about the others.
        """
        self.bytes_seen = 0
        """Bytes fed so far."""
        self.lines_seen = 0
        """Complete lines so far; after ``finish`` a last line without a newline counts too."""
        self._engine = engine
        self._before = before
        self._after = after
        self._shortener = Shortener(max_line_bytes)
        self._repeats = repeats
        self._mark = mark
        self._copies = self._copies_of(repeats)
        self._dense_hits = dense_hits
        self.is_dense = False
        """Whether the last block was full of hits."""
        self._offset = 0  # of the first line not dealt with
        self._until = 0  # last line inside the window behind a line of interest
        self._history: deque[tuple[int, int, bytes]] = deque(maxlen=before)
        self._region: tuple[int, int, bytes] = (0, 0, b"")  # whole lines ahead of those in _history, not cut up yet
        self._part = bytearray()  # the line whose newline has not come
        self._dropped = 0  # bytes taken out of its middle
        self._middle = False  # whether a literal stands in these
        self.lines_lost = 0
        """Lines too long to be kept that hold a literal only where they were cut, or several records."""
        self.lines_lost_to = 0
        """Number of the last of them."""

    def _copies_of(self, repeats: Repeats | None) -> Copies | None:
        return Copies(repeats, self._mark, self._shortener.head_bytes) if repeats is not None and self._mark else None

    def hits(self, block: bytes) -> list[int]:
        """What the engine finds in the lines of ``block`` that begin and end in it: may be asked for ahead of
        ``feed``, in another thread, since it depends on the block alone."""
        first, last = block.find(b"\n"), block.rfind(b"\n")
        return self._engine.find(block, first, last + 1) if first < last else []  # with the newline before a line

    def feed(self, block: bytes, hits: Sequence[int] | None = None) -> Iterator[Line]:
        """Takes the next bytes of the stream (any number) and gives what their complete lines bring.

        ``hits`` is what ``hits(block)`` gave, where that was asked for. The work is done at the call, whether or
        not the result is iterated over.
        """
        self.bytes_seen += len(block)
        out: list[Line] = []
        first = block.find(b"\n") + 1
        if not first:
            self._keep(block)
            return iter(out)
        # The first line is done alone: it may have begun in an earlier block, and a literal for the beginning
        # of a line needs the newline before it, which this block does not hold.
        self._keep(block[: first - 1])
        self._finish_line(out, newline=1)
        last = block.rfind(b"\n") + 1
        if last > first:
            self._lines(block, first, last, hits, out)
        self._keep(block[last:])
        return iter(out)

    def finish(self) -> Iterator[Line]:
        """Gives what a last line without a newline brings."""
        out: list[Line] = []
        if self._part:
            self._finish_line(out, newline=0)
        return iter(out)

    def peek(self, rest: bytes = b"") -> tuple[list[Line], int]:
        """What feeding ``rest`` and ``finish`` would give, and ``lines_seen`` then; nothing changes."""
        twin = copy.copy(self)
        twin._part, twin._history = self._part.copy(), self._history.copy()
        half = self._shortener.pieces(bytes(self._part) + rest, self._dropped)
        if self._repeats is not None and (b"\n" in rest or self._is_of_interest(half)):
            twin._repeats = copy.deepcopy(self._repeats)  # only lines of interest are counted there
            twin._copies = twin._copies_of(twin._repeats)
        return [*twin.feed(rest), *twin.finish()], twin.lines_seen

    # ----------------------------------------------------------------- one line

    def _keep(self, rest: bytes) -> None:
        self._part += rest
        if self._shortener.will_trim(self._part):
            self._middle = self._middle or self._cut_holds_one()
            self._dropped += self._shortener.trim(self._part)

    def _cut_holds_one(self) -> bool:
        return bool(self._engine.find(self._shortener.around_cut(self._part, self._dropped)))

    def _finish_line(self, out: list[Line], *, newline: int) -> None:
        """Deals with the line in ``_part``; ``newline`` bytes of the stream end it."""
        pieces = self._shortener.pieces(bytes(self._part), self._dropped)
        number, offset = self.lines_seen + 1, self._offset
        self.lines_seen = number
        self._offset += len(self._part) + self._dropped + newline
        of_interest = self._is_of_interest(pieces)
        if len(pieces) > 1 and (of_interest or self._middle or self._cut_holds_one()):
            self._cut_up(number, pieces, of_interest=of_interest)
        self._part.clear()
        self._dropped, self._middle = 0, False
        if of_interest and not self._is_copy(pieces[0], number):
            self._recall(number, out)
            self._until = number + self._window_after()
        if number <= self._until:
            out.append(Line(number, offset, decode_line(joined(pieces))))
        else:
            self._history.append((number, offset, joined(pieces)))

    def _cut_up(self, number: int, pieces: tuple[bytes, ...], *, of_interest: bool) -> None:
        """A line with something of interest was cut: it is lost where that stood in the middle, and where it is the
        lines of a whole log, of which more stood there."""
        if is_several(pieces) or not (of_interest or quotes(pieces[0])):
            self.lines_lost += 1
            self.lines_lost_to = number

    def _is_of_interest(self, pieces: tuple[bytes, ...]) -> bool:
        return any(self._engine.find(piece) for piece in searchable(pieces))

    def _window_after(self) -> int:
        in_storm = self._repeats is not None and self._repeats.in_storm
        return min(self._after, STORM_AFTER_LINES) if in_storm else self._after

    def _is_copy(self, line: bytes, number: int) -> bool:
        if self._repeats is None:
            return False
        if self._repeats.is_copy(line[: self._shortener.head_bytes], number <= self._until):
            return True
        self._repeats.stands_at(number)
        return False

    def _recall(self, hit: int, out: list[Line]) -> None:
        """Gives the remembered lines inside the window ahead of line ``hit``."""
        number, at, region = self._region
        if not region and not self._history:  # one line of interest behind the other
            return
        wanted = hit - self._before
        first = len(out)
        self._spell(region, number, at, out)
        out[first:] = [line for line in out[first:] if line.number >= wanted]
        out.extend(Line(number, at, decode_line(raw)) for number, at, raw in self._history if number >= wanted)
        self._forget()

    def _forget(self) -> None:
        self._history.clear()
        self._region = (0, 0, b"")

    # ----------------------------------------------------------------- many lines

    def _lines(self, block: bytes, start: int, end: int, hits: Sequence[int] | None, out: list[Line]) -> None:
        """Deals with the complete lines ``block[start:end]``, in which the engine found ``hits``.

        Costs one count of newlines where nothing is of interest.
        """
        run, run_number = start, self.lines_seen + 1  # lines from here on that are to be given
        here, here_number = run, run_number  # first line not decided
        stop: int | None = None  # where the window behind the last line of interest ends
        head_bytes, repeats = self._shortener.head_bytes, self._repeats
        for line_start, line_end, copies in self._hit_lines(block, start, end, hits):
            if repeats is not None and copies is None:
                known = repeats.beyond(block[line_start : min(line_end - 1, line_start + head_bytes)])
                copies = None if known is None else Row([line_start], [known])
            if repeats is not None and copies is not None:
                if stop is None:
                    stop = _forward(block, here, end, self._until + 1 - here_number)
                repeats.count(copies.texts, copies.before(stop))
                continue
            hit = here_number + _newlines(block, here, line_start)
            if repeats is not None:
                repeats.stands_at(hit)
            wanted = max(hit - self._before, here_number)
            if wanted > max(self._until + 1, here_number):  # lines between the windows are left out
                if stop is None:
                    stop = _forward(block, here, end, self._until + 1 - here_number)
                self._spell(block[run:stop], run_number, self._offset + run - start, out)
                run, run_number = _back(block, line_start, hit - wanted), wanted
            self._recall(hit, out)
            self._until = hit + self._window_after()
            here, here_number, stop = line_end, hit + 1, None
        stop = _forward(block, here, end, self._until + 1 - here_number)
        self._spell(block[run:stop], run_number, self._offset + run - start, out)
        self.lines_seen = here_number + _newlines(block, here, end) - 1
        self._offset += end - start
        self._remember(block, stop, end)

    def _hit_lines(
        self, block: bytes, start: int, end: int, hits: Sequence[int] | None
    ) -> Iterator[tuple[int, int, Row | None]]:
        """Start and end (behind the newline) of the lines of interest in ``block[start:end]``, in order; rows of
        lines that were told to be copies already stand for themselves."""
        if hits is not None or not self.is_dense or self._copies is None:
            hits = self.hits(block) if hits is None else hits
            self.is_dense = len(hits) > self._dense_hits
            yield from ((*line, None) for line in self._around(block, start, hits))
            return
        split = self._copies.split(block, start, end)
        hits = self._engine.find(split.rest())
        self.is_dense = len(hits) + HITS_OF_A_COPY * len(split.starts) > self._dense_hits
        told = 0
        for line_start, line_end in self._around(block, start, split.hits(hits)):
            until = bisect_left(split.starts, line_start, told)
            yield from self._rows(block, split, told, until)
            yield line_start, line_end, None
            told = until
        yield from self._rows(block, split, told, len(split.starts))

    def _rows(self, block: bytes, split: Split, first: int, until: int) -> Iterator[tuple[int, int, Row | None]]:
        """The copies ``first`` to ``until`` of ``split``: one row, or every line alone where a start has made what
        they say new again since they were looked up."""
        row = split.row(first, until)
        if row is None:
            return
        if self._repeats is not None and self._repeats.knows(row.texts[0]):
            yield row.starts[0], 0, row
            return
        for line_start in row.starts:
            yield line_start, block.find(b"\n", line_start) + 1, None

    def _around(self, block: bytes, start: int, hits: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Start and end (behind the newline) of the lines of interest in which ``hits`` end, each once."""
        line_end, head_bytes = start, self._shortener.head_bytes
        for hit_end in hits:
            if hit_end <= line_end:
                continue
            line_start = block.rfind(b"\n", line_end, hit_end - 1) + 1 or line_end
            line_end = block.find(b"\n", hit_end - 1) + 1
            counts = line_end - line_start <= head_bytes or self._counts(block[line_start : line_end - 1])
            if line_end - line_start > self._shortener.limit + 1:  # with its newline
                number = self.lines_seen + 1 + _newlines(block, start, line_start)
                self._cut_up(number, self._shortener.pieces(block[line_start : line_end - 1]), of_interest=counts)
            if counts:
                yield line_start, line_end

    def _counts(self, line: bytes) -> bool:
        """Whether a line with a hit is one of interest: in a line that is too long the hit may be in the part that
        is cut out. It would not have been seen if the line had come in small pieces."""
        return len(line) <= self._shortener.limit or self._is_of_interest(self._shortener.pieces(line))

    def _spell(self, region: bytes, number: int, offset: int, out: list[Line]) -> None:
        """Gives every line of ``region``, whole lines of which the first is ``number`` at ``offset``."""
        if not region:
            return
        limit = self._shortener.limit
        for raw in region[:-1].split(b"\n"):
            kept = raw if len(raw) <= limit else joined(self._shortener.pieces(raw))
            out.append(Line(number, offset, decode_line(kept)))
            number += 1
            offset += len(raw) + 1

    def _remember(self, block: bytes, start: int, end: int) -> None:
        """Keeps the last lines of ``block[start:end]``, which were left out, for a hit still to come."""
        if start == end or not self._before:
            return
        at = _back(block, end, self._before, start)
        if at > start:  # enough lines: cut up when a hit asks for them, which in most blocks none does
            self._forget()
            self._region = (self.lines_seen - self._before + 1, self._offset - (end - at), block[at:end])
            return
        lines = block[start : end - 1].split(b"\n")
        number = self.lines_seen - len(lines)
        offset = self._offset - (end - start)
        limit = self._shortener.limit
        for raw in lines:
            number += 1
            kept = raw if len(raw) <= limit else joined(self._shortener.pieces(raw))
            self._history.append((number, offset, kept))
            offset += len(raw) + 1


def _newlines(block: bytes, start: int, end: int) -> int:
    """Number of newlines in ``block[start:end]``.

    ``bytes.count`` looks at one byte after the other; taking the newlines out jumps from one to the next, which
    is three times as fast for lines of the usual length. Done in small parts, so that they stay in the cache.
    """
    if end - start < 4096:
        return block.count(b"\n", start, end)
    total = 0
    for at in range(start, end, _COUNT_BYTES):
        part = block[at : min(at + _COUNT_BYTES, end)]
        total += len(part) - len(part.replace(b"\n", b""))
    return total


def _forward(block: bytes, position: int, end: int, lines: int) -> int:
    """The place ``lines`` lines behind ``position`` (the start of a line), at most ``end``."""
    while lines > 0 and position < end:
        position = block.find(b"\n", position) + 1
        lines -= 1
    return position


def _back(block: bytes, position: int, lines: int, lowest: int = 0) -> int:
    """The place ``lines`` lines ahead of ``position`` (the start of a line), at least ``lowest``."""
    while lines > 0 and position > lowest:
        position = block.rfind(b"\n", lowest, position - 1) + 1 or lowest
        lines -= 1
    return position
