"""Texts that lost their line ends: run together, or kept as bare ``\\r``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from diagnose.late import late
from diagnose.records.grammars import read_head
from diagnose.records.process import read_owner
from diagnose.records.span import Span
from diagnose.repair.page import MAX_ROWS, Page, cut

MAX_PARTS = 20_000
"""Rows one text is cut into."""

MAX_CHARS = 256 * 1024
"""Characters of a text that is told apart; a longer line is left as it stands."""
_LONGEST_HEAD = 300
"""Characters of a record's head."""
ECHO = late(r"Received request|prompt: ['\"]|\"messages\"|\"prompt\"")
"""Somebody's text is quoted in the log: it cannot be told from the log's own any more."""
_ECHOED = late(
    r"""Received request [\w.-]{1,120}: (?=prompt: ['"]|params: )|prompt: (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
)
"""A quotation whose end is known."""
OF_VLLM = late(
    r"\((?:[A-Za-z][\w =/.-]{0,40} )?pid=\d+(?:, ip=[^)]{0,40})?\) (?=\S|  )"
    r"|(?:\[vllm-rbln\] )?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./]{1,120}\.py:\d{1,6}\]"
)
"""How most lines of a server's log begin: a small part of what any line can begin with, and far sooner compiled."""
BEGINS = late(
    r"""
      (?:\((?:[A-Za-z][\w\ =/.-]{0,40}\ )?pid=\d+(?:,\ ip=[^)]{0,40})?\)\ )?
      (?:\[vllm-rbln\]\ )?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\ \d\d-\d\d\ \d\d:\d\d:\d\d\ 
      \[?[\w./]{1,120}\.py:\d{1,6}\]
    | \((?:[A-Za-z][\w\ =/.-]{0,40}\ )?pid=\d+(?:,\ ip=[^)]{0,40})?\)\ (?=\S|\ \ )
    | \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d+Z?(?:[ \t]+\[?[A-Z]{4,8}|\ -\ |\ (?=\S))
    | (?<![\w.])(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):\ {1,5}(?=\S)
    | (?:Exception\ Group\ )?(?<!hit\ an\ exception:\ )Traceback\ \(most\ recent\ call\ last\):
    | (?<=validation\ error\ for\ )(?P<model>[A-Z][A-Za-z]{0,60}?Config)(?=[a-z_])  # the field stands below it
    | (?P<frame>(?:\ \ )?File\ "[^"]{1,300}",\ line\ \d+,\ in\ (?:<?[A-Za-z_]\w{0,80}>?))
    | The\ above\ exception\ was\ the\ direct\ cause\ of\ the\ following\ exception:
    | During\ handling\ of\ the\ above\ exception,\ another\ exception\ occurred:
    | \{"event":\ ?"rbln\.worker\.fatal" | Process\ [A-Z]\w{0,40}(?::\d{1,6})?:(?=\s{0,8}Traceback)
    | (?<=^\$\ )(?P<command>[^가-힣]{1,400})(?=[가-힣])
    | (?<![,(=:])(?<![,(=:]\ )rbln_config\ =\ \{(?=["'])
    | usage:\ \S | ❌\  | (?<![\w./-])[\w./-]{1,80}(?:\ [a-z][\w-]{0,40})?:\ error:\ | terminate\ called\ after
    | (?:Aborted|Bus\ error|Illegal\ instruction|Segmentation\ fault|Floating\ point\ exception)\ \(core\ dumped\)
    """,
    re.VERBOSE,
)
"""How lines of a log begin, anywhere in a text."""
_TYPE_END = late(r"(?:Error|Exception|Interrupt|Exit)(?=: |:?$)")
_TYPE = late(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*\Z")
_SMALL = ("nccl",)
"""What types begin with that do not begin with a capital letter: elsewhere a capital begins the next line."""
_LONGEST_TYPE = 160
_ASSERTION = "AssertionError"
_ENDINGS = ("Error", "Exception", "Interrupt", "Exit")
_OPEN_CALL = late(r'File "[^"]{1,300}", line \d+, in (?:<\w+>|\w+)\s[^\n"]*[\w\]]\(\s*')
"""A frame whose source line opens a call it does not close."""
_QUOTES = ('"', "'", "`", "(", "[", "=")
_SOURCE = late(
    r"raise$|raised$|from$|except$|\bcatch$|as$|=$|\($|,$|\b(?:[Ff]ix(?:es|ed)?|[Ee]xample|[Mm]eans?|FAQ|README)\b:?$"
)
"""In front of a type: it is named in a source line or in a list of changes, not raised here."""


def run_together(page: Page) -> Page | None:
    """Lines told apart again by how they begin. None for a page with line ends, and for one that quotes what has no end
    that is known."""
    filled = [row for row in page if row.text.strip()]
    if not filled or len(filled) > MAX_ROWS:
        return None
    sizes = [size for row in filled if (size := len(row.text)) <= MAX_CHARS]  # a longer one hides nothing in the others
    if sum(sizes) > MAX_CHARS:
        return None
    out: Page = []
    for row in filled:
        if len(row.text) > MAX_CHARS:
            out.append(row)
            continue
        quoted = _quoted(row.text)
        if quoted is None:
            return None
        out += _cut(row, quoted)
    return out if len(out) > len(filled) else None


def _quoted(text: str) -> list[tuple[int, int]] | None:
    """Where ``text`` quotes what somebody sent, in order; None where it cannot be told where that ends."""
    out: list[tuple[int, int]] = []
    at = 0
    while (echo := ECHO.search(text, at)) is not None:
        whole = _ECHOED.match(text, echo.start())
        if whole is None:
            return None
        out.append(whole.span())
        at = whole.end()
    return out


def _cut(row: Span, quoted: Sequence[tuple[int, int]]) -> Iterator[Span]:
    text = row.text
    places = [0]
    found = sorted([*_beginnings(text), *_types(text)])[:MAX_PARTS]
    for start, end in _outside(found, quoted):
        if start - places[-1] <= _LONGEST_HEAD and _is_only_a_head(text[places[-1] : start]):
            continue
        places += [start, end] if end else [start]
    places = sorted({*places, len(text)})
    for start, piece in zip(places, cut(row, places), strict=False):
        if piece.text.strip():
            yield _indented(piece, text, start)


def _outside(found: Sequence[tuple[int, int]], quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those of ``found`` that begin in none of the ``quoted`` places, both in order."""
    ends = iter(quoted)
    first, last = next(ends, (0, 0))
    for place in found:
        while last and place[0] >= last:
            first, last = next(ends, (0, 0))
        if not last or place[0] < first:
            yield place


def _beginnings(text: str) -> Iterator[tuple[int, int]]:
    """Where lines begin, and where those end whose end is known too (else 0)."""
    for found in BEGINS.finditer(text):
        if found["command"] is not None or found["model"] is not None:
            yield found.end(), 0
        else:
            yield found.start(), found.end() if found["frame"] is not None else 0


def _types(text: str) -> Iterator[tuple[int, int]]:
    """Where ``Type: message`` begins, also glued to the line before."""
    for found in _TYPE_END.finditer(text):
        lowest = max(found.end() - _LONGEST_TYPE, 0)
        name = _TYPE.search(text, lowest, found.end())
        if name is None or name[0] == found[0]:  # a bare ``Error:`` is no type
            continue
        if name[0].endswith(_ASSERTION) and " assert " in text[max(name.start() - _LONGEST_HEAD, 0) : name.start()]:
            yield found.end() - len(_ASSERTION), 0  # behind its condition, whatever that ends with
            continue
        start, half = name.start(), len(name[0]) // 2
        if name[0][:half] == name[0][half:]:  # raise RuntimeError, and on the next line RuntimeError
            yield start + half, 0
            continue
        start -= next((len(small) for small in _SMALL if text.endswith(small, 0, start)), 0)
        before = text[max(start - _LONGEST_TYPE, 0) : start]
        if before.endswith(": ") and before[:-2].endswith(_ENDINGS):
            continue  # one type wraps another: ``OuterError: InnerError: message``
        raised = before.rstrip().endswith((f"raise {name[0]}", f"raise {name[0]}("))
        quoted = before.endswith(_QUOTES) or _SOURCE.search(before[-8:].rstrip()) is not None
        if raised or not quoted or _in_open_call(text, start):
            yield start, 0


def _in_open_call(text: str, start: int) -> bool:
    """Whether the source line of a frame ends before ``start``, in the middle of a call as a traceback shows it."""
    frame = text.rfind('File "', max(start - 700, 0), start)
    return frame >= 0 and _OPEN_CALL.fullmatch(text, frame, start) is not None


def _is_only_a_head(text: str) -> bool:
    """Whether a line would end behind the head of its record."""
    if not text.strip():
        return False
    _, start = read_owner(text)
    head = read_head(text[start:])
    return head is not None and not text[start + head.start :].strip()


def _indented(piece: Span, text: str, start: int) -> Span:
    """Frames get back the indentation that tells them from messages."""
    kept = piece.keep(len(piece.text.rstrip()))
    bare = kept.text.lstrip(" ")
    if bare.startswith('File "'):
        return Span(f"  {bare}", kept.marks[:1])
    if start and _follows_frame(text, start):
        return Span(f"    {bare}", kept.marks[:1])
    return kept if len(bare) == len(kept.text) else kept.drop(len(kept.text) - len(bare))


_FRAME_END = late(r'File "[^"]{1,300}", line \d+, in <?\w+>?\Z')


def _follows_frame(text: str, start: int) -> bool:
    return _FRAME_END.search(text, max(start - 420, 0), start) is not None


def returns(page: Page) -> Page | None:
    """Bare ``\\r`` as line ends: files of old systems, and recordings of a terminal. Fewer of them than rows are
    progress bars, which the records know."""
    if sum(row.text.rstrip("\r").count("\r") for row in page) < len(page):
        return None
    out: Page = []
    for row in page:
        places = sorted({0, *(found.end() for found in re.finditer("\r+", row.text)), len(row.text)})
        if len(places) > MAX_PARTS:
            return None
        out += [piece.keep(len(piece.text.rstrip("\r"))) for piece in cut(row, places)] or [row]
    return out
