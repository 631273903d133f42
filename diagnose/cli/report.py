"""``rbln-diagnose report FILE``: a bundle for an issue."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from diagnose.cli.boundary import one_line
from diagnose.cli.command import Action
from diagnose.cli.diagnosing import exit_code
from diagnose.cli.words import text, word
from diagnose.model import InputError, Lang

if TYPE_CHECKING:
    from diagnose.bundle import Bundle

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, add_help_option=False)

MAX_PIPE_MIB: Final = 256
"""A pipe can be read once only, so it is kept in memory; a file of any size is read again."""


@app.command(add_help_option=False)
def report(
    file: Annotated[str, typer.Argument(metavar="FILE|-")],
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="OUT")] = None,
    config: Annotated[list[str] | None, typer.Option("--config", metavar="FILE")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE")] = None,
    npu: Annotated[str | None, typer.Option("--npu", metavar="NAME")] = None,
    all_runs: Annotated[bool, typer.Option("--all-runs")] = False,
) -> Action:
    """Turns the options into a bundle; see ``words`` for their meaning."""
    if out is not None and Path(out).suffix not in (".md", ".zip"):
        raise InputError(text("report_suffix", name=out))

    def run(lang: Lang) -> int:
        from diagnose.bundle.making import Given, make
        from diagnose.redact import here

        given = Given(file, tuple(config or ()), tuple(sets or ()), npu, all_runs)
        log = _Log(file)
        made = make(log.blocks, given, here(), lambda: log.broke)
        _write(made, out, lang)
        return exit_code(made.diagnosis)

    return run


class _Log:
    """A log that is read more than once."""

    def __init__(self, path: str) -> None:
        self.broke = False
        """Whether it broke off; known when it was read."""
        self._path = path
        self._held = self._piped() if path == "-" else None

    def blocks(self) -> Iterable[bytes]:
        """The whole of it. Raises InputError as a source does."""
        return self._file() if self._held is None else iter(self._held)

    def _file(self) -> Iterable[bytes]:
        from diagnose.sources import open_source

        with open_source(self._path) as source:
            yield from source.blocks()
            self.broke = source.damaged

    def _piped(self) -> list[bytes]:
        from diagnose.sources import open_source

        held: list[bytes] = []
        size = 0
        terminal = sys.stdin is not None and sys.stdin.isatty()
        with open_source("-", stdin=getattr(sys.stdin, "buffer", None), stdin_is_terminal=terminal) as source:
            for block in source.blocks():
                held.append(block)
                size += len(block)
                if size > MAX_PIPE_MIB << 20:
                    raise InputError(text("report_pipe", limit=str(MAX_PIPE_MIB)))
            self.broke = source.damaged
        return held


def _write(made: Bundle, out: str | None, lang: Lang) -> None:
    from diagnose.bundle.page import archive, page

    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(page(made, lang, system).encode())
        return
    data = archive(made, lang, system) if out.endswith(".zip") else page(made, lang, system).encode()
    Path(out).write_bytes(data)
    print(f"rbln-diagnose: {one_line(word('report_written', lang).format(name=out))}", file=sys.stderr)
