"""Small events for the tests of reasoning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diagnose.knowledge.schema import Case, Entry
from diagnose.model import ExceptionInfo, Match, Piece, Record, RecordKind, Text
from diagnose.reasoning import Event

SAME = Text("x", "x")


def entry(id_: str, role: Any = "root", severity: Any = "fatal", explains: tuple[str, ...] = ()) -> Entry:
    return Entry(id_, "vllm", "vllm", role, severity, SAME, (Case(None, SAME),), explains=explains)


ENTRIES = {
    e.id: e
    for e in (
        entry("kv.small", explains=("engine.*",)),
        entry("host.port", severity="error"),
        entry("device.memory", explains=("runtime.create", "engine.*")),
        entry("runtime.create", explains=("engine.*",)),
        entry("request.long", severity="error"),
        entry("engine.init", role="consequence"),
        entry("engine.dead", role="consequence"),
        entry("engine.echo", role="consequence"),
        entry("warn.pool", role="context", severity="warning"),
        entry("noise.pin", role="noise"),
    )
}


@dataclass(frozen=True)
class Mark:
    kind: str
    key: str = "banner"
    pid: int | None = None


def event(
    line: int,
    *entries: str,
    process: str | None = None,
    kind: RecordKind = RecordKind.EXCEPTION,
    level: str | None = None,
    chain: int | None = None,
    position: int = 0,
    link: Any = None,
    numbers: dict[str, Any] | None = None,
    text: str = "ValueError: something",
    source: str | None = None,
) -> Event:
    info = None
    if kind is RecordKind.EXCEPTION:
        info = ExceptionInfo("ValueError", line if chain is None else chain, position, link, True)
    record = Record(
        kind, text, (Piece(0, line, line * 10),), level=level, process=process, exception=info, source=source
    )
    matches = tuple(Match(e, 0, record, i, i + 1, numbers or {}) for i, e in enumerate(entries))
    return Event(record, matches, kind is not RecordKind.RAW and level != "WARNING", "" if entries else text)
