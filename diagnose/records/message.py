"""Where an exception's message ends, when no prefix on the lines tells."""

from __future__ import annotations

from diagnose.records.limits import MAX_BLANKS, MAX_MESSAGE_LINES
from diagnose.records.shapes import ends_message, exception_type, wraps
from diagnose.records.text_builder import TextBuilder

_UNFINISHED = (":", ",", "(", "[", "{")
_LISTS = ("ValidationError", "ExceptionGroup")


def continues_message(kept: TextBuilder, text: str, type_: str, bare: bool, adjacent: bool) -> bool:
    """True when an unprefixed line goes on with the message collected in ``kept``.

    A message may hold blank lines (Hugging Face and optimum write help behind one). Without frames above it
    (``bare``) an exception line is weaker evidence, so only what is plainly unfinished or wrapped goes on. ``adjacent``
    is False when another process wrote in between and nothing tells whose the line is.
    """
    if not text.strip():
        return kept.blanks < MAX_BLANKS
    if len(kept) >= MAX_MESSAGE_LINES or ends_message(text):
        return False
    if text[0] in " \t":
        return not bare or not kept.blanks or _listing(type_)
    unfinished = kept.last.endswith(_UNFINISHED)
    if exception_type(text) is not None and not unfinished and not _torchscript(kept):
        return False
    if not adjacent:
        return False
    if not bare or _listing(type_):
        return True
    return not kept.blanks and (unfinished or wraps(kept.last, text))


def _listing(type_: str) -> bool:
    """pydantic prints one unindented location line per error."""
    return type_.endswith(_LISTS)


def _torchscript(kept: TextBuilder) -> bool:
    """TorchScript's message holds a traceback of its own, closing line included."""
    return "Traceback of TorchScript" in kept.build()[0]
