"""Marks of a server's life, from which a file is split into runs. Wordings of vLLM 0.9.1 – 0.30.0 and
uvicorn.
"""

from __future__ import annotations

import re
from typing import Literal

from diagnose.context.log_command import starts_server
from diagnose.late import late
from diagnose.light import dataclass
from diagnose.model import Record, RecordKind

MarkKind = Literal["start", "ready", "stopping", "stopped", "failed-header"]


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
SCRIPT = "platform-script"
"""Key of a start that only counts after the script before it has died."""
_SCRIPT_SAYS = (
    "RBLN SDK compiler version",
    *("rbln_config = {", "rbln_config={", "rbln_config: {"),
    *("model_id = ", "model_id="),
)
_BEGINS: tuple[tuple[str, MarkKind, str], ...] = (
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

_LOGO = late(r"[█▀▄ ]{8,}version \d\S*\s*$", re.MULTILINE)
_SHORT = 40
"""A longer message is none of them; it need not be copied to be stripped."""
_ANY_BEGIN = tuple(begin for begin, _, _ in _BEGINS)

TRIGGERS: tuple[str, ...] = (
    *(begin for begin, _, _ in _BEGINS if len(begin) > len("^C")),
    "▄▄ ▄█",
    "KeyboardInterrupt",
    "Shutting down",
)


def lifecycle(record: Record) -> Mark | None:
    """The mark a record is, or None."""
    if record.kind is RecordKind.EXCEPTION:
        return _exception(record)
    if record.kind in (RecordKind.RAW, RecordKind.LOG) and record.text.startswith(_SCRIPT_SAYS):
        # A script that died of an exception and says these again was started again.
        return Mark("start", f"{SCRIPT}@{record.line}", None)
    if record.kind is RecordKind.USAGE:
        return Mark("stopped", "usage", record.pid)
    text = record.text.lstrip()
    if text.startswith(_ANY_BEGIN):
        kind, key = next((kind, key) for begin, kind, key in _BEGINS if text.startswith(begin))
        return Mark(kind, key if key != _PLATFORM else f"{key}@{record.line}", record.pid)
    if len(text) < _SHORT and (whole := _WHOLE.get(text.rstrip())):
        return Mark(*whole, record.pid)
    if "█" in text and _LOGO.search(record.text):
        return Mark("start", "version", record.pid)
    return Mark("start", "command", record.pid) if starts_server(record) else None


def _exception(record: Record) -> Mark | None:
    """Ctrl-C reaches the log as the last exception of a traceback."""
    info = record.exception
    if info is not None and info.type.rpartition(".")[2] == "KeyboardInterrupt":
        return Mark("stopping", "keyboard", record.pid)
    return Mark("stopped", "uncaught", None) if ends_script(record) else None


def ends_script(record: Record) -> bool:
    """Whether a record is an exception nobody caught: it ends a script. A server's processes all carry a prefix."""
    info = record.exception
    if info is None or info.type.rpartition(".")[2] == "KeyboardInterrupt":
        return False
    return info.last and not info.bare and record.level is None and record.process is None
