"""Nothing a log holds may drive the reader's terminal, editor or browser.

A log is other people's bytes: colours, cursor movement, window titles, links and bidirectional overrides
in it are removed before any format sees the text. Every renderer starts with :func:`cleaned`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from diagnose.late import late
from diagnose.model import Diagnosis, Finding

Span = tuple[int, int]
_T = TypeVar("_T")

_TAB = "    "

# ECMA-48: string sequences (OSC, DCS, SOS, PM, APC), control sequences, then two-byte escapes. A string
# sequence without its terminator ends at the end of its line, or one stray byte would swallow the rest.
_SEQUENCE = (
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_END = r"\r+\n|\u2028|\u2029|\x85|\x0b|\x0c"
# Other controls, zero-width and bidirectional controls, tag characters.
_INVISIBLE = (
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_NOT_TEXT = "[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
_UNWANTED = late(
    f"(?P<sequence>{_SEQUENCE})|(?P<line_end>{_LINE_END})|(?P<return>\r)|(?P<tab>\t)"
    f"|(?P<invisible>{_INVISIBLE})|(?P<not_text>{_NOT_TEXT})"
)
_REPLACEMENT = {
    "sequence": "",
    "line_end": "\n",
    "return": " ",
    "tab": _TAB,
    "invisible": "",
    "not_text": "\ufffd",
    "command": ": :",
    "directive": "# #",
}


# What a CI reads out of a job's output: GitHub's workflow commands at the beginning of a line, to which any text may be
# wrapped, and the older ``##[…]`` and Azure's ``##vso[…]`` anywhere in one. A blank between the two characters takes
# their meaning away.
_COMMAND = late(
    r"(?P<command>::)(?=(?:error|warning|notice|debug|group|endgroup|add-mask|stop-commands|set-output|save-state"
    r"|set-env|add-path|add-matcher|remove-matcher|echo)(?:[ \n]|::))"
    r"|(?P<directive>##)(?=(?:vso)?\[)",
    re.IGNORECASE,
)

_STEPS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    # Nothing unwanted but a line end, which stays, is printable to Python.
    (_UNWANTED, lambda text: not text.replace("\n", "").isprintable()),
    (_COMMAND, lambda text: "::" in text or "##" in text),
)
"""(what is looked for, whether it is worth it), each in what the one before left: an invisible character can stand
between the two of a command."""


def clean(text: str) -> str:
    """``text`` without anything a terminal or a CI obeys; tabs become four spaces, every line end ``\\n``."""
    for unwanted, may_be_in in _STEPS:
        if may_be_in(text):
            text = unwanted.sub(_replacement, text)
    return text


def _replacement(found: re.Match[str]) -> str:
    return _REPLACEMENT[found.lastgroup or "invisible"]


def clean_spans(text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """Clean ``text`` and move ``spans`` (character indices) along with it; spans that vanish are dropped."""
    for unwanted, may_be_in in _STEPS:
        if not may_be_in(text):
            continue
        edits = [(m.start(), m.end(), len(_replacement(m))) for m in unwanted.finditer(text)]
        text = unwanted.sub(_replacement, text)
        spans = [(_moved(start, edits), _moved(end, edits)) for start, end in spans]
    return text, tuple((start, end) for start, end in spans if start < end)


def _moved(index: int, edits: Sequence[tuple[int, int, int]]) -> int:
    shift = 0
    for start, end, new_length in edits:
        if end <= index:
            shift += new_length - (end - start)
        elif start < index:
            return start + shift + min(index - start, new_length)
        else:
            break
    return index + shift


def one_line(text: str, limit: int = 0) -> str:
    """White space runs become one space; cut to ``limit`` characters with ``…`` when a limit is given."""
    flat = " ".join(text.split())
    return flat if not limit or len(flat) <= limit else flat[: max(limit - 1, 0)].rstrip() + "…"


def cleaned(diagnosis: Diagnosis) -> Diagnosis:
    """The same diagnosis with every string in it cleaned; doing it twice changes nothing."""
    return _clean_any(diagnosis)


def _clean_any(value: _T) -> _T:
    result: Any = value
    if isinstance(value, str):
        # An enum member is its own constant, not text of a log.
        result = clean(value) if type(value) is str else value
    elif isinstance(value, Finding):
        result = _clean_finding(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        result = _clean_fields(value, {})
    elif isinstance(value, Mapping):
        result = {_clean_any(key): _clean_any(item) for key, item in value.items()}
    elif type(value) in (tuple, list, set, frozenset):
        sequence: Any = value
        result = type(sequence)(_clean_any(item) for item in sequence)
    return result  # type: ignore[no-any-return]


def _clean_finding(finding: Finding) -> Any:
    text, highlights = clean_spans(finding.text, finding.highlights)
    return _clean_fields(finding, {"text": text, "highlights": highlights})


def _clean_fields(value: Any, done: Mapping[str, Any]) -> Any:
    changed = {
        f.name: done[f.name] if f.name in done else _clean_any(getattr(value, f.name))
        for f in dataclasses.fields(value)
    }
    return dataclasses.replace(value, **changed)
