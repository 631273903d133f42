"""``rbln-diagnose FILE``: read a log, say what went wrong."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from diagnose.cli.command import Action
from diagnose.cli.words import text
from diagnose.model import Diagnosis, InputError, Lang
from diagnose.report import FORMATS

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EXIT_CODES = {"healthy": 0, "diagnosed": 1, "unknown": 3}
"""By outcome; see design: 2 is could not run, 130 interrupted."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    file: str
    format: str
    config: tuple[str, ...]
    sets: tuple[str, ...]
    npu: str | None
    all_runs: bool
    store: bool
    color: bool


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
    version: Annotated[bool, typer.Option("--version")] = False,
) -> Action:
    """Turns the options into a request; see ``words`` for their meaning. ``--version`` is answered before."""
    del version
    request = Request(
        file=_one_file(files or []),
        format=_known_format(format),
        config=tuple(config or ()),
        sets=tuple(sets or ()),
        npu=npu,
        all_runs=all_runs,
        store=not no_store,
        color=not no_color,
    )
    return lambda lang: run(request, lang)


def run(request: Request, lang: Lang) -> int:
    """Diagnose, write the report, remember the incident; the exit code is the outcome's."""
    from diagnose.cli.remember import remember
    from diagnose.cli.streams import emit

    diagnosis = _diagnose(request)
    emit(diagnosis, request.format, lang, color=request.color)
    if request.store:
        remember(diagnosis, lang)
    return EXIT_CODES[diagnosis.outcome]


def _diagnose(request: Request) -> Diagnosis:
    from diagnose.analyzer import diagnose_path
    from diagnose.cli.progress import Progress

    with Progress(sys.stderr) as progress:
        return diagnose_path(
            request.file,
            config=request.config,
            sets=request.sets,
            npu=request.npu,
            all_runs=request.all_runs,
            progress=progress,
            stdin=getattr(sys.stdin, "buffer", None),
            stdin_is_terminal=sys.stdin is not None and sys.stdin.isatty(),
        )


def _one_file(files: list[str]) -> str:
    """The file to read; without one, standard input when something is piped into it."""
    if len(files) > 1:
        raise InputError(text("one_file", count=str(len(files))))
    if not files and (sys.stdin is None or sys.stdin.isatty()):
        raise InputError(text("no_input"))
    return files[0] if files else "-"


def _known_format(name: str) -> str:
    if name not in FORMATS:
        raise InputError(text("bad_format", name=name, formats=", ".join(FORMATS)))
    return name
