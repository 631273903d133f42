"""The sentences of the memory, in both languages."""

from __future__ import annotations

from typing import Final

from diagnose.incidents.before import Seen
from diagnose.incidents.times import readable
from diagnose.model import Text

SEEN: Final = Text(
    "Seen {times} times before on this machine, last {when} ({source}).",
    "이 장비에서 이전에 {times}번 나타났습니다 (마지막: {when}, {source}).",
)
SEEN_ONCE: Final = Text(
    "Seen once before on this machine, {when} ({source}).",
    "이 장비에서 이전에 한 번 나타났습니다 ({when}, {source}).",
)
FIXED: Final = Text("What fixed it then: {fix}", "당시 해결 방법: {fix}")
WORKED: Final = Text("worked {worked} of {tried} times here", "이 장비에서 {tried}번 중 {worked}번 해결")
PIPE: Final = Text("a pipe", "파이프")


def seen(what: Seen, fix: Text | None) -> tuple[Text, ...]:
    """When it was seen before, and what fixed it then; ``fix`` is the title of the remedy, where it is known."""
    before = SEEN_ONCE if what.times == 1 else SEEN
    said = [before.filled(times=what.times, when=readable(what.last), source=_source(what.source))]
    ways = [part for part in (_fix(what, fix), _note(what)) if part is not None]
    if ways:
        said.append(FIXED.filled(fix=Text("; ".join(way.en for way in ways), "; ".join(way.ko for way in ways))))
    return tuple(said)


def worked(times: tuple[int, int]) -> Text:
    """How often a remedy worked of how often it was tried."""
    return WORKED.filled(worked=times[0], tried=times[1])


def _fix(what: Seen, fix: Text | None) -> Text | None:
    if what.fixed_by is None:
        return None
    if fix is None:
        return Text(what.fixed_by, what.fixed_by)
    return Text(f"{fix.en} ({what.fixed_by})", f"{fix.ko} ({what.fixed_by})")


def _note(what: Seen) -> Text | None:
    return Text(what.note, what.note) if what.note else None


def _source(source: str) -> str | Text:
    if source == "-":
        return PIPE
    return source.replace("\\", "/").rpartition("/")[2] or source
