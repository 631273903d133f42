"""Marks of a server's life, from which a file is split into runs. Wordings of vLLM 0.9.1 – 0.30.0 and
uvicorn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from diagnose.context.log_command import started_by
from diagnose.late import late
from diagnose.light import dataclass
from diagnose.model import Record, RecordKind

MarkKind = Literal["start", "ready", "stopping", "stopped", "failed-header", "failed", "saved"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One step in a server's life.

    One start prints several start marks, each with its own ``key``: ``command``, ``version``, ``args``. The
    same key again, or another ``pid``, is another start. Platform lines are printed again by every child
    process, so each has a key of its own (``platform@<line>``): it begins a run only where the one before has
    ended or failed.
    """

    kind: MarkKind
    key: str
    pid: int | None = None


GOES_ON: tuple[Mark, ...] = tuple(Mark("start", key) for key in ("command", "version", "args"))
"""Stand ahead of an input that begins in the middle of a run: whatever start comes first in it is the next one's."""
_PLATFORM = "platform"
_SCRIPT_SAYS: Mapping[str, str] = {
    "RBLN SDK compiler version": "platform-compiler",
    **dict.fromkeys(("rbln_config = {", "rbln_config={", "rbln_config: {"), "platform-script"),
    **dict.fromkeys(("model_id = ", "model_id="), "platform-script"),
}
"""Beginnings of what a script prints, and the key of the start they are. A script that says its configuration again
after it died or saved a model was started again, or goes on with another model."""
_SAVES = "Serializing compiled model to "
_GIVES_UP = "Error during model compilation: "
"""The last line of optimum-rbln-cli, behind a cross (``optimum/rbln/cli.py``)."""
_ANY_SAID = (*_SCRIPT_SAYS, _SAVES, _GIVES_UP)
_BEGINS: tuple[tuple[str, MarkKind, str], ...] = (
    ("Available plugins for group ", "start", "platform"),
    ("Failed to load plugin ", "start", "platform"),
    ("No platform detected", "start", "platform"),
    ("Automatically detected platform ", "start", "platform"),
    ("Platform plugin rbln is activated", "start", "platform"),
    ("vLLM API server version ", "start", "version"),
    ("vLLM server version ", "start", "version"),
    ("non-default args: ", "start", "args"),
    ("args: Namespace(", "start", "args"),
    ("Application startup complete.", "ready", "uvicorn"),
    ("Received SIGTERM", "stopping", "signal"),
    ("Received SIGINT", "stopping", "signal"),
    ("Received signal", "stopping", "signal"),
    ("[shutdown] API server: shutdown triggered", "stopping", "signal"),
    ("[shutdown] EngineCore: trigger received signal=", "stopping", "signal"),
    ("KeyboardInterrupt: terminated", "stopping", "signal"),
    ("^C", "stopping", "keyboard"),
    ("Gracefully stopping...", "stopping", "keyboard"),
    ("Gracefully Stopping...", "stopping", "keyboard"),
    ("Shutting down FastAPI HTTP server.", "stopping", "server"),
    ("Waiting for application shutdown.", "stopping", "uvicorn"),
    ("slurmstepd: error: *** ", "stopping", "slurm"),
    ("Application shutdown complete.", "stopped", "uvicorn"),
    ("Finished server process [", "stopped", "uvicorn"),
    ("EngineCore failed to start.", "failed-header", "engine"),
    ("EngineCore encountered a fatal error.", "failed-header", "engine"),
    ("EngineCore hit an exception: ", "failed-header", "engine"),
    ("WorkerProc failed to start.", "failed-header", "worker"),
    ("WorkerProc hit an exception.", "failed-header", "worker"),
    ("AsyncLLM output_handler failed.", "failed-header", "server"),
    ("Application startup failed. Exiting.", "failed-header", "server"),
)
_WHOLE: dict[str, tuple[MarkKind, str]] = {
    "Shutting down": ("stopping", "uvicorn"),
    "Terminated": ("stopping", "signal"),
    "KeyboardInterrupt": ("stopping", "keyboard"),
}
"""Too short to be recognised by their beginning: the whole message must be this."""

_REFUSED = late(
    r"^Error: |: error: (?:argument |unrecognized arguments|ambiguous option|one of the arguments|"
    r"the following arguments are required)"
)
"""argparse and click speak of the command line. Other programs use the form for whatever went wrong."""
_API_SERVER = ("APIServer", "ApiServer")
_LOGO = late(r"[█▀▄ ]{8,}version \d\S*\s*$", re.MULTILINE)
_SHORT = 40
"""A longer message is none of them; it need not be copied to be stripped."""
_ANY_BEGIN = tuple(begin for begin, _, _ in _BEGINS)

TRIGGERS: tuple[str, ...] = (
    *(begin for begin, _, _ in _BEGINS if len(begin) > len("^C")),
    "▄▄ ▄█",
    "KeyboardInterrupt",
    "Shutting down",
    _SAVES,
    _GIVES_UP,
)


def lifecycle(record: Record) -> Mark | None:
    """The mark a record is, or None."""
    if record.kind is RecordKind.EXCEPTION:
        return _exception(record)
    if record.kind in (RecordKind.RAW, RecordKind.LOG) and record.text.startswith(_ANY_SAID):
        return _of_a_script(record)
    if record.kind is RecordKind.USAGE:
        return Mark("stopped", "usage" if _REFUSED.search(record.text) else "gave-up", record.pid)
    text = record.text.lstrip()
    if text.startswith(_ANY_BEGIN):
        kind, key = next((kind, key) for begin, kind, key in _BEGINS if text.startswith(begin))
        return Mark(kind, key if key != _PLATFORM else f"{key}@{record.line}", record.pid)
    if len(text) < _SHORT and (whole := _WHOLE.get(text.rstrip())):
        return Mark(*whole, record.pid)
    if "█" in text and _LOGO.search(record.text):
        return Mark("start", "version", record.pid)
    command = started_by(record)
    return Mark("start", command, record.pid) if command else None


def _of_a_script(record: Record) -> Mark | None:
    """What is printed by a script, and by the processes of a server with their names in front."""
    if record.text.startswith(_SAVES):
        return Mark("saved", "compiler") if record.process is None else None
    if record.text.startswith(_GIVES_UP):
        return Mark("stopped", "optimum-rbln-cli") if record.writer == "optimum" else None
    key = next(key for begin, key in _SCRIPT_SAYS.items() if record.text.startswith(begin))
    return Mark("start", f"{key if record.process is None else _PLATFORM}@{record.line}", record.pid)


def _exception(record: Record) -> Mark | None:
    """Ctrl-C reaches the log as the last exception of a traceback."""
    info = record.exception
    if info is not None and info.type.rpartition(".")[2] == "KeyboardInterrupt":
        return Mark("stopping", "keyboard", record.pid)
    if ends_script(record):
        return Mark("stopped", "uncaught", None)
    dies = info is not None and info.last and not info.bare and record.level is None
    return Mark("failed", "server", record.pid) if dies and (record.process or "").startswith(_API_SERVER) else None


def ends_script(record: Record) -> bool:
    """Whether a record is an exception nobody caught: it ends a script. A server's processes all carry a prefix."""
    info = record.exception
    if info is None or info.type.rpartition(".")[2] == "KeyboardInterrupt":
        return False
    return info.last and not info.bare and record.level is None and record.process is None
