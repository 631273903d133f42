"""Events and notices as lines a person reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.model import Lang
from diagnose.report.clean import clean, one_line
from diagnose.watch.events import event_object
from diagnose.watch.nouns import Event
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.words import word

LONGEST = 300


def event_lines(event: Event, lang: Lang) -> list[str]:
    """What happened on one line; for a cause, its first way out on a second one."""
    made = event_object(event)
    where = f"{event.source}:{line_of(made)}"
    lead = f"{event.at[11:19]}Z  " + (f"({word('replayed', lang)}) " if event.replayed else "")
    lines = [f"{lead}{word(event.kind, lang)}  {where}  {headline(made, lang)}"]
    way = way_out(made, lang) if event.kind in ("opened", "amended", "repeated") else ""
    if way:
        lines.append(f"    → {way}")
    return [one_line(clean(line), LONGEST) if not line.startswith(" ") else line[:LONGEST] for line in lines]


def line_of(made: Mapping[str, Any]) -> int:
    """Line of the log an event's object speaks of."""
    return int((made.get("finding") or made.get("unknown") or {}).get("line") or 0)


def headline(made: Mapping[str, Any], lang: Lang) -> str:
    """The title with its entry; for an unknown error its text."""
    finding = made.get("finding")
    if finding is None:
        return str((made.get("unknown") or {}).get("text", ""))
    title = finding["title"].get(lang, "")
    if finding.get("role") == "consequence":
        title = f"{title} ({word('echo', lang)})"
    return f"{title} [{finding['entry']}]"


def way_out(made: Mapping[str, Any], lang: Lang) -> str:
    """The first remedy that changes something, as ``name: old → new``; else the title of the first one."""
    remedies = (made.get("finding") or {}).get("remedies") or []
    for remedy in remedies:
        changes = remedy.get("changes") or []
        if changes:
            return clean(", ".join(f"{c['parameter']}: {_value(c['from'])} → {_value(c['to'])}" for c in changes))
    return clean(str(remedies[0]["title"].get(lang, ""))) if remedies else ""


def _value(value: object) -> str:
    return "-" if value is None else str(value)


def notice_line(notice: Notice, lang: Lang) -> str:
    """One line about ourselves."""
    fields = dict(notice.fields)
    if lang == "ko" and "why_ko" in fields:
        fields["why"] = fields["why_ko"]
    return one_line(clean(word(f"notice_{notice.code}", lang).format(path=notice.path or "-", **fields)), LONGEST)


def alert_text(kind: str, made: Mapping[str, Any], lang: Lang, *, host: str, source: str) -> tuple[str, str]:
    """Title and body of an alert."""
    title = f"{word(kind, lang)}: {headline(made, lang)}"
    place = f"{host} {source} {word('line', lang)} {line_of(made)}".strip()
    way = way_out(made, lang)
    tail = f"{word('incident', lang)} {made.get('incident', '')}"
    body = "\n".join(part for part in (place, f"→ {way}" if way else "", tail) if part)
    return one_line(clean(title), LONGEST), clean(body)
