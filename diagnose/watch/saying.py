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
    about = made.get("was") or made  # of what was put right, the line it was told for
    lead = f"{event.at[11:19]}Z  " + (f"({word('replayed', lang)}) " if event.replayed else "")
    where = f"{event.source}:{line_of(about)}"
    difference = difference_of(made, lang)
    # What is different is what this line is for: a long message leaves it room.
    what = one_line(clean(headline(about, lang)), LONGEST // 2) if difference else headline(about, lang)
    line = "  ".join(part for part in (f"{lead}{label_of(made, lang)}", where, what, difference) if part)
    lines = [one_line(clean(line), LONGEST)]
    # What explains an error told before has its own line, with the way out.
    way = way_out(made, lang) if event.kind in ("opened", "amended", "repeated") and event.was is None else ""
    return [*lines, f"    → {way}"[:LONGEST]] if way else lines


def label_of(made: Mapping[str, Any], lang: Lang) -> str:
    """The word an event begins with. A known error without a cause of ours is not called an unknown one."""
    finding = made.get("finding") or {}
    if made["event"] == "unknown" and finding:
        return word("echo_alone" if finding.get("role") == "consequence" else "foreign", lang)
    return word(made["event"], lang)


def difference_of(made: Mapping[str, Any], lang: Lang) -> str:
    """What is different from what was told before; empty for what is no amendment."""
    if "was" in made:
        finding, unknown = made.get("finding"), made.get("unknown")
        if finding is not None:
            fields = {"title": finding["title"].get(lang, ""), "entry": finding["entry"], "line": finding["line"]}
            return f"· {word('changed_echo', lang).format(**fields)}"
        if unknown is not None:
            return f"· {word('changed_unknown', lang).format(line=unknown['line'], text=unknown['text'])}"
        return f"· {word('changed_nothing', lang)}"
    return f"· {made['changed'].get(lang, '')}" if made.get("changed") else ""


def line_of(made: Mapping[str, Any]) -> int:
    """Line of the log an event's object speaks of."""
    return int((made.get("finding") or made.get("unknown") or {}).get("line") or 0)


def headline(made: Mapping[str, Any], lang: Lang) -> str:
    """The title with its entry; for an unknown error its text."""
    finding = made.get("finding")
    if finding is None:
        return str((made.get("unknown") or {}).get("text", ""))
    title = finding["title"].get(lang, "")
    if finding.get("role") == "consequence" and not made.get("changed"):
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
    difference = difference_of(made, lang)
    title = "  ".join(part for part in (f"{word(kind, lang)}: {headline(made, lang)}", difference) if part)
    place = f"{host} {source} {word('line', lang)} {line_of(made)}".strip()
    way = way_out(made, lang)
    tail = f"{word('incident', lang)} {made.get('incident', '')}"
    body = "\n".join(part for part in (place, f"→ {way}" if way else "", tail) if part)
    return one_line(clean(title), LONGEST), clean(body)
