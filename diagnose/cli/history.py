"""``rbln-diagnose history``: what went wrong before, and what fixed it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from diagnose.cli import history_text as text_of
from diagnose.cli.command import Action
from diagnose.cli.words import text, word
from diagnose.incidents import editing, history
from diagnose.incidents.connection import Connection
from diagnose.incidents.history import Filter
from diagnose.incidents.nouns import Incident
from diagnose.incidents.place import default_path
from diagnose.incidents.store import Store
from diagnose.incidents.times import FOREVER, iso, moment, readable, span
from diagnose.model import InputError, Lang

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, add_help_option=False)

DEFAULT = "list"
STATES = ("open", "recovered", "resolved")
FORMATS = ("text", "json")
MAX_MESSAGE = 100_000
"""Characters of a message read from standard input."""

Entry = Annotated[str | None, typer.Option("--entry", metavar="ID")]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME")]
State = Annotated[str | None, typer.Option("--state", metavar="STATE")]
Source = Annotated[str | None, typer.Option("--source", metavar="PATH")]
Limit = Annotated[int, typer.Option("--limit", metavar="N")]
Format = Annotated[str, typer.Option("--format", metavar="FORMAT")]
Id = Annotated[str, typer.Argument(metavar="ID")]
Given = tuple["str | None", "str | None", "str | None", "str | None", "str | None", "int | None"]
"""Entry, since, until, state, source, limit, as they were given."""
Ask = Callable[[Connection, Filter], Sequence[Incident]]


@app.command("list", add_help_option=False)
def list_(
    entry: Entry = None,
    since: Since = None,
    until: Until = None,
    state: State = None,
    source: Source = None,
    limit: Limit = 20,
    format: Format = "text",
) -> Action:
    given = (entry, since, until, state, source, limit)
    return _listing(history.listed, given, format, asked=given[:-1] != (None,) * 5)


@app.command("show", add_help_option=False)
def show(id: Id, format: Format = "text") -> Action:
    def run(lang: Lang) -> int:
        known(format)
        with _Opened() as store:
            found = history.find(store.connection, id)
            told = history.told(store.connection, found.id)
            tried = history.tried(store.connection, found.id)
            times = store.evidence(found.entry, found.target)
        text_of.write_one(found, told, tried, times, format, lang)
        return 0

    return run


@app.command("search", add_help_option=False)
def search(
    words: Annotated[list[str], typer.Argument(metavar="TEXT")],
    entry: Entry = None,
    since: Since = None,
    until: Until = None,
    state: State = None,
    source: Source = None,
    limit: Limit = 20,
    format: Format = "text",
) -> Action:
    def ask(connection: Connection, which: Filter) -> Sequence[Incident]:
        return history.search(connection, " ".join(words), which)

    return _listing(ask, (entry, since, until, state, source, limit), format, asked=True)


@app.command("similar", add_help_option=False)
def similar(what: Annotated[str, typer.Argument(metavar="ID|-")], limit: Limit = 10, format: Format = "text") -> Action:
    def run(lang: Lang) -> int:
        known(format)
        with _Opened() as store:
            if what == "-":
                found = history.similar(store.connection, _message(), limit=at_least_one(limit))
            else:
                one = history.find(store.connection, what)
                message = str(one.finding["text"])
                found = history.similar(store.connection, message, limit=at_least_one(limit), but=one.id)
        text_of.write_similar(found, format, lang)
        return 0

    return run


@app.command("resolve", add_help_option=False)
def resolve(
    id: Id,
    by: Annotated[str | None, typer.Option("--by", metavar="REMEDY")] = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT")] = None,
) -> Action:
    def run(lang: Lang) -> int:
        with _Opened() as store:
            found = history.find(store.connection, id)
            editing.resolve(store.connection, found, by=by, note=note, now_s=time.time())
        print(word("history_resolved", lang).format(id=found.id))
        return 0

    return run


@app.command("mute", add_help_option=False)
def mute(
    id: Id,
    until: Until = None,
    off: Annotated[bool, typer.Option("--off")] = False,
) -> Action:
    def run(lang: Lang) -> int:
        end = FOREVER if until is None else moment(until, "--until", now=time.time(), ahead=True)
        with _Opened() as store:
            found = history.find(store.connection, id)
            editing.mute(store.connection, found, None if off else end)
        key = "history_unmuted" if off else "history_muted" if until is None else "history_muted_until"
        print(word(key, lang).format(id=found.id, until=readable(end)))
        return 0

    return run


@app.command("prune", add_help_option=False)
def prune(older_than: Annotated[str, typer.Option("--older-than", metavar="SPAN")]) -> Action:
    def run(lang: Lang) -> int:
        before = iso(time.time() - span(older_than, "--older-than"))
        with _Opened() as store:
            count = editing.prune(store.connection, before)
        print(word("history_pruned", lang).format(count=count))
        return 0

    return run


@app.command("export", add_help_option=False)
def export(
    entry: Entry = None, since: Since = None, until: Until = None, state: State = None, source: Source = None
) -> Action:
    def run(lang: Lang) -> int:
        del lang  # data has none
        which = make_filter(entry, since, until, state, source, None)
        with _Opened() as store:
            text_of.write_lines(history.exported(store.connection, which))
        return 0

    return run


def _listing(ask: Ask, given: Given, format: str, *, asked: bool) -> Action:
    """Shows the incidents ``ask`` gives for a filter of the options ``given``; ``asked``: only some are wanted."""

    def run(lang: Lang) -> int:
        which = make_filter(*given)
        with _Opened() as store:
            text_of.write_list(ask(store.connection, which), known(format), lang, asked=asked)
        return 0

    return run


def make_filter(
    entry: str | None,
    since: str | None,
    until: str | None,
    state: str | None,
    source: str | None,
    limit: int | None,
) -> Filter:
    """The options as a filter. Raises InputError for a state, a time or a number that is none."""
    if state is not None and state not in STATES:
        raise InputError(text("history_bad_state", name=state, states=", ".join(STATES)))
    now = time.time()
    return Filter(
        entry=entry,
        since=None if since is None else moment(since, "--since", now=now),
        until=None if until is None else moment(until, "--until", now=now),
        state=state,
        source=source,
        limit=None if limit is None else at_least_one(limit),
    )


def at_least_one(limit: int) -> int:
    """``--limit``. Raises InputError when nothing would be shown."""
    if limit < 1:
        raise InputError(text("history_bad_limit", limit=str(limit)))
    return limit


def known(format: str) -> str:
    """``--format``. Raises InputError for another than text and json."""
    if format not in FORMATS:
        raise InputError(text("bad_format", name=format, formats=", ".join(FORMATS)))
    return format


class _Opened:
    """The store of this machine for one command."""

    def __enter__(self) -> Store:
        self._store = Store.open(default_path())
        return self._store

    def __exit__(self, *raised: object) -> None:
        self._store.close()


def _message() -> str:
    """A message from standard input. Raises InputError when it is a terminal or holds nothing."""
    found = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read(MAX_MESSAGE)
    if not found.strip():
        raise InputError(text("history_no_message"))
    return found
