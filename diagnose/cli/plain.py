"""The everyday command line, understood without the parser.

Importing typer (with what it brings) takes longer than reading a small log. A command line of well-formed
known options needs none of it; everything else (a mistake, ``--``, help) is left to typer. A test holds both
to one meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

SINGLE: Final = {"--format": "format", "--npu": "npu"}
REPEATED: Final = {"--config": "config", "--set": "sets"}
FLAGS: Final = {
    "--all-runs": "all_runs",
    "--no-store": "no_store",
    "--no-color": "no_color",
    "--no-redact": "no_redact",
}


def parse(argv: Sequence[str]) -> dict[str, Any] | None:
    """Arguments for ``make_request``, or None when ``argv`` needs the real parser."""
    found: dict[str, Any] = {"files": []}
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            found["files"].append(word)
        elif word in FLAGS:
            found[FLAGS[word]] = True
        elif name in SINGLE or name in REPEATED:
            given = value if equals else next(words, None)
            if given is None or (not equals and given.startswith("-")):
                return None
            if name in SINGLE:
                found[SINGLE[name]] = given
            else:
                found.setdefault(REPEATED[name], []).append(given)
        else:
            return None
    return found
