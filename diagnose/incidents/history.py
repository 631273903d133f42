"""Looking back: lists, search, similar failures. Reads through sqlite-utils; nothing here changes the store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from diagnose.incidents import rows
from diagnose.incidents.connection import Connection
from diagnose.incidents.fingerprint import template
from diagnose.incidents.nouns import Incident
from diagnose.light import dataclass
from diagnose.model import InputError, Text
from diagnose.redact import Redactor, here

MAX_TEMPLATES: Final = 10_000
"""Different messages that ``similar`` compares, the latest first: about 30 ms."""
MAX_WORDS: Final = 64
"""Different words of one search; SQLite takes no condition of more than 1,000 parts."""
MIN_SCORE: Final = 60
"""rapidfuzz token_set_ratio (0–100) from which a failure is called similar."""

_Params = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which incidents are meant; None does not filter."""

    entry: str | None = None
    """Id of an entry, or the beginning of ids followed by ``*``."""
    since: str | None = None
    """Last seen at or after this time (ISO 8601, UTC, as the store keeps it)."""
    until: str | None = None
    """First seen at or before this time."""
    state: str | None = None
    source: str | None = None
    """A path, or a part of one."""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Similar:
    incident: Incident
    score: int
    """0–100."""


def listed(connection: Connection, which: Filter) -> tuple[Incident, ...]:
    """Incidents that pass the filter, the latest first."""
    where, params = _where(which)
    return tuple(_select(connection, f"WHERE {where} ORDER BY last_seen DESC, rowid DESC LIMIT :limit", params))


def exported(connection: Connection, which: Filter) -> Iterator[Incident]:
    """Incidents that pass the filter, the oldest first."""
    where, params = _where(which)
    yield from _select(connection, f"WHERE {where} ORDER BY first_seen, rowid LIMIT :limit", params)


def find(connection: Connection, id_: str) -> Incident:
    """The incident whose id is or begins with ``id_``. Raises InputError when there is none or more than one."""
    wanted = id_.strip().lower()
    sql = "WHERE substr(id, 1, length(:id)) = :id ORDER BY length(id), id LIMIT 4"
    found = list(_select(connection, sql, {"id": wanted})) if wanted else []
    if len(found) == 1 or (found and found[0].id == wanted):
        return found[0]
    if not found:
        raise InputError(
            Text(
                f"no incident {id_!r} is stored; rbln-diagnose history lists them",
                f"저장된 인시던트가 없습니다: {id_!r}. rbln-diagnose history로 목록을 확인하세요",
            )
        )
    ids = ", ".join(one.id for one in found)
    raise InputError(
        Text(
            f"{id_!r} stands for several incidents ({ids}); write more of the id",
            f"{id_!r}에 해당하는 인시던트가 여러 개입니다 ({ids}). id를 더 길게 쓰세요",
        )
    )


def search(connection: Connection, text: str, which: Filter) -> tuple[Incident, ...]:
    """Incidents that hold every word of ``text``, best first, then those that hold them inside other words.

    A word matches from its beginning, so that a Korean noun is found with any particle behind it. Raises InputError
    when ``text`` holds no word, or more than MAX_WORDS.
    """
    words = re.findall(r"\w+", rows.composed(text))
    if not words:
        raise InputError(Text("there is no word to search for", "검색할 단어가 없습니다"))
    words = list(dict.fromkeys(words))
    if len(words) > MAX_WORDS:
        raise InputError(
            Text(
                f"{len(words)} words are more than can be searched for; give at most {MAX_WORDS}",
                f"검색할 단어가 {len(words)}개로 너무 많습니다. {MAX_WORDS}개까지만 쓰세요",
            )
        )
    where, params = _where(which)
    params["match"] = " ".join(f'"{word}"*' for word in words)
    found = list(
        _select(
            connection,
            "JOIN incidents_fts f ON f.rowid = incidents.rowid"
            f" WHERE incidents_fts MATCH :match AND {where} ORDER BY f.rank, last_seen DESC LIMIT :limit",
            params,
        )
    )
    if which.limit is None or len(found) < which.limit:
        found += _inside(connection, words, where, params, {one.id for one in found})
    return tuple(found[: which.limit])


def _inside(
    connection: Connection, words: Sequence[str], where: str, params: Mapping[str, Any], known: set[str]
) -> list[Incident]:
    """What the word index cannot see: a word in the middle of another (재시작오류, max_seq_len)."""
    likes = " AND ".join(f"incidents.words LIKE :w{number} ESCAPE '\\'" for number in range(len(words)))
    filled = {**params, **{f"w{number}": f"%{_literal(word)}%" for number, word in enumerate(words)}}
    sql = f"WHERE {likes} AND {where} ORDER BY last_seen DESC, rowid DESC LIMIT :limit"
    return [one for one in _select(connection, sql, filled) if one.id not in known]


def _literal(word: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", word)


def similar(connection: Connection, text: str, *, limit: int, but: str | None = None) -> tuple[Similar, ...]:
    """Incidents whose message is most like ``text``, the likest first; of equal messages the latest one.

    Numbers, paths and ids do not count. ``but`` is the id of what is compared, to be left out.
    """
    from rapidfuzz import fuzz, process

    with connection.reading() as conn:
        latest: dict[str, str] = dict(
            conn.execute(
                "SELECT template, id FROM (SELECT template, id, max(last_seen) AS at FROM incidents"
                " WHERE id IS NOT ? GROUP BY template) ORDER BY at DESC LIMIT ?",
                (but, MAX_TEMPLATES),
            ).fetchall()
        )
    hits = process.extract(
        template(text), list(latest), scorer=fuzz.token_set_ratio, score_cutoff=MIN_SCORE, limit=limit
    )
    return tuple(Similar(find(connection, latest[masked]), round(score)) for masked, score, _ in hits)


def told(connection: Connection, id_: str) -> tuple[Mapping[str, Any], ...]:
    """What happened to an incident, in order: ``{"at", "kind", "run"}``."""
    sql = "SELECT at, kind, run FROM sightings WHERE incident = :id ORDER BY at, rowid"
    return tuple(_query(connection, sql, {"id": id_}))


def tried(connection: Connection, id_: str) -> tuple[Mapping[str, Any], ...]:
    """Remedies that were carried out after an incident: ``{"at", "remedy", "worked", "changes"}``."""
    import json

    sql = "SELECT at, remedy, worked, changes FROM evidence WHERE incident = :id ORDER BY at, rowid"
    return tuple(
        {**row, "worked": bool(row["worked"]), "changes": json.loads(row["changes"])}
        for row in _query(connection, sql, {"id": id_})
    )


def _where(which: Filter) -> tuple[str, _Params]:
    """The condition and its parameters; ``limit`` is always among them."""
    prefix = which.entry is not None and which.entry.endswith("*")
    chosen: tuple[tuple[str, str, str | None], ...] = (
        ("substr(entry, 1, length(:entry)) = :entry" if prefix else "entry = :entry", "entry", which.entry),
        ("last_seen >= :since", "since", which.since),
        ("first_seen <= :until", "until", which.until),
        ("state = :state", "state", which.state),
        ("instr(source, :source) > 0", "source", _hidden(which.source)),
    )
    parts = [sql for sql, _, value in chosen if value is not None]
    params: _Params = {name: value for _, name, value in chosen if value is not None}
    if prefix and which.entry is not None:
        params["entry"] = which.entry[:-1]
    # SQLite takes a negative limit for none.
    params["limit"] = -1 if which.limit is None else which.limit
    return " AND ".join(parts) or "1", params


def _hidden(path: str | None) -> str | None:
    """A path as the store has it: a person gives the whole one."""
    return None if path is None else Redactor(here()).text(path)


def _select(connection: Connection, rest: str, params: _Params) -> Iterator[Incident]:
    names = ", ".join(f"incidents.{name.strip()}" for name in rows.COLUMNS.split(","))
    for row in _query(connection, f"SELECT {names} FROM incidents {rest}", params):
        yield rows.incident(tuple(row.values()))


def _query(connection: Connection, sql: str, params: _Params) -> list[dict[str, Any]]:
    from sqlite_utils import Database

    with connection.reading() as conn:
        return list(Database(conn).query(sql, params))
