"""The everyday command line, understood without the parser.

Importing typer (with what it brings) takes longer than reading a small log. A command line of well-formed
known options needs none of it; everything else (a mistake, ``--``, help) is left to typer. A test holds both
to one meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class Short:
    """The options of one command: as they are written → the argument they become."""

    words: str
    """Argument that takes what is no option."""
    single: Mapping[str, str]
    repeated: Mapping[str, str]
    flags: Mapping[str, str]
    needs_word: bool = False


DIAGNOSE: Final = Short(
    words="files",
    single={"--format": "format", "--npu": "npu"},
    repeated={"--config": "config", "--set": "sets"},
    flags={
        "--all-runs": "all_runs",
        "--no-store": "no_store",
        "--no-color": "no_color",
        "--no-redact": "no_redact",
    },
)
WATCH: Final = Short(
    words="paths",
    single={"--from": "from_", "--format": "format", "--listen": "listen", "--npu": "npu"},
    repeated={"--alert": "alert", "--config": "config", "--set": "sets"},
    flags={"--poll": "poll", "--no-store": "no_store", "--no-color": "no_color"},
    needs_word=True,
)


def parse(argv: Sequence[str], short: Short) -> dict[str, Any] | None:
    """Arguments for ``make_request``, or None when ``argv`` needs the real parser."""
    found: dict[str, Any] = {short.words: []}
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            found[short.words].append(word)
        elif word in short.flags:
            found[short.flags[word]] = True
        elif name in short.single or name in short.repeated:
            given = value if equals else next(words, None)
            if given is None or (not equals and given.startswith("-")):
                return None
            if name in short.single:
                found[short.single[name]] = given
            else:
                found.setdefault(short.repeated[name], []).append(given)
        else:
            return None
    return None if short.needs_word and not found[short.words] else found
