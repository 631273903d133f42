"""The knowledge base's own patterns in a form ripgrep takes, and messages they match."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from diagnose.knowledge import Knowledge

_GROUP_NAME = re.compile(r"\(\?P<\w+>")
RG_OPTIONS = ("--no-unicode", "--regex-size-limit", "1G", "--dfa-size-limit", "1G")
"""What ripgrep is fastest with here: with Unicode classes its automaton for these patterns grows so large that
20 MB take more than half a minute."""


def rg_patterns(knowledge: Knowledge, rg: str) -> tuple[list[str], int]:
    """Patterns ripgrep compiles, and how many it does not (look-around, possessive quantifiers)."""
    taken: list[str] = []
    skipped = 0
    for signature in knowledge.signatures:
        pattern = _GROUP_NAME.sub("(?:", signature.pattern)
        tried = subprocess.run([rg, "-q", *RG_OPTIONS, "-e", pattern], input=b"", capture_output=True, check=False)
        if tried.returncode > 1 or "\n" in pattern:
            skipped += 1
        else:
            taken.append(pattern)
    return taken, skipped


def write_patterns(path: Path, patterns: list[str]) -> None:
    """One pattern a line, for ``rg -f``."""
    path.write_text("\n".join(patterns) + "\n", encoding="utf-8")


def messages(knowledge: Knowledge) -> list[str]:
    """Lines of the entries' examples that one of their signatures matches: what an error storm is made of."""
    found = []
    for entry in knowledge.entries.values():
        if entry.role not in ("root", "consequence"):
            continue
        compiled = [re.compile(pattern) for pattern in map(_plain, entry.signatures) if pattern]
        for example in entry.examples:
            lines = example.text.splitlines()
            found += [line for line in lines if any(pattern.search(line) for pattern in compiled)][:1]
    if not found:
        raise SystemExit("bench: the knowledge base has no example a signature matches within one line")
    return sorted(set(found))


def _plain(signature: object) -> str | None:
    """The signature's pattern if the standard library compiles it."""
    pattern = _GROUP_NAME.sub("(?:", str(getattr(signature, "pattern", "")))
    try:
        re.compile(pattern)
    except re.error:
        return None
    return pattern
