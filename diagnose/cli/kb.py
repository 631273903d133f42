"""``rbln-diagnose kb``: look into the knowledge base, check it, and measure it against the packages."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from diagnose.cli.command import Action
from diagnose.cli.words import text, word
from diagnose.model import InputError, Lang

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, add_help_option=False)

Filter = Annotated[str | None, typer.Option(metavar="NAME")]
Format = Annotated[str, typer.Option("--format", metavar="FORMAT")]
Ids = Annotated[list[str] | None, typer.Argument(metavar="[ID…]")]


@app.command("list", add_help_option=False)
def list_(
    component: Filter = None,
    role: Filter = None,
    domain: Filter = None,
    evidence: Filter = None,
    format: Format = "text",
) -> Action:
    filters = {"component": component, "role": role, "domain": domain, "evidence": evidence}
    return lambda lang: _list(filters, _format(format), lang)


@app.command("show", add_help_option=False)
def show(entry: Annotated[str, typer.Argument(metavar="ID")]) -> Action:
    return lambda lang: _show(entry, lang)


@app.command("stats", add_help_option=False)
def stats(format: Format = "text") -> Action:
    return lambda lang: _stats(_format(format), lang)


@app.command("lint", add_help_option=False)
def lint(ids: Ids = None) -> Action:
    return lambda lang: _lint(ids or (), lang)


@app.command("test", add_help_option=False)
def test(ids: Ids = None) -> Action:
    return lambda lang: _test(ids or (), lang)


@app.command("readme", add_help_option=False)
def readme(check: Annotated[bool, typer.Option("--check")] = False) -> Action:
    return lambda lang: _readme(check, lang)


@app.command("coverage", add_help_option=False)
def coverage(
    packages: Annotated[list[str], typer.Argument(metavar="PACKAGE…")],
    format: Format = "text",
) -> Action:
    return lambda lang: _coverage(packages, _format(format), lang)


@app.command("new", add_help_option=False)
def new(line: Annotated[str, typer.Argument(metavar="LINE|-")]) -> Action:
    return lambda lang: _new(line, lang)


def _format(name: str) -> str:
    if name not in ("text", "json"):
        raise InputError(text("bad_format", name=name, formats="text, json"))
    return name


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _print_json(value: Any) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))


def _list(filters: dict[str, str | None], format: str, lang: Lang) -> int:
    from diagnose.authoring import listing
    from diagnose.knowledge import load

    entries = listing.chosen(load(), filters)
    if format == "json":
        _print_json(listing.objects(entries))
    else:
        _print(listing.lines(entries, lang))
    return 0


def _show(id_: str, lang: Lang) -> int:
    from diagnose.authoring.page import page
    from diagnose.knowledge import load

    _print(list(page(id_, load(), lang)))
    return 0


def _stats(format: str, lang: Lang) -> int:
    from diagnose.authoring import figures
    from diagnose.knowledge import load

    knowledge = load()
    if format == "json":
        _print_json(figures.figures(knowledge))
    else:
        _print(figures.lines(knowledge, lang))
    return 0


def _lint(ids: Sequence[str], lang: Lang) -> int:
    from diagnose.authoring import lint
    from diagnose.knowledge import load

    knowledge = load()
    return _problems(lint.run(knowledge, ids), len(ids or knowledge.entries), lang)


def _test(ids: Sequence[str], lang: Lang) -> int:
    from diagnose.authoring import examples
    from diagnose.knowledge import load

    knowledge = load()
    return _problems(examples.run(knowledge, ids), len(ids or knowledge.entries), lang)


def _problems(problems: Sequence[object], entries: int, lang: Lang) -> int:
    _print(str(problem) for problem in problems)
    print(word("problems", lang).format(count=len(problems), entries=entries))
    return 1 if problems else 0


def _coverage(packages: Sequence[str], format: str, lang: Lang) -> int:
    """Exit code 1 when a reachable site is unknown or a message is emitted outside its versions."""
    from diagnose.authoring.coverage import exceptions, measure, report
    from diagnose.knowledge import load

    found, drifts = measure.measure(packages, load(), exceptions.shipped())
    if format == "json":
        _print_json(
            {"coverage": [report.as_object(c) for c in found], "drift": [report.drift_object(d) for d in drifts]}
        )
    else:
        for one in found:
            _print(report.lines(one, lang))
        for change in drifts:
            _print(report.drift_lines(change, lang))
    return 1 if any(report.to_do(c) for c in found) else 0


def _new(line: str, lang: Lang) -> int:
    from diagnose.authoring.draft import draft
    from diagnose.authoring.words import say
    from diagnose.cli.boundary import hidden
    from diagnose.knowledge import load

    # The draft is meant to be published: its example is the line.
    made = draft(hidden(_read(line)), load())
    if made.known:
        print(say("known_already", lang).format(entries=", ".join(made.known)), file=sys.stderr)
    key = "nearest" if made.nearest else "no_nearest"
    print(say(key, lang).format(entries=", ".join(made.nearest)), file=sys.stderr)
    print(made.yaml, end="")
    return 0


def _read(line: str) -> str:
    """The line itself, or standard input for ``-``."""
    return sys.stdin.buffer.read().decode("utf-8", "replace") if line == "-" else line


def _readme(check: bool, lang: Lang) -> int:
    from diagnose.authoring.readme import stale, write
    from diagnose.knowledge import load
    from diagnose.knowledge.store import source_tree

    tree = source_tree()
    if tree is None:
        raise InputError(text("readme_checkout"))
    if not check:
        write(tree.parent, load())
        return 0
    names = stale(tree.parent, load())
    _print(names)
    return 1 if names else 0
