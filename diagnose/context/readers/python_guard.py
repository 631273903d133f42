"""A look at a script before it is parsed: older parsers end the process on very deep expressions."""

from __future__ import annotations

import io
import tokenize

MAX_CHARACTERS = 1024 * 1024
MAX_RUN = 2000
"""Tokens of one expression between two commas or line ends; a script written by hand has a few dozen."""
MAX_ELIF = 300
"""``elif`` branches of one chain; each is nested in the one before."""

_ENDS = frozenset({",", ";", ":"})
_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")


def too_deep(text: str) -> bool:
    """Whether ``text`` is too long or holds an expression too deep to be parsed safely.

    Text that cannot be split into tokens is left to the parser: it refuses it at the same place.
    """
    if len(text) > MAX_CHARACTERS:
        return True
    runs = [0]
    branches = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE or token.string in _ENDS:
                runs[-1] = 0
            elif token.string in _OPEN:
                runs.append(0)
            elif token.string in _CLOSE and len(runs) > 1:
                runs.pop()
            branches = branches + 1 if token.string == "elif" else 0 if token.string == "if" else branches
            runs[-1] += 1
            if runs[-1] > MAX_RUN or branches > MAX_ELIF:
                return True
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return False
