"""The one place where an error becomes a line on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Final

from diagnose.cli.words import word
from diagnose.model import InputError, Lang
from diagnose.version import __version__

OK: Final = 0
COULD_NOT_RUN: Final = 2
INTERRUPTED: Final = 130


def guarded(call: Callable[[], int], lang: Lang, argv: Sequence[str]) -> int:
    """The exit code of ``call``; whatever it raises is reported instead."""
    try:
        code = call()
        sys.stdout.flush()
    except BaseException as error:
        return report(error, lang, argv)
    return code


def report(error: BaseException, lang: Lang, argv: Sequence[str]) -> int:
    """Say what has to be said about ``error`` on stderr and return the exit code."""
    if isinstance(error, InputError):
        _say(f"rbln-diagnose: {one_line(hidden(error.message.in_(lang)))}")
        return COULD_NOT_RUN
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        close_stdout()
        return OK  # the reader has had enough: nobody is left to tell
    if isinstance(error, OSError):
        # A full disk, a file that went away, a device that cannot be read: the system's refusal, no bug of ours.
        said = word("system", lang).format(what=error.filename or "I/O", reason=error.strerror or error)
        _say(f"rbln-diagnose: {one_line(hidden(said))}")
        close_stdout()
        return COULD_NOT_RUN
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else COULD_NOT_RUN
    _say(f"rbln-diagnose: {word('bug', lang)}\n\n{bundle(error, argv)}")
    return COULD_NOT_RUN


def close_stdout() -> None:
    """Point stdout to nowhere, so that the interpreter's last flush does not complain."""
    try:
        descriptor = sys.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - lives as long as the process


def bundle(error: BaseException, argv: Sequence[str]) -> str:
    """What we need to find the bug, paste-ready: the error redacted, values and directories left out."""
    import platform
    import traceback

    try:
        trace = hidden("".join(traceback.format_exception(type(error), error, error.__traceback__)))
    except Exception:  # the bug is in the redaction itself: the message may hold what it should have hidden
        trace = "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
    return "\n".join(
        (
            "```",
            f"rbln-diagnose {__version__}",
            f"Python {platform.python_version()} ({platform.python_implementation()})",
            f"{platform.system()} {platform.machine()}",
            f"arguments: {' '.join(map(redacted, argv))}",
            "",
            trace.rstrip(),
            "```",
        )
    )


def hidden(text: str) -> str:
    """``text`` without secrets and names: what goes to stderr ends up in the log of a CI job."""
    from diagnose.redact import Redactor, here

    return Redactor(here()).text(text)


def redacted(argument: str) -> str:
    """A path becomes its last part, a ``name=value`` its name."""
    argument = hidden(argument)
    name, equals, value = argument.partition("=")
    if equals:
        return f"{name}={_last_part(value) if name == '--config' else '…'}"
    return _last_part(argument) or argument


def _last_part(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def one_line(text: str) -> str:
    """One printable line: a file name may hold a line end or an escape sequence."""
    from diagnose.report.clean import clean

    return " ".join(clean(text).split())


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr)
    except (OSError, ValueError):
        return  # stderr is closed: the exit code has to do
