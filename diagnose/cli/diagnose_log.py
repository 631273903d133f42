"""``rbln-diagnose FILE``: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from diagnose.cli.command import Action
from diagnose.cli.diagnosing import make_request, run

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command(add_help_option=False)
def diagnose_log(
    files: Annotated[list[str] | None, typer.Argument(metavar="[FILE|-]")] = None,
    format: Annotated[str, typer.Option("--format", metavar="FORMAT")] = "text",
    config: Annotated[list[str] | None, typer.Option("--config", metavar="FILE")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE")] = None,
    npu: Annotated[str | None, typer.Option("--npu", metavar="NAME")] = None,
    all_runs: Annotated[bool, typer.Option("--all-runs")] = False,
    no_store: Annotated[bool, typer.Option("--no-store")] = False,
    no_color: Annotated[bool, typer.Option("--no-color")] = False,
    no_redact: Annotated[bool, typer.Option("--no-redact")] = False,
    version: Annotated[bool, typer.Option("--version")] = False,
) -> Action:
    """Turns the options into a request; see ``words`` for their meaning. ``--version`` is answered before."""
    del version
    request = make_request(
        files or [],
        format=format,
        config=config or [],
        sets=sets or [],
        npu=npu,
        all_runs=all_runs,
        no_store=no_store,
        no_color=no_color,
        no_redact=no_redact,
    )
    return lambda lang: run(request, lang)
