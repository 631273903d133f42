"""What a person acts on in a finding, and what of it is different from what was told before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from diagnose.model import Finding, Lang, Remedy, Text
from diagnose.report import values
from diagnose.watch.words import template, text

MAX_NAMED: Final = 3
"""Differences that are named; of more the number is said."""
LANGS: Final[tuple[Lang, Lang]] = ("en", "ko")


def essence(finding: Finding) -> str:
    """When it changes, the incident is amended. Another echo, copy or line is no amendment, nor is anything that
    :func:`changed` could not name."""
    numbers = sorted((name, values.show(value, "en")) for name, value in finding.numbers.items() if value is not None)
    ways = [(r.id, r.applicability, _changes(r, "en")) for r in finding.remedies]
    return repr((finding.entry, finding.role, finding.severity, numbers, ways))


def changed(before: Finding, now: Finding) -> Text:
    """``available_blocks: 12 → 10; now computed: Shorten max_seq_len … (max_seq_len: 262144 → 180224)``."""
    found = [*_kind(before, now), *_numbers(before, now), *_ways(before, now)]
    more = len(found) - MAX_NAMED
    if more > 0:
        found[MAX_NAMED:] = [text("changed_more", count=more)]
    return Text(*("; ".join(part.in_(lang) for part in found) for lang in LANGS))


def explained(cause: Finding) -> Text:
    """What turned out to be an echo of ``cause``, or a part of it."""
    return _filled("changed_echo", line=cause.line, title=cause.title, entry=cause.entry)


def _kind(before: Finding, now: Finding) -> Iterator[Text]:
    if before.entry != now.entry:
        yield _filled("changed_entry", title=before.title, entry=before.entry)
    if before.role != now.role:
        yield text("changed_to_echo" if now.role == "consequence" else "changed_to_root")
    if before.severity != now.severity:
        yield text("changed_severity", before=before.severity, now=now.severity)


def _numbers(before: Finding, now: Finding) -> Iterator[Text]:
    for name in dict.fromkeys((*now.numbers, *before.numbers)):
        was, is_ = (_pair(values.show(f.numbers.get(name), lang) for lang in LANGS) for f in (before, now))
        if was.en != is_.en:
            yield Text(*(f"{name}: {was.in_(lang)} → {is_.in_(lang)}" for lang in LANGS))


def _ways(before: Finding, now: Finding) -> Iterator[Text]:
    was = {remedy.id: remedy for remedy in before.remedies}
    for remedy in now.remedies:
        old = was.pop(remedy.id, None)
        if old is None or (old.applicability, _changes(old, "en")) != (remedy.applicability, _changes(remedy, "en")):
            # The title of a way that was there is filled with the same numbers: what it changes says more.
            surety = _pair(values.badge(remedy, lang) for lang in LANGS)
            what = _pair(_changes(remedy, lang) or remedy.title.in_(lang) for lang in LANGS)
            yield _filled("changed_new_way" if old is None else "changed_way", what=what, surety=surety)
    for remedy in was.values():
        yield _filled("changed_no_way", title=remedy.title)
    kept = [r.id for r in before.remedies if any(r.id == o.id for o in now.remedies)]
    if kept != [r.id for r in now.remedies if r.id in kept]:
        yield _filled("changed_first", title=now.remedies[0].title)


def _changes(remedy: Remedy, lang: Lang) -> str:
    return ", ".join(values.change_line(change, lang) for change in remedy.changes)


def _pair(both: Iterable[str]) -> Text:
    return Text(*both)


def _filled(key: str, **fields: object) -> Text:
    return template(key).filled(**fields)
