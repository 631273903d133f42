"""What a terminal would have done: colours away, overwritten and overstruck text away."""

from __future__ import annotations

from diagnose.late import late

_ESCAPES = late(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|[P_^X][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|[@-Z\\^_=>()][0-9A-B]?)"  # Buildkite dates its lines so
    r"|\^\[\[[0-9;]*[A-Za-z]"  # `cat -v` wrote the escape character out
    r"|#033\[[0-9;]*[A-Za-z]"  # rsyslog did
    r"|\ufffd\[(?:[0-9;]{1,30}m|[0-2]?[KJ](?!\w)|m(?!\w))"  # something that knew no control characters did
)
_NAKED = late(r"\[(?:\d{1,3};)*\d{1,3}m")
"""Colour codes that lost their escape character on the way through a browser."""


def strip_colours(text: str) -> str:
    """``text`` without ANSI sequences, in the written-out forms too."""
    if "\x1b" in text or "^[[" in text or "#033[" in text or "\ufffd[" in text:
        text = _ESCAPES.sub("", text)
    elif "[0m" in text or "[0;0m" in text:
        text = _NAKED.sub("", text)
    return overstruck(text) if "\b" in text else text


def overstruck(text: str) -> str:
    """``text`` as a terminal shows it that takes every backspace: bold of a printer, a word typed again."""
    shown: list[str] = []
    for character in text:
        if character != "\b":
            shown.append(character)
        elif shown and shown[-1] not in "\r\n":
            shown.pop()
    return "".join(shown)


def last_painted(text: str) -> int:
    """Where the last piece begins that is not blank, of a line painted over with bare ``\\r``."""
    end = len(text)
    while True:
        cut = text.rfind("\r", 0, end)
        if text[cut + 1 : end].strip() or cut < 0:
            return cut + 1
        end = cut
