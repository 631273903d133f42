"""Where a line was broken: in mid word, as a terminal does, or at a blank that is lost, as a mail program does."""

from __future__ import annotations

from collections.abc import Callable, Set

from diagnose.late import late
from diagnose.records.shapes import exception_type

Vocabulary = Callable[[], Set[str]]
"""Words that messages are made of, in small letters; asked for only where a break leaves two ways to read it."""

LONG_WORD = 4
"""Letters of a word that is no chance part of a longer one."""
LONGEST_WORD = 16
"""Letters of a word; what is longer is two."""
_SHORTEST_WRAPPED = 50
"""Characters a row has before somebody wraps it."""
_LAST_LETTERS = late(r"[A-Za-z]+\Z")
_FIRST_LETTERS = late(r"[A-Za-z]+")
_OF_A_FILE = late(r"(?:\.\w{1,4}|:\d+):\Z")
"""``core.py:`` and ``core.py:12:`` go on as they stand."""
_OF_A_TIME = late(r"\d:\d\d(?!\d)")
_BEFORE_WORDS = "(['\"`{="
_BEHIND_WORDS = late(r"/|--?\w|[('\"`\[{<*]|\d")
"""What follows a blank behind a word rather than the word itself."""
_APART = late(r"[A-Za-z0-9'\"`\[({/<-]")
_THOUSANDS = late(r"(?:\A|\D)\d{1,3}(?:,\d{3})*,\Z")
_THREE_DIGITS = late(r"\d{3}(?!\d)")
"""``17,179,`` and ``869,184`` may be one number: half of one would be computed with."""
_IN_A_LIST = late(r"\d, \d{1,3},\Z")
"""``(1, 3, 336,``: numbers of a list stand apart, and none of them has a comma of its own."""
_OF_AN_OBJECT = ("<class", "<function", "<module", "<enum")
_UNIT = late(r"[KMGT]i?B\b")
_PARENTHESIS = late(r"\([^()\s]*\)")
_OPERATOR = late(r"[=!<>+*%&|-]{1,3}(?=\s)")
_DANGLING = late(
    r"(?:^|\s)(?:an?|and|at|by|for|from|in|is|of|on|or|than|that|the|to|with|AND|AT|BY|FOR|IN|OF|ON|OR|TO"
    r"|(?:\d{4}-)?\d\d-\d\d)\Z"
)
_LAST_OF_A_NAME = ("Error", "Exception")
"""``401 Client Error``; a line of its own says more than that."""
_UNFINISHED = late(r"[,:(\[{=]\Z")
_LOWER = late(r"[a-z`]")
_VALUE_END = late(r"(?:[\d/]|\S*/\S*)\Z")


def is_dangling(text: str) -> bool:
    """Whether the last word of a row cannot be that of a line."""
    return _DANGLING.search(text) is not None


def is_between_words(text: str, following: str, vocabulary: Vocabulary) -> bool:
    """Whether a blank was lost between a row and the next one, rather than that a word was cut in two."""
    if not text.strip() or not following.strip() or text[-1].isspace() or following[0].isspace():
        return False
    left, right = text.rsplit(maxsplit=1)[-1], following.split(maxsplit=1)[0]
    if left[-1] in ",;":
        may_be_one = _THOUSANDS.search(left) and _THREE_DIGITS.match(right)
        return not may_be_one or _IN_A_LIST.search(text) is not None
    if left[-1] == ":":
        goes_on = _OF_A_FILE.search(left) or _OF_A_TIME.match(left[-2:] + right[:3])
        return goes_on is None and _APART.match(right) is not None
    if left[-1] in ".!?":
        return right[0].isupper() and len(left) > 1 and left[-2].isalpha()
    if left in _OF_AN_OBJECT:
        return True
    if left[-1] in ")]}'\"`":
        return right[0].isalnum() or right[0] == "("
    if right[0] == "(" and (left[-1].isdigit() or _PARENTHESIS.match(right)):
        return True
    if _OPERATOR.match(following):
        return True
    return _are_words(left, right, vocabulary)


def _are_words(left: str, right: str, vocabulary: Vocabulary) -> bool:
    end, begin = _LAST_LETTERS.search(left), _FIRST_LETTERS.match(right)
    if left[-1].isdigit() and begin is not None:
        return begin[0].lower() in vocabulary()
    if end is None or (end.start() and left[end.start() - 1] not in _BEFORE_WORDS):
        # ``host/device``: a path as well, so that both words have to be known.
        parts = [] if end is None or begin is None or left[end.start() - 1] != "/" else [end[0], begin[0]]
        return bool(parts) and {*map(str.lower, parts)} <= vocabulary() and "".join(parts).lower() not in vocabulary()
    known = end[0].lower() in vocabulary()
    if begin is None:
        return known and _BEHIND_WORDS.match(right) is not None
    whole = (end[0] + begin[0]).lower()
    if whole in vocabulary():
        return False
    follows = begin[0].lower() in vocabulary()
    if not end[0][1:].islower() and len(end[0]) > 1:  # a name of several words, which has no usual length
        return follows and begin[0].islower()
    if is_dangling(left) or len(whole) > LONGEST_WORD:
        return True
    long = len(end[0]) >= LONG_WORD
    return (known and (follows or long)) or (follows and long and len(whole) > 2 * LONG_WORD)


def is_broken_off(text: str, following: str) -> bool:
    """Whether a sentence surely goes on on the next row: it is unfinished, or was long enough to be wrapped and the
    next one begins with a small letter. A number or a path at the end is whole as it stands."""
    if _UNFINISHED.search(text.rstrip()) or is_dangling(text.rstrip()) or _OPERATOR.match(following):
        return True
    if text.endswith(_OF_AN_OBJECT) or (text[-1:].isdigit() and _UNIT.match(following)):
        return True
    if len(text.strip()) < _SHORTEST_WRAPPED:
        return False
    whole = not text[-1].isalpha() or "/" in text.rsplit(maxsplit=1)[-1]
    if following.startswith("(") or following.strip() in _LAST_OF_A_NAME:
        return True
    if following.startswith(("'", '"', "`")) and text[-1].isalnum():
        return True
    # ``pydantic_core.ValidationError: …`` begins with a small letter, and a message with it.
    return not whole and _LOWER.match(following) is not None and exception_type(following) is None


def no_words() -> Set[str]:
    """The vocabulary of whoever knows none."""
    return frozenset()
