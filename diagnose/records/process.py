"""Who wrote a line: vLLM's and Ray's process prefix, torchrun's rank, Ray's repeat count."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from diagnose.late import late
from diagnose.records.grammars import vllm_head

if TYPE_CHECKING:
    import re

_PROCESS = late(r"\((?:(?P<process>[A-Za-z][\w. =/-]*?) )?pid=(?P<pid>\d+)(?:, ip=(?P<ip>[\d.:a-fA-F]+))?\)(?: |$)")
_RANK = late(r"\[(?P<rank>rank\d+)\]:(?: |$|(?=\[?[A-Z]\d{3,4} ))")
_REPEATED = late(r" \[repeated (?P<count>\d+)x across cluster\](?: \(Ray deduplicates logs by default\..*)?$")
_PREFIXES = (_PROCESS, _RANK)
_BRACKETS = ("(", "[")


class Owner(NamedTuple):
    """The innermost process that put its name before a line."""

    process: str | None = None
    pid: int | None = None
    host: str = ""
    """Address of a remote Ray node, or the rank when that is all there is: two processes stay two."""

    @property
    def named(self) -> bool:
        return self.process is not None or self.pid is not None


NOBODY = Owner()
_PREFIX_WITHIN = 80


def read_owner(text: str, start: int = 0) -> tuple[Owner, int]:
    """The owner and the index behind its prefixes. Prefixes nest; the innermost wins.

    Exactly one blank is taken behind a prefix: what follows it is the indentation of a traceback.
    """
    owner = NOBODY
    if not start and text[:1] == "(":
        # Up to its bracket the prefix is the same on all lines of a process.
        end = text.find(") ", 0, _PREFIX_WITHIN)
        owner, start = _prefix(text[: end + 2]) if end > 0 else (owner, start)
    while text.startswith(_BRACKETS, start):
        for pattern in _PREFIXES:
            found = pattern.match(text, start)
            if found is not None:
                break
        else:
            break
        start = found.end()
        if pattern is _RANK:
            owner = Owner(found["rank"]) if not owner.named else owner._replace(host=found["rank"])
        else:
            owner = _owner(found)
    return owner, start


_NAMES_PID = " pid="
_PID_WITHIN = 240
_ENDS_A_PREFIX = frozenset(" \t|:]>│")
_QUOTES = ('"', "'", "`")


def owner_before_head(text: str) -> Owner:
    """The process that wrote a record of vLLM's behind text that nothing is known of: ``x-0: (EngineCore pid=7) INFO``.

    Only where the record begins right behind the process, and no quotation is open: a message can speak of one.
    """
    at = text.find(_NAMES_PID, 0, _PID_WITHIN)
    start = text.rfind("(", 0, at) if at > 0 else 0
    if start <= 0 or text[start - 1] not in _ENDS_A_PREFIX or any(quote in text[:start] for quote in _QUOTES):
        return NOBODY
    owner, end = read_owner(text, start)
    return owner if owner.named and vllm_head(text[end:]) is not None else NOBODY


@lru_cache(maxsize=256)
def _prefix(text: str) -> tuple[Owner, int]:
    """The owner a text up to its first ``) `` names, and the end of that name: 0 when it is something else."""
    found = _PROCESS.match(text)
    return (NOBODY, 0) if found is None else (_owner(found), found.end())


def _owner(found: re.Match[str]) -> Owner:
    return Owner(found["process"], int(found["pid"]), found["ip"] or "")


def read_repeats(text: str) -> tuple[int, int]:
    """How many processes printed the line (Ray prints one copy) and where the text ends without the note."""
    if "x across cluster]" not in text:
        return 1, len(text)
    found = _REPEATED.search(text)
    return (int(found["count"]), found.start()) if found else (1, len(text))
