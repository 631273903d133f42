"""The ways a small text can be read when its shape shows that something happened to it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from diagnose.light import dataclass
from diagnose.repair import flow, strips
from diagnose.repair.backslashes import backslashes, breaks, few_backslashes
from diagnose.repair.blanks import blanks
from diagnose.repair.blocks import indented_block, printed_json
from diagnose.repair.boxes import boxes
from diagnose.repair.joints import Vocabulary, no_words
from diagnose.repair.literals import literal_rows, whole_literals, written_out
from diagnose.repair.mailed import few_quoted_printable, quoted_printable
from diagnose.repair.markup import few_elements, markup
from diagnose.repair.newest import newest_first
from diagnose.repair.numbered import few_numbered, numbered
from diagnose.repair.page import Origin, Page, nul_ends, page_of, text_of
from diagnose.repair.panes import panes
from diagnose.repair.prefix import few_barred, same_prefix
from diagnose.repair.running import few_running, running
from diagnose.repair.signs import few_signs, signs
from diagnose.repair.speakers import speakers
from diagnose.repair.typography import double_dashes, typography
from diagnose.repair.words import broken_at_blanks, rewrapped
from diagnose.repair.wrap import Unwrapped, unwrapped

MAX_READINGS = 18
"""Readings of one text that are tried, whatever tells them."""
MAX_DEPTH = 3
"""Times a text was wrapped, run together or carried, one upon the other."""
MAX_ROWS = 30_000
"""A text of more lines is no paste, however short they are."""
READ_AGAIN_BYTES = 4 << 20
"""Sum of the readings of one text: bounds the time."""
LARGE_CHARS = 128 * 1024
"""Of a larger text that was broken beyond doubt nothing else is guessed."""
FAR_MORE = 1.5
"""A terminal leaves rows that are not full whole; where so many more go on, they were broken at blanks."""
_MAX_STRIPS = 12
"""Layers around every line, such as quotations of quotations."""

_AROUND: tuple[strips.Strip, ...] = (
    quoted_printable,
    backslashes,
    strips.colours,
    strips.carets,
    strips.line_ends,
    strips.padding,
    markup,
    strips.entities,
    typography,
    breaks,
    boxes,
    literal_rows,
    whole_literals,
    strips.quotation,
    numbered,
    speakers,
    running,
    signs,
    strips.fences,
    blanks,
    indented_block,
    same_prefix,
    strips.numbers,
    strips.numbers_between,
    strips.indentation,
    newest_first,
)
"""What the page shows beyond doubt, tried in this order until none applies."""
_WITHIN: tuple[strips.Strip, ...] = (strips.colours, strips.entities, typography)
"""Those of it that stand within a line."""
_MAYBE: tuple[Callable[[Page], Page | None], ...] = (
    double_dashes,
    strips.transports,
    flow.returns,
    written_out,
    printed_json,
    flow.run_together,
    strips.parts,
    few_numbered,
    few_signs,
    few_elements,
    few_running,
    few_barred,
    few_quoted_printable,
    few_backslashes,
)
"""What is only a guess until something is understood that was not before."""


_JOINING = ("wrapped", "wrapped_at_blanks")
"""Lines that were joined are not joined again before something was taken off from around them."""
_FILLED = frozenset({"padding", "boxes"})
"""What has all rows of one width."""
_INSTEAD = {double_dashes.__name__: typography.__name__}
"""Guesses that are another reading of the very signs which the second undoes beyond doubt."""
_FIRST = (quoted_printable, numbered, panes, speakers)
"""What says more than any shape: that a mail broke the lines, what stands before them, where these begin, and whose
they are."""
_OF_RECORDS = frozenset({"colours", "line_ends", "speakers"})
"""What is no sign of a paste: terminals, Windows and collectors write logs so."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The text as it may have been."""

    data: bytes
    origin: Origin
    sure: bool
    """True when the page shows the shape beyond doubt."""
    told: bool
    """True when at least the places where lines were joined show themselves."""
    rests: frozenset[int] = frozenset()
    """Lines of the input that this reading takes for the rest of the line before, where it is sure of it."""
    joins: bool = False
    """Whether it takes any line for the rest of the one before, sure of it or not."""
    shapes: tuple[str, ...] = ()
    """What was undone, the outermost first: names of the functions that did it, ``wrapped``,
    ``wrapped_at_blanks`` or ``holes``."""

    instead: int = 0
    """How much of what the records do not see was found before the lines beyond doubt, their numbers and the names of
    several programs: with it the text is read otherwise, if not better, and the reading stands for it."""

    def undoes(self, other: Reading | None) -> bool:
        """Whether a guess undoes what the ``other`` reading, if it is beyond doubt, does: what the page shows is not
        left in it to make something else of it."""
        done = {*self.shapes, *(_INSTEAD.get(shape, shape) for shape in self.shapes)}
        return other is None or self.sure or not other.sure or {*other.shapes} - {*_JOINING} <= done

    def goes_on_from(self, other: Reading) -> bool:
        """Whether it undoes more, below what the ``other`` reading undoes: then it knows the rests of its lines."""
        return bool(other.shapes) and self.shapes[: len(other.shapes)] == other.shapes

    @property
    def glued(self) -> bool:
        """Whether words at line ends may have lost the blank between them."""
        return "run_together" in self.shapes


@dataclass(frozen=True, slots=True)
class _Step:
    page: Page
    sure: bool
    told: bool = True
    rests: frozenset[int] = frozenset()
    shapes: tuple[str, ...] = ()
    carried: bool = False
    """Transports were taken off, which the records do as well: what shows below them is as certain as without."""


def readings(data: bytes, vocabulary: Vocabulary = no_words) -> Iterator[Reading]:
    """Readings of ``data`` (UTF-8) other than the plain one, the simplest first; none for most texts.

    ``vocabulary``: words of messages, where a line can have been broken in mid word or at a blank."""
    if data.count(b"\n") > MAX_ROWS:
        return
    total = 0
    for step in itertools.islice(_all(data, vocabulary), MAX_READINGS):
        reading = _reading(step)
        total += len(reading.data)
        if total > READ_AGAIN_BYTES:
            return
        yield reading


def _all(data: bytes, vocabulary: Vocabulary) -> Iterator[_Step]:
    page = page_of(data)
    seen = {_text(page)}
    if b"\0" in data.strip(b"\0"):  # in the middle of words they hide them from the scan
        yield _Step(page, True, shapes=("holes",))
    first = _Step(page, True)
    if (ended := nul_ends(data)) is not None:
        page, first = ended, _Step(ended, True, shapes=(nul_ends.__name__,))
        yield first
    for before in _FIRST:
        bare = before(page)
        if bare is not None:
            page, first = bare, _Step(bare, True, shapes=(*first.shapes, before.__name__))
            seen.add(_text(page))
            yield first
    around = strips.fences(page) or strips.numbers(page)  # lines turned round would no longer show it
    turned = newest_first(page) if around is None else None
    if turned is not None:  # before anything is taken off with the times, or made other than a table has it
        first = _Step(turned, True, shapes=(*first.shapes, newest_first.__name__))
        yield first
    yield from _steps(first, 0, seen, vocabulary)


def _text(page: Page) -> int:
    return hash(tuple(row.text for row in page))


def _reading(step: _Step) -> Reading:
    data, origin = text_of(step.page)
    shapes = () if set(step.shapes) <= _OF_RECORDS else step.shapes
    rests = step.rests if step.sure else frozenset()
    return Reading(
        data,
        origin,
        step.sure,
        step.told,
        rests,
        bool(step.rests),
        shapes,
        len({before.__name__ for before in _FIRST} & {*step.shapes}) if step.sure else 0,
    )


def _steps(step: _Step, depth: int, seen: set[int], vocabulary: Vocabulary) -> Iterator[_Step]:
    settled = _settled(step)
    if settled is not step and _fresh(settled, seen):
        yield settled
    if depth == MAX_DEPTH:
        return
    for start in _starts(step, settled):
        for following in _guesses(start, vocabulary):
            if _fresh(following, seen):
                yield following
                yield from _steps(following, depth + 1, seen, vocabulary)
            if following.sure and _is_large(start.page):
                return


def _starts(step: _Step, settled: _Step) -> tuple[_Step, ...]:
    """A text can have been broken before something was put around its lines, or after; the likelier comes first."""
    if settled is step or _FILLED & set(settled.shapes):  # filled up, every row looks as if it went on
        return (settled,)
    if any(True for _ in unwrapped(step.page, only_sure=True)):
        return step, settled  # escapes have a width of their own
    return settled, step


def _is_large(page: Page) -> bool:
    return sum(len(row.text) for row in page) > LARGE_CHARS


def _fresh(step: _Step, seen: set[int]) -> bool:
    key = _text(step.page)
    if key in seen:
        return False
    seen.add(key)
    return True


def _settled(step: _Step, strips_: Sequence[strips.Strip] = _AROUND) -> _Step:
    """Everything that is certain taken off."""
    page, shapes = step.page, step.shapes
    for _ in range(_MAX_STRIPS):
        found = next(((new, strip) for strip in strips_ if (new := strip(page)) is not None), None)
        if found is None:
            break
        page, shapes = found[0], (*shapes, found[1].__name__)
    if page is step.page:
        return step
    below = step.carried and not _OF_RECORDS.issuperset(shapes[len(step.shapes) :])
    return replace(step, page=page, shapes=shapes, sure=step.sure or below)


def _guesses(step: _Step, vocabulary: Vocabulary) -> Iterator[_Step]:
    if not step.shapes[-1:] or step.shapes[-1] not in _JOINING:
        yield from _widths(step, vocabulary)
    for guess in _MAYBE:
        page = guess(step.page)
        if page is not None:
            # lines told apart by their beginnings alone say nothing about a width
            told = step.told and guess is not flow.run_together
            carried = guess is strips.transports and step.sure
            yield _Step(page, False, told, step.rests, (*step.shapes, guess.__name__), carried)


def _widths(step: _Step, vocabulary: Vocabulary) -> Iterator[_Step]:
    """The text with its broken lines joined; of a large one only what is beyond doubt."""
    plain = _settled(step, _WITHIN)
    looks = [row.text for row in plain.page]
    large = _is_large(step.page)
    ways = (_joined(step, way, "wrapped") for way in unwrapped(step.page, only_sure=large))
    by_words = (
        _joined(of, way, "wrapped_at_blanks")
        for of in ((plain,) if plain is step else (plain, step))  # broken before or after colours were written out
        for way in rewrapped(of.page, looks, only_sure=large)
    )
    # What fills rows with blanks up to a width, a terminal, breaks at that width and nowhere else.
    first, second = list(ways), [] if "padding" in step.shapes else list(by_words)
    if first and second and (_is_far_more(second[0], first[0]) or broken_at_blanks(looks, vocabulary)):
        first, second = second, [replace(way, told=False) for way in first]
    yield from sorted([*first, *second], key=lambda way: not way.sure)


def _is_far_more(way: _Step, other: _Step) -> bool:
    """Whether a way that is beyond doubt joins rows that another one leaves as they are, many of them."""
    return way.sure and len(way.rests) > FAR_MORE * len(other.rests)


def _joined(step: _Step, way: Unwrapped, name: str) -> _Step:
    return _Step(
        way.page, step.sure and way.sure, step.told and way.told, step.rests | way.joined, (*step.shapes, name)
    )
