"""What ``rbln-diagnose FILE`` does once its command line is understood."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

from diagnose.cli.words import text
from diagnose.light import dataclass
from diagnose.model import Diagnosis, InputError, Lang
from diagnose.report import FORMATS
from diagnose.report.remarks import as_it_is, nothing

COULD_NOT_RUN = 2
EXIT_CODES = {"healthy": 0, "diagnosed": 1, "unknown": 3}
"""By outcome. The others: 2 could not run, 130 interrupted."""


def exit_code(diagnosis: Diagnosis) -> int:
    """The code a diagnosis ends the program with: a log that broke off before anything failed could not be read."""
    return COULD_NOT_RUN if diagnosis.is_open else EXIT_CODES[diagnosis.outcome]


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    file: str
    """``-`` is standard input."""
    format: str = "text"
    config: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    """``name=value`` as given; the analyser reads them."""
    npu: str | None = None
    all_runs: bool = False
    store: bool = True
    color: bool = True
    redact: bool = True


def make_request(
    files: Sequence[str] = (),
    *,
    format: str = "text",
    config: Sequence[str] = (),
    sets: Sequence[str] = (),
    npu: str | None = None,
    all_runs: bool = False,
    no_store: bool = False,
    no_color: bool = False,
    no_redact: bool = False,
) -> Request:
    """The options as a request. Raises InputError for none or several files, for an unknown format, and for
    ``--no-redact`` where somebody else than the person at the terminal would read it."""
    if len(files) > 1:
        raise InputError(text("one_file", count=str(len(files))))
    if not files and (sys.stdin is None or sys.stdin.isatty()):
        raise InputError(text("no_input"))
    if format not in FORMATS:
        raise InputError(text("bad_format", name=format, formats=", ".join(FORMATS)))
    if no_redact and (format != "text" or not sys.stdout.isatty()):
        raise InputError(text("no_redact"))
    return Request(
        file=files[0] if files else "-",
        format=format,
        config=tuple(config),
        sets=tuple(sets),
        npu=npu,
        all_runs=all_runs,
        store=not no_store,
        color=not no_color,
        redact=not no_redact,
    )


def run(request: Request, lang: Lang) -> int:
    """Diagnose, write the report with what is remembered, remember the incident; the exit code is the outcome's."""
    from diagnose.cli.remember import recall, remember
    from diagnose.cli.streams import emit

    diagnosis = _diagnose(request)
    emit(
        diagnosis,
        request.format,
        lang,
        color=request.color,
        hide=_shown if request.redact else as_it_is,
        recall=partial(recall, diagnosis) if request.store else nothing,
    )
    if request.store:
        remember(diagnosis, lang, given=bool(request.config))
    return exit_code(diagnosis)


def _shown(diagnosis: Diagnosis) -> Diagnosis:
    """Without the person's secrets and names."""
    from diagnose.redact import redacted

    return redacted(diagnosis)


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
