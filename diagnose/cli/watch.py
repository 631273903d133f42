"""``rbln-diagnose watch PATH…``: follow live logs and tell once what went wrong."""

from __future__ import annotations

import os
import sys
from typing import Annotated, get_args

import typer

from diagnose.cli.command import Action
from diagnose.model import InputError, Lang
from diagnose.watch.nouns import Mode
from diagnose.watch.wiring import Options, serve
from diagnose.watch.words import text

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

MODES: dict[str, Mode] = {mode: mode for mode in get_args(Mode) if mode != "appeared"}
FORMATS = ("text", "json")


@app.command(add_help_option=False)
def watch(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...")],
    from_: Annotated[str, typer.Option("--from", metavar="WHERE")] = "checkpoint",
    format: Annotated[str, typer.Option("--format", metavar="FORMAT")] = "text",
    listen: Annotated[str | None, typer.Option("--listen", metavar="HOST:PORT")] = None,
    alert: Annotated[list[str] | None, typer.Option("--alert", metavar="URL")] = None,
    config: Annotated[list[str] | None, typer.Option("--config", metavar="FILE")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE")] = None,
    npu: Annotated[str | None, typer.Option("--npu", metavar="NAME")] = None,
    poll: Annotated[bool, typer.Option("--poll")] = False,
    no_store: Annotated[bool, typer.Option("--no-store")] = False,
    no_color: Annotated[bool, typer.Option("--no-color")] = False,
) -> Action:
    """Turns the options into a request; see ``words`` for their meaning."""
    if from_ not in MODES:
        raise InputError(text("bad_from", value=from_))
    if format not in FORMATS:
        raise InputError(text("bad_format", value=format))
    options = Options(
        paths=tuple(paths),
        mode=MODES[from_],
        format=format,
        config=tuple(config or ()),
        sets=tuple(sets or ()),
        npu=npu,
        listen=listen,
        alerts=tuple(alert or ()),
        poll=poll,
        store=not no_store,
        view=_wants_view(format, no_color=no_color),
    )
    return lambda lang: _follow(options, lang)


def _follow(options: Options, lang: Lang) -> int:
    return serve(options, lang)


def _wants_view(format: str, *, no_color: bool) -> bool:
    """The view redraws itself: only a terminal that can, and a person who wants it so."""
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return format == "text" and sys.stdout.isatty() and not plain
