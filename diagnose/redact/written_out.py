"""Characters that were written out: ``\\n`` in JSON and in a repr, ``%20`` in a URL, ``^[[31m`` of a colour; and blanks
that are not the one of the keyboard, as web pages and chats write them.

The last letter of such a sequence stands right before a secret and would be taken for a part of its word:
``\\nhf_…``, ``%20hf_…``, ``\\x1b[0mhf_…``.
"""

from __future__ import annotations

import re
from typing import Final

from diagnose.late import late

_SEQUENCES: Final = late(
    r"(?:\x1b|\\{1,4}(?:x1[bB]|u001[bB]|0?33|e)|\^\[|#033|␛|\ufffd)\[[0-9;?]{0,40}[A-Za-z]"
    r"|\\{1,4}(?:[nrtfvb0a]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"
    r"|%[2-7][0-9A-Fa-f]|%0[9AaDd]"
)
_OTHER_BLANKS: Final = dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
_SIGNS: Final = ("\\", "%", "\x1b", "^[", "#033", "␛", "\ufffd")


def blanked(text: str) -> str:
    """``text`` with every such sequence as blanks and what it stands for; of the same length, or ``text`` itself."""
    if not text.isascii():
        text = text.translate(_OTHER_BLANKS)
    if not any(sign in text for sign in _SIGNS):
        return text
    return _SEQUENCES.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    sequence = found[0]
    last = " "
    if sequence[0] == "\\" and sequence[-1] in "nr" and len(sequence.lstrip("\\")) == 1:
        return "\n" * len(sequence)
    if sequence[0] == "%":
        # What a URL holds of these parts its own names and values; letters and digits stand for themselves.
        character = chr(int(sequence[1:], 16))
        last = character if character.isprintable() and not character.isalnum() else " "
    return last.rjust(len(sequence))
