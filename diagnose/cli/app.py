"""Which command is meant, in which language, and the one boundary around it."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from diagnose.cli import boundary, language, plain
from diagnose.cli.words import word
from diagnose.model import Lang

MAIN: Final = "diagnose.cli.diagnose_log"
COMMANDS: Final[Mapping[str, str]] = {
    "kb": "diagnose.cli.kb",
    "history": "diagnose.cli.history",
    "watch": "diagnose.cli.watch",
    "report": "diagnose.cli.report",
}
"""Subcommand → its module, which has ``app`` (typer) and is imported only when it is asked for.

A module's ``DEFAULT`` is the command that is meant when none is given.

Every other first word is a log file; a file named like a subcommand is given as ``./kb``.
"""
_EVERYDAY: Final = {"": (plain.DIAGNOSE, "diagnose.cli.diagnosing"), "watch": (plain.WATCH, "diagnose.cli.watching")}
"""Subcommand → its options, and the module that does what they ask for."""
HELP: Final = frozenset({"--help", "-h"})


def main(argv: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """Run ``argv`` (without the program's name) and return the exit code; nothing is raised."""
    environ = os.environ if environ is None else environ
    if sys.stdout is None:  # started with its standard output closed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - lives as long as the process
    # The boundary must be able to speak before the language is known to be a valid one.
    lang = language.of_locale(environ)
    try:
        lang, rest = language.take(argv, environ)
    except BaseException as error:
        return boundary.report(error, language.asked(argv) or lang, argv)
    return boundary.guarded(lambda: dispatch(rest, lang), lang, argv)


def dispatch(argv: Sequence[str], lang: Lang) -> int:
    """Import the command meant by ``argv`` and run it."""
    name, rest = (argv[0], argv[1:]) if argv and argv[0] in COMMANDS else ("", argv)
    options = list(rest[: rest.index("--")]) if "--" in rest else list(rest)
    if not name and "--version" in options:
        from diagnose.version import __version__

        print(f"rbln-diagnose {__version__}")
        return 0

    everyday = _EVERYDAY.get(name)
    asked = None if everyday is None else plain.parse(rest, everyday[0])
    if everyday is not None and asked is not None:
        home: Any = importlib.import_module(everyday[1])
        return int(home.run(home.make_request(**asked), lang))

    import typer.main

    from diagnose.cli import command

    module = importlib.import_module(COMMANDS[name] if name else MAIN)
    parser = typer.main.get_command(module.app)
    default = getattr(module, "DEFAULT", None)
    if default and not HELP.intersection(options) and (not rest or rest[0].startswith("-")):
        rest = [default, *rest]
    program = f"rbln-diagnose {name}".rstrip()
    # A group without a command has nothing to complain of; a command without its argument has.
    if HELP.intersection(options) or (name and not rest and hasattr(parser, "commands")):
        from diagnose.cli.help import help_text

        sys.stdout.write(help_text(parser, program, [o for o in options if o not in HELP], lang))
        if not name:
            sys.stdout.write(word("exit_codes", lang) + "\n")
        return 0
    return command.run(parser, program, rest, lang)
