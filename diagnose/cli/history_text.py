"""Incidents on stdout: a table, a page, JSON. Nothing a log held reaches the terminal uncleaned."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from diagnose.cli.words import word
from diagnose.incidents.history import Similar
from diagnose.incidents.nouns import Incident
from diagnose.incidents.times import FOREVER, readable
from diagnose.incidents.words import worked
from diagnose.model import Lang
from diagnose.report.clean import clean, one_line
from diagnose.report.excerpt import cells
from diagnose.report.values import show

Told = Sequence[Mapping[str, Any]]


def as_object(incident: Incident) -> dict[str, Any]:
    """An incident in JSON types; its finding stands there once, whole."""
    made = dataclasses.asdict(incident)
    finding = made.pop("finding")
    return {**made, "title": finding.get("title"), "text": finding.get("text")}


def write_list(found: Sequence[Incident], format: str, lang: Lang, *, asked: bool) -> None:
    """A row for each, or one JSON array. ``asked``: only for some, so that there may be others."""
    if format == "json":
        print(json.dumps([as_object(one) for one in found], ensure_ascii=False, indent=2))
        return
    if not found:
        print(word("history_none" if asked else "history_empty", lang))
        return
    for line in table([_row(one, lang) for one in found]):
        print(line)


def write_similar(found: Sequence[Similar], format: str, lang: Lang) -> None:
    """As :func:`write_list`, with the score in front."""
    if format == "json":
        said = [{"score": one.score, "incident": as_object(one.incident)} for one in found]
        print(json.dumps(said, ensure_ascii=False, indent=2))
        return
    if not found:
        print(word("history_none_similar", lang))
        return
    for line in table([[str(one.score), *_row(one.incident, lang)] for one in found]):
        print(line)


def write_lines(found: Iterable[Incident]) -> None:
    """One JSON object a line."""
    for one in found:
        print(json.dumps(as_object(one), ensure_ascii=False))


def write_one(
    incident: Incident,
    told: Told,
    tried: Told,
    times: Mapping[str, tuple[int, int]],
    format: str,
    lang: Lang,
) -> None:
    """Everything about one incident."""
    if format == "json":
        made = {**as_object(incident), "sightings": list(told), "tried": list(tried)}
        print(json.dumps(made, ensure_ascii=False, indent=2))
        return
    for line in _page(incident, told, tried, times, lang):
        print(clean(line))


def table(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns two cells apart; the last one is as long as it is."""
    wide = [max(cells(column) for column in columns) for columns in zip(*lines, strict=True)]
    for line in lines:
        padded = [part + " " * (width - cells(part)) for part, width in zip(line, wide, strict=True)]
        yield "  ".join(padded).rstrip()


def title(incident: Incident, lang: Lang) -> str:
    return one_line(clean(str((incident.finding.get("title") or {}).get(lang) or incident.entry)))


def _row(incident: Incident, lang: Lang) -> list[str]:
    state = word(f"history_state_{incident.state}", lang)
    plain = (incident.id, readable(incident.last_seen), f"{incident.count}x", state, incident.entry, incident.target)
    return [one_line(clean(part)) for part in plain] + [one_line(title(incident, lang), 80)]


def _page(
    incident: Incident, told: Told, tried: Told, times: Mapping[str, tuple[int, int]], lang: Lang
) -> Iterator[str]:
    yield title(incident, lang)
    yield from _facts(incident, lang)
    for heading, lines in (
        ("history_excerpt", incident.excerpt.split("\n")),
        ("cause", _cause(incident, lang)),
        ("history_numbers", [f"{name} = {show(value, lang)}" for name, value in incident.numbers.items()]),
        ("history_config", [f"{name} = {show(value, lang)}" for name, value in incident.config.items()]),
        ("remedies", [_remedy(remedy, times, lang) for remedy in incident.remedies]),
        ("history_tried", [_trial(trial, lang) for trial in tried]),
        ("history_told", [f"{readable(one['at'])}  {word('history_kind_' + one['kind'], lang)}" for one in told]),
    ):
        if any(lines):
            yield f"\n{word(heading, lang)}"
            yield from (f"  {line}" for line in lines)


def _facts(incident: Incident, lang: Lang) -> Iterator[str]:
    state = word(f"history_state_{incident.state}", lang)
    versions = ", ".join(f"{name.replace('_', '-')} {version}" for name, version in incident.versions.items())
    muted = incident.muted_until and (
        word("history_forever", lang) if incident.muted_until == FOREVER else readable(incident.muted_until)
    )
    facts = (
        ("history_id", incident.id),
        ("history_entry", incident.entry),
        ("history_state", state),
        ("history_target", incident.target),
        ("history_first", readable(incident.first_seen)),
        ("history_last", readable(incident.last_seen)),
        ("history_count", str(incident.count)),
        ("history_source", f"{incident.source} @ {incident.host}"),
        ("history_versions", versions),
        ("history_by", incident.resolved_by),
        ("history_note", incident.note),
        ("history_muted_fact", muted),
        ("history_previous", incident.previous),
    )
    yield from table([[word(key, lang), one_line(value)] for key, value in facts if value])


def _cause(incident: Incident, lang: Lang) -> list[str]:
    cause = (incident.finding.get("cause") or {}).get(lang)
    return [cause] if cause else []


def _remedy(remedy: Mapping[str, Any], times: Mapping[str, tuple[int, int]], lang: Lang) -> str:
    changes = ", ".join(
        f"{c['parameter']}: {show(c['from'], lang)} → {show(c['to'], lang, gone=True)}" for c in remedy["changes"]
    )
    said = worked(times[remedy["id"]]).in_(lang) if remedy["id"] in times else ""
    parts = (f"{remedy['id']}: {remedy['title'][lang]}", changes and f"[{changes}]", said and f"({said})")
    return " ".join(part for part in parts if part)


def _trial(trial: Mapping[str, Any], lang: Lang) -> str:
    outcome = word("history_worked" if trial["worked"] else "history_failed", lang)
    changes = ", ".join(
        f"{c['parameter']}: {show(c['from'], lang)} → {show(c['to'], lang, gone=True)}" for c in trial["changes"]
    )
    return "  ".join(part for part in (readable(trial["at"]), trial["remedy"], outcome, changes) if part)
