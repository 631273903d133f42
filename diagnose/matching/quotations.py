"""What a message only quotes: a request's text, a model's answer, an input that could not be read."""

from __future__ import annotations

import re

from diagnose.late import late

FARTHEST = 4_000
"""Characters before a place in which the quotation mark that opened around it is looked for."""

_MARK = late(r"(?<!\\)[\"'“”]")
_CLOSING = {'"': '"', "'": "'", "“": "”"}
_HANDED_ON = late(
    r"(?:err(?:or)?s?|exception\w*|fail\w*|reasons?|causes?|caused by|messages?|msg|details?|description|stderr|stdout"
    r"|output|status|logs?|raised|because|what\(\)|said|with|오류|에러|원인)"
    r"[\"']?\s*[:=(\[]*\s*(?:(?:[A-Za-z_][\w.]*)?(?:Error|Exception)\()?\Z"
    r"|(?:Error|Exception)(?::\s*|\(\s*\(?)[bru]?\Z",
    re.IGNORECASE,
)
"""In front of a quotation: a message that another process or program raised, handed on."""
_WHOLE = late(r"[\w.]+:\s*(?:[(\[]\s*(?:[\"'][^\"']*[\"'],\s*)*)?\Z")
"""The message itself is printed as a string or a tuple: ``KeyError: '…'``, ``RuntimeError: ('…', '…')``."""
_OF_A_PERSON = late(
    r"(?:content|text|prompt|input(?:_value|_text|s)?|query|question|user|assistant|arguments|body|role|completion|answer"
    r"|사용자|질문|답변)[\"']?\s*[:=]\s*\Z",
    re.IGNORECASE,
)
"""In front of a quotation: what a person wrote or a model answered."""


def quoted(text: str, start: int) -> str | None:
    """What stands in front of the quotation in which the character ``start`` of ``text`` lies; None outside of any.

    An apostrophe opens nothing, and neither does a mark that is never closed.
    """
    begin = max(0, start - FARTHEST)
    opened: list[tuple[str, int]] = []
    for found in _MARK.finditer(text, begin, start):
        mark, place = found[0], found.start()
        before = text[place - 1] if place else " "
        closed = next((i for i in range(len(opened) - 1, -1, -1) if _CLOSING[opened[i][0]] == mark), None)
        if closed is not None and not text[place + 1 : place + 2].isalnum():
            del opened[closed:]
        elif mark in _CLOSING and not (before.isalnum() and mark == "'") and not before.isdigit():
            opened.append((mark, place))
    for mark, place in reversed(opened):
        if text.find(_CLOSING[mark], start) >= 0:
            return text[begin:place]
    return None


def is_of_a_person(lead: str) -> bool:
    """Whether a quotation behind ``lead`` is what a person wrote or a model answered."""
    return _OF_A_PERSON.search(lead[-80:]) is not None


def is_handed_on(lead: str) -> bool:
    """Whether a quotation behind ``lead`` is another program's message."""
    return _HANDED_ON.search(lead[-80:]) is not None or _WHOLE.match(lead) is not None
