"""``rbln-diagnose watch PATH…``: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from diagnose.cli.command import Action
from diagnose.cli.watching import make_request, run

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


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
    options = make_request(
        paths,
        from_=from_,
        format=format,
        listen=listen,
        alert=alert or (),
        config=config or (),
        sets=sets or (),
        npu=npu,
        poll=poll,
        no_store=no_store,
        no_color=no_color,
    )
    return lambda lang: run(options, lang)
