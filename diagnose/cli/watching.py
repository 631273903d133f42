"""What ``rbln-diagnose watch`` does once its command line is understood."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final, get_args

from diagnose.model import InputError, Lang
from diagnose.watch.nouns import Mode
from diagnose.watch.wiring import Options, serve
from diagnose.watch.words import text

MODES: Final[Mapping[str, Mode]] = {mode: mode for mode in get_args(Mode) if mode != "appeared"}
FORMATS: Final = ("text", "json")


def make_request(
    paths: Sequence[str],
    *,
    from_: str = "checkpoint",
    format: str = "text",
    listen: str | None = None,
    alert: Sequence[str] = (),
    config: Sequence[str] = (),
    sets: Sequence[str] = (),
    npu: str | None = None,
    poll: bool = False,
    no_store: bool = False,
    no_color: bool = False,
) -> Options:
    """The options as a request. Raises InputError for a value that is none of those an option has."""
    if from_ not in MODES:
        raise InputError(text("bad_from", value=from_))
    if format not in FORMATS:
        raise InputError(text("bad_format", value=format))
    return Options(
        paths=tuple(paths),
        mode=MODES[from_],
        format=format,
        config=tuple(config),
        sets=tuple(sets),
        npu=npu,
        listen=listen,
        alerts=tuple(alert),
        poll=poll,
        store=not no_store,
        view=_wants_view(format, no_color=no_color),
    )


def run(options: Options, lang: Lang) -> int:
    """Follow, and return the exit code."""
    return serve(options, lang)


def _wants_view(format: str, *, no_color: bool) -> bool:
    """The view redraws itself: only a terminal that can, and a person who wants it so."""
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return format == "text" and sys.stdout.isatty() and not plain
