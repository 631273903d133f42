"""Typer parses; the command's function returns what to do; it is done outside, under our own boundary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer

from diagnose.cli.words import text
from diagnose.model import InputError, Lang, Text

Action = Callable[[Lang], int]
"""Does the work and returns the exit code."""


def run(parser: Any, program: str, argv: Sequence[str], lang: Lang) -> int:
    """Parse ``argv`` with ``parser`` and do what it says. Raises InputError for a wrong command line."""
    try:
        action: Action = parser.main(args=list(argv), prog_name=program, standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise InputError(_complaint(error, program)) from error
    return action(lang)


def _complaint(error: Any, program: str) -> Text:
    """The parser's complaint in both languages.

    It is told by class name: typer carries its own copy of click in some releases and uses click in others.
    """
    name = type(error).__name__
    parameter = getattr(error, "param", None)
    fields: Mapping[str, str] = {
        # The help of the very subcommand is shorter than that of its group.
        "program": str(getattr(getattr(error, "ctx", None), "command_path", None) or program),
        "option": str(getattr(error, "option_name", "")),
        "argument": _called(parameter),
        "message": error.format_message().rstrip("."),
    }
    key = _KEYS.get(name, "usage_other")
    if name == "NoSuchOption" and error.possibilities:
        key, fields = "usage_similar_option", {**fields, "similar": ", ".join(sorted(error.possibilities))}
    if name == "BadOptionUsage" and "does not take" in fields["message"]:
        key = "usage_no_value"
    return text(key, **fields)


def _called(parameter: Any) -> str:
    """What the person has to write: an option's name, an argument's placeholder."""
    if getattr(parameter, "param_type_name", "") == "option":
        return str(parameter.opts[0])
    placeholder = str(getattr(parameter, "metavar", None) or getattr(parameter, "name", ""))
    return placeholder.partition("|")[0].rstrip(".")  # ``FILE`` of ``FILE|-``, ``PATH`` of ``PATH...``


_KEYS = {
    "NoSuchOption": "usage_no_option",
    "BadOptionUsage": "usage_needs_value",
    "MissingParameter": "usage_missing",
}
