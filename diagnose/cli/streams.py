"""stdout is data: the report, as text for a person or as bytes for a program."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from diagnose.cli.boundary import close_stdout
from diagnose.model import Diagnosis, Lang
from diagnose.report import render
from diagnose.report.remarks import Hide, Recall, as_it_is, nothing, remembered

PLAIN_WIDTH = 80
"""Width of a report that goes into a file or a pipe."""


def emit(
    diagnosis: Diagnosis, format: str, lang: Lang, *, color: bool, hide: Hide = as_it_is, recall: Recall = nothing
) -> None:
    """Write the report to stdout. A reader that closes the pipe early is no error: the exit code stands."""
    try:
        if format == "text":
            from diagnose.report.text import write

            out = sys.stdout
            # A terminal that lacks a character gets a replacement, not a traceback.
            reconfigure = getattr(out, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="replace")
            wide = width(out, os.environ)
            color = color and wants_color(out, os.environ)
            write(diagnosis, lang, out, width=wide, color=color, hide=hide, recall=recall)
        elif format == "json":
            from diagnose.report.json import render as render_json

            diagnosis, remarks = remembered(hide(diagnosis), recall)
            _write_bytes(render_json(diagnosis, lang, remarks))
        else:
            _write_bytes(render(remembered(hide(diagnosis), recall)[0], format, lang))
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # rich ends the program when the reader is gone; the exit code stands
        close_stdout()


def wants_color(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Colour only on a terminal that has it, and never against ``NO_COLOR`` (https://no-color.org)."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def width(stream: TextIO, environ: Mapping[str, str]) -> int:
    """Columns of the page: ``COLUMNS``, else the terminal's, else 80."""
    given = environ.get("COLUMNS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    if not stream.isatty():
        return PLAIN_WIDTH
    try:
        return os.get_terminal_size(stream.fileno()).columns or PLAIN_WIDTH
    except (OSError, ValueError):
        return PLAIN_WIDTH


def _write_bytes(text: str) -> None:
    """UTF-8 whatever the locale: a program reads it."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
    else:
        buffer.write(text.encode())
