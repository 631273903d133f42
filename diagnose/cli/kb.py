"""``rbln-diagnose kb``: look into the knowledge base, and check it after a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from diagnose.cli.command import Action
from diagnose.cli.words import text, word
from diagnose.knowledge.schema import Entry, RemedySpec
from diagnose.model import InputError, Lang

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, add_help_option=False)


@app.command("list", add_help_option=False)
def list_() -> Action:
    return _list


@app.command("show", add_help_option=False)
def show(entry: Annotated[str, typer.Argument(metavar="ID")]) -> Action:
    return lambda lang: _show(entry, lang)


@app.command("stats", add_help_option=False)
def stats() -> Action:
    return _stats


@app.command("lint", add_help_option=False)
def lint() -> Action:
    return _lint


@app.command("test", add_help_option=False)
def test() -> Action:
    return _test


def _list(lang: Lang) -> int:
    from diagnose.knowledge import load

    entries = load().entries
    wide = max((len(id_) for id_ in entries), default=0)
    for id_, entry in sorted(entries.items()):
        print(f"{id_:<{wide}}  {entry.role:<11}  {entry.title.in_(lang)}")
    return 0


def _show(id_: str, lang: Lang) -> int:
    from diagnose.knowledge import load

    entries = load().entries
    if id_ not in entries:
        raise InputError(text("no_entry", id=id_, similar=", ".join(_similar(id_, list(entries))) or "-"))
    print("\n".join(_page(entries[id_], lang)))
    return 0


def _similar(id_: str, ids: Sequence[str]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(id_, ids, n=3, cutoff=0.5) or [other for other in ids if id_ in other][:3]


def _page(entry: Entry, lang: Lang) -> Iterator[str]:
    """The entry with fixed headings."""
    yield entry.title.in_(lang)
    yield f"{entry.id} · {entry.component} · {entry.role} · {entry.severity} · {entry.evidence}"
    for heading, lines in (
        ("signatures", [s.template or s.pattern for s in entry.signatures]),
        ("cause", [(f"[{c.when}] " if c.when else "") + c.text.in_(lang) for c in entry.cause]),
        ("remedies", [line for remedy in entry.remedies for line in _remedy(remedy, lang)]),
        ("explains", list(entry.explains)),
        ("references", list(entry.references)),
    ):
        if lines:
            yield f"\n{word(heading, lang)}"
            yield from (f"  {line}" for line in lines)


def _remedy(remedy: RemedySpec, lang: Lang) -> Iterator[str]:
    yield f"{remedy.id}: {remedy.title.in_(lang)}" + (f" [{remedy.when}]" if remedy.when else "")
    yield from (f"  {name} = {expression}" for name, expression in remedy.set.items())
    if remedy.solver:
        yield f"  solver {remedy.solver}"


def _stats(lang: Lang) -> int:
    from diagnose.knowledge import load

    knowledge = load()
    counts = {
        "entries": len(knowledge.entries),
        "signatures": len(knowledge.signatures),
        "literals": len(knowledge.literals),
        "parameters": len(knowledge.parameters),
        "constraints": len(knowledge.constraints),
    }
    for name, count in counts.items():
        print(f"{count:>6}  {word(name, lang)}")
    entries = list(knowledge.entries.values())
    for field in ("component", "role", "evidence"):
        print()
        for value, count in Counter(getattr(entry, field) for entry in entries).most_common():
            print(f"{count:>6}  {field} {value}")
    return 0


def _lint(lang: Lang) -> int:
    from diagnose.authoring import lint
    from diagnose.knowledge import load

    knowledge = load()
    return _problems(lint.run(knowledge), len(knowledge.entries), lang)


def _test(lang: Lang) -> int:
    from diagnose.authoring import examples
    from diagnose.knowledge import load

    knowledge = load()
    return _problems(examples.run(knowledge), len(knowledge.entries), lang)


def _problems(problems: Sequence[object], entries: int, lang: Lang) -> int:
    for problem in problems:
        print(problem)
    print(word("problems", lang).format(count=len(problems), entries=entries))
    return 1 if problems else 0
