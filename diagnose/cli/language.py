"""``--lang``, else ``RBLN_DIAGNOSE_LANG``, else the locale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from diagnose.model import InputError, Lang, Text

LANGS: Mapping[str, Lang] = {"ko": "ko", "en": "en"}
OPTION, VARIABLE = "--lang", "RBLN_DIAGNOSE_LANG"


def take(argv: Sequence[str], environ: Mapping[str, str]) -> tuple[Lang, list[str]]:
    """The language and ``argv`` without ``--lang``, which every command has; InputError for another value."""
    rest: list[str] = []
    given: str | None = None
    words = iter(argv)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word == OPTION:
            given = next(words, "")
        elif word.startswith(f"{OPTION}="):
            given = word.partition("=")[2]
        else:
            rest.append(word)
    if given is not None:
        return _known(given, OPTION), rest
    variable = environ.get(VARIABLE, "")
    return (_known(variable, VARIABLE) if variable else of_locale(environ)), rest


def asked(argv: Sequence[str]) -> Lang | None:
    """A valid language somewhere in ``argv``, for messages about a broken command line."""
    for word in argv:
        if word.startswith(f"{OPTION}="):
            found = LANGS.get(word.partition("=")[2])
            if found:
                return found
    return next((LANGS[b] for a, b in pairwise(argv) if a == OPTION and b in LANGS), None)


def of_locale(environ: Mapping[str, str]) -> Lang:
    """Korean for a locale that starts with ``ko``; the first variable that is set decides, as in POSIX."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environ.get(name)
        if value:
            return "ko" if value.lower().startswith("ko") else "en"
    return "en"


def _known(value: str, source: str) -> Lang:
    found = LANGS.get(value)
    if found is None:
        raise InputError(
            Text(
                f"{source} is {value!r}; it must be ko or en",
                f"{source}에 쓸 수 없는 값입니다: {value!r}. ko 또는 en이어야 합니다",
            )
        )
    return found
