"""Findings into columns, and rows back into incidents."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from diagnose.incidents.fingerprint import target, template
from diagnose.incidents.lineage import ONE_SHOT
from diagnose.incidents.nouns import Incident, Left
from diagnose.incidents.times import seconds
from diagnose.model import Diagnosis, Finding, InputInfo, RunContext
from diagnose.report.clean import clean

MAX_EXCERPT_LINES: Final = 20
"""A memory of failures, not an archive of logs."""
MAX_EXCERPT_CHARS: Final = 4_000

COLUMNS: Final = (
    "id, fingerprint, entry, target, source, host, first_seen, last_seen, count, state, muted_until, resolved_by, note,"
    " previous, excerpt, finding, config, versions"
)
"""What :func:`incident` reads, in its order."""

Row = tuple[Any, ...]


def finding_object(finding: Finding, context: RunContext) -> tuple[dict[str, Any], dict[str, Any]]:
    """The finding and its run as they stand in the report's JSON: cleaned, in JSON types only."""
    whole = Diagnosis(InputInfo("", 0, 0), "diagnosed", context, findings=(finding,)).to_dict()
    return whole["findings"][0], whole["run"]


def columns(finding: Finding, context: RunContext, excerpt: str) -> dict[str, str]:
    """The columns that tell what happened; they are written anew with every sighting that brings news."""
    found, run = finding_object(finding, context)
    what = target(context)
    config = {name: setting["value"] for name, setting in run["config"].items()}
    cut = cut_excerpt(excerpt)
    return {
        "entry": finding.entry,
        "target": what,
        "excerpt": cut,
        "template": template(finding.text),
        "finding": _json(found),
        "config": _json(config),
        "versions": _json(run["versions"]),
        "words": searchable(found, what, cut),
    }


def cut_excerpt(text: str) -> str:
    """At most :data:`MAX_EXCERPT_LINES` lines: the first and the last half, where there are more; cut at
    :data:`MAX_EXCERPT_CHARS`. An ``…`` stands for what was left out."""
    lines = clean(text).strip("\n").split("\n")
    if len(lines) > MAX_EXCERPT_LINES:
        half = MAX_EXCERPT_LINES // 2
        lines = [*lines[: half - 1], "…", *lines[-half:]]
    made = "\n".join(lines)
    return made if len(made) <= MAX_EXCERPT_CHARS else f"{made[: MAX_EXCERPT_CHARS - 1]}…"


def searchable(found: Mapping[str, Any], what: str, excerpt: str) -> str:
    """Everything ``history search`` looks in, in both languages."""
    parts = [found["entry"], what, found["text"], excerpt]
    texts = [found["title"], found["cause"], *(remedy["title"] for remedy in found["remedies"])]
    parts += [text[lang] for text in texts for lang in ("en", "ko")]
    parts += [remedy["id"] for remedy in found["remedies"]]
    return composed("\n".join(dict.fromkeys(part for part in parts if part)))


def composed(text: str) -> str:
    """Hangul as whole syllables: what a Mac's file names and clipboard give is taken apart."""
    return unicodedata.normalize("NFC", text)


def incident(row: Row) -> Incident:
    """A row of :data:`COLUMNS`."""
    *plain, finding, config, versions = row
    found = json.loads(finding)
    (id_, print_, entry, what, source, host, first, last, count, state, muted, by, note, previous, excerpt) = plain
    return Incident(
        id=id_,
        fingerprint=print_,
        entry=entry,
        target=what,
        source=source,
        host=host,
        first_seen=first,
        last_seen=last,
        count=count,
        state=state,
        muted_until=muted,
        resolved_by=by,
        note=note,
        excerpt=excerpt,
        numbers=found["numbers"],
        config=json.loads(config),
        remedies=tuple(found["remedies"]),
        versions=json.loads(versions),
        previous=previous,
        finding=found,
    )


def read(conn: sqlite3.Connection, id_: str) -> Incident | None:
    """The incident with exactly this id."""
    row = conn.execute(f"SELECT {COLUMNS} FROM incidents WHERE id = ?", (id_,)).fetchone()
    return None if row is None else incident(row)


def left_open(conn: sqlite3.Connection, source: str, host: str, limit: int) -> tuple[Left, ...]:
    """Open incidents of a source that a watcher saw happen, the oldest first."""
    names = ", ".join(f"i.{name.strip()}" for name in COLUMNS.split(","))
    found = conn.execute(
        f"SELECT s.run, s.revision, (SELECT max(made_at) FROM outbox WHERE incident = i.id), {names}"
        " FROM incidents i JOIN sightings s ON s.rowid = ("
        "  SELECT max(rowid) FROM sightings WHERE incident = i.id AND kind = 'opened')"
        " WHERE i.source = ? AND i.host = ? AND i.state = 'open' AND substr(s.run, 1, ?) <> ?"
        " ORDER BY s.rowid DESC LIMIT ?",
        (source, host, len(ONE_SHOT), ONE_SHOT, limit),
    ).fetchall()
    made = ((run, number, told, incident(tuple(row))) for run, number, told, *row in reversed(found))
    return tuple(
        Left(one, run, number, seconds(one.first_seen) if told is None else told) for run, number, told, one in made
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
