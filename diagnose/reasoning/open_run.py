"""A run while its marks are read: which start is still its own, and which is that of the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

EVERY_PROCESS = "platform"
"""Key of a start that every child process prints again: it begins a run only after a stop."""
SCRIPT_SAYS, COMPILER_SAYS = "platform-script", "platform-compiler"
"""Keys of what a script prints of itself, and of what the compiler prints in it."""
SIGNS = ("ready", "stopping", "stopped", "failed", "saved")
"""Kinds of marks that tell how far a run came. The API server's death counts before it was up: what a server prints
later is about a request."""
REFUSED = "usage"
"""Key of the end of a program that did not take its command line: it is that program's start as well."""

_SERVER_SAYS = frozenset({"version", "args"})
_SERVES = _SERVER_SAYS | {"command"}
_SCRIPT_COMMANDS = frozenset({"job", "script", "echo:job", "echo:script"})
_ECHOED = frozenset({"echo:job", "echo:script"})
"""A command without a prompt: printed by who starts it, maybe late, for such output is kept back."""


class MarkLike(Protocol):
    """A sign of life of a server (``diagnose.context.runs.Mark``) with its line."""

    @property
    def kind(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def pid(self) -> int | None: ...


class OpenRun:
    """What the marks so far say about one run."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.keys: set[str] = set()
        self.pids: set[int] = set()
        self.lines: dict[str, int] = {}
        self.asked = False
        """It was told to stop, or said that it stopped: an exception nobody caught may be no end at all."""

    def is_over_for(self, mark: MarkLike) -> bool:
        """Whether ``mark`` is the start of another run."""
        if mark.kind != "start" and mark.key != REFUSED:
            return False
        return _RULES.get(mark.key.partition("@")[0], _says_again)(self, mark)

    def would_learn(self, mark: MarkLike) -> bool:
        """Whether anything is other after the mark."""
        if mark.kind != "start":
            news = mark.kind in SIGNS and mark.kind not in self.lines
            return news or (mark.kind in ("stopping", "stopped") and mark.key != "uncaught" and not self.asked)
        if mark.key.startswith(EVERY_PROCESS):
            return not self.keys - _ECHOED  # it tells by being there, not by what it is
        return mark.key not in self.keys or (mark.pid is not None and mark.pid not in self.pids)

    def take(self, line: int, mark: MarkLike) -> None:
        if mark.kind == "start":
            self.keys.add(mark.key)
            if mark.pid is not None and not mark.key.startswith(EVERY_PROCESS):
                self.pids.add(mark.pid)
            return
        if mark.kind in SIGNS and not (mark.kind == "failed" and "ready" in self.lines):
            self.lines.setdefault(mark.kind, line)
        self.asked = self.asked or (mark.kind in ("stopping", "stopped") and mark.key != "uncaught")

    @property
    def stops(self) -> bool:
        return "stopping" in self.lines or "stopped" in self.lines

    @property
    def ended(self) -> bool:
        return self.stops or "failed" in self.lines


def _says_again(run: OpenRun, mark: MarkLike) -> bool:
    """What a program says once in its life."""
    if not run.keys:
        return run.asked
    if mark.key in run.keys or run.lines.keys() - {"saved"}:
        return True
    if mark.key == "command" and run.keys & _SCRIPT_COMMANDS:
        return True
    return mark.pid is not None and bool(run.pids) and mark.pid not in run.pids


def _of_a_child(run: OpenRun, mark: MarkLike) -> bool:
    """What child processes say too. After the API server died of an exception, nobody starts one any more; those
    that are left have a name in front of what they print."""
    if not run.keys:
        return run.asked
    return run.stops or ("failed" in run.lines and mark.pid is None)


def _compiles(run: OpenRun, mark: MarkLike) -> bool:
    """The compiler, outside of every server's process: after a server came up that is no part of it."""
    return _of_a_child(run, mark) or ("ready" in run.lines and bool(run.keys & _SERVES))


def _configures(run: OpenRun, mark: MarkLike) -> bool:
    """A script says its configuration, and no process of a server does it like that. One that saved what it compiled
    before goes on with the next model."""
    return _compiles(run, mark) or "saved" in run.lines or bool(run.pids)


def _compile_command(run: OpenRun, mark: MarkLike) -> bool:
    """A command behind a prompt: what was there before is over, or another terminal's."""
    return bool(run.keys - _ECHOED or run.lines)


def _script_command(run: OpenRun, mark: MarkLike) -> bool:
    """A script with any name may be the client of the server that runs."""
    return _compile_command(run, mark) and (run.ended or not run.keys & _SERVER_SAYS)


def _echoed_script(run: OpenRun, mark: MarkLike) -> bool:
    return bool(run.keys & _ECHOED) and (run.ended or "saved" in run.lines)


def _echoed_compile(run: OpenRun, mark: MarkLike) -> bool:
    """A server compiles without a command of its own."""
    return _echoed_script(run, mark) or bool(run.keys & _SERVER_SAYS)


def _refused(run: OpenRun, mark: MarkLike) -> bool:
    """Who does not take its command line has done nothing before."""
    return bool(run.lines)


_RULES: Mapping[str, Callable[[OpenRun, MarkLike], bool]] = {
    EVERY_PROCESS: _of_a_child,
    COMPILER_SAYS: _compiles,
    SCRIPT_SAYS: _configures,
    "job": _compile_command,
    "script": _script_command,
    "echo:job": _echoed_compile,
    "echo:script": _echoed_script,
    REFUSED: _refused,
}
