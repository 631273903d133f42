"""Lines that are neither a logger's record nor part of a traceback's frames, by shape."""

from __future__ import annotations

import re

from diagnose.late import late

_MAX_HEAD = 400
"""Characters in which a line must show what it is; keeps hostile lines cheap."""

HEADER = late(r"(?:Exception Group )?Traceback \(most recent call last\):\s*$")
GROUP_HEADER = late(r"\s*\+ Exception Group Traceback \(most recent call last\):\s*$")
GROUP_TITLE = "+ Exception Group"
SEPARATORS = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}
FRAME = late(r'\s+File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>.+)|\s*)$')
ELIDED = late(r"\s*(?:\.\.\.<\d+ lines?>\.\.\.|\[Previous line repeated \d+ more times?\])\s*$")
PROCESS_HEADER = late(r"Process (?P<name>[A-Za-z][\w.-]*(?::\d+)*):\s*$")
IGNORED = late(r"Exception ignored (?:in|while|on)\b")
TERMINATE = late(r"terminate called ")
WHAT = late(r"\s+what\(\):")
PANIC = late(r"thread '[^'\n]{1,80}' (?:\(\d{1,10}\) )?panicked at \S+:\s*$")
"""Rust prints the message on the next line."""
PYTEST = late(r"E {3,}(?=\S)")
USAGE = late(r"[Uu]sage: \S")
USAGE_ERROR = late(r"(?P<prog>[\w./-]+(?: [a-z][\w-]*){0,3}): error: \S|Error: \S")
KNOWN_PROG = late(
    r"(?:vllm|optimum-cli|optimum-rbln-cli|optimum-rbln|rbln[\w-]*|api_server\.py|[\w./-]+\.py)"
    r"(?: [a-z][\w-]*){0,3}: error: \S"
)
PY_WARNING = late(
    r"(?P<file>(?:[A-Za-z]:\\|/|<|\.{1,2}/)?[^:\s][^:]*|sys):(?P<line>\d+): "
    r"(?P<text>[A-Za-z_][\w.]*Warning: .*)$"
)


def begins_traceback(text: str) -> bool:
    """True for the first line of a traceback or of an exception group."""
    return "Traceback (most" in text and (HEADER.match(text) or GROUP_HEADER.match(text)) is not None


_STRONG = (
    r"(?:[A-Za-z_]\w*\.)*(?:\w+(?:Error|Exception|Interrupt|Exit|Timeout|Iteration|ExceptionGroup|CompilerFailed)"
    r"|(?:[A-Za-z_]\w*\.)+(?:Error|Exception|Again|Timeout))"
)
EXCEPTION = late(rf"(?P<type>{_STRONG}|Exception(?=: ))(?::(?=\s|$)|$)")
"""``Type: message`` where nothing but the line itself says that it is an exception."""
CLOSING = late(r"(?P<type>[A-Za-z_][\w.<>]*(?:\(\w+\))?)(?::(?=\s|$)|\s*$)")
"""The same at the end of frames, where any class name will do (``BackendCompilerFailed``, ``Fatal: …``)."""
_NO_CLASS = frozenset({"Note", "Hint", "Info", "Warning", "Loading", "Downloading", "Capturing", "Compiling"})


def is_carets(text: str) -> bool:
    """True for the marks under a source line, TorchScript's too."""
    stripped = text.strip()
    return bool(stripped) and not stripped.removesuffix("<--- HERE").strip("~^ ")


def exception_type(text: str) -> str | None:
    """The exception type a line begins with, for a line that stands alone."""
    found = EXCEPTION.match(text, 0, _MAX_HEAD)
    return found["type"] if found is not None and not _at_limit(found) else None


def _at_limit(found: re.Match[str]) -> bool:
    """True when only the limit made the pattern see an end."""
    return found.end() == _MAX_HEAD < len(found.string)


def closing_type(text: str) -> str | None:
    """The exception type of a traceback's last line, or None when the line is something else."""
    known = exception_type(text)
    if known is not None:
        return known
    found = CLOSING.match(text, 0, _MAX_HEAD)
    if found is None or _at_limit(found):
        return None
    name = found["type"]
    if "." in name.strip("."):
        return name
    return name if name[0].isupper() and found[0].endswith(":") and name not in _NO_CLASS else None


_ENDS_MESSAGE = late(
    r"""
      \S+@\S+[:~].*[$#](?:\s|$) | \$\s | \+{1,4}\s\S | >>>\s | \(\S+\)\s\S+@   # prompts and `set -x`
    | (?:srun|slurmstepd|salloc|mpirun|make|ninja|bash|sh|/bin/\w+|timeout|torchrun|docker)[\w\[\]]*:\s
    | \#\#\[ | ::(?:error|group|endgroup) | \[Pipeline\]\s | `{3} | ~{3} | [\ufffd\s]+$
    | Process\s\S+:\s*$ | Exception\sin\s | Exception\signored | (?:Task|Future)\sexception\swas\snever
    | Fatal\sPython\serror | terminate\scalled | Aborted\b | Segmentation\sfault | Killed\b | Bus\serror
    | \*\*\*\s
    | (?:Error|ERROR|error|fatal|FATAL)(?::|\s) | [Uu]sage:\s | ❌ | ✅ | FAILED\s | PASSED\s
    | [\w.-]{1,40}:\s(?:exit\s\d|commands\[|OK\b|FAIL\b)                        # tox
    | [=\-_!]{4,} | nanobind: | Got\sexit\scode | Exit(?:ed|ing)?\b | exit\s | command\s(?:exit|term)
    | [\w.@/-]{1,120}\s{1,4}exited\swith\scode\s\d | script\sreturned\sexit\scode\s | Finished:\s[A-Z]+\s*$
    | [\w.@\\-]{1,200}\.service:\s | thread\s'[^'\n]{1,80}'\s | panic:\s
    | \[\d+\]\s*[+-]?\s+\d* | \[rank\d+\]: | Terminated\b | \S+:\d+:\s\w+Warning:
    | Traceback\b(?!\sof\sTorchScript) | .*%\| | .*█
    """,
    re.VERBOSE,
)


def ends_message(text: str) -> bool:
    """True for an unprefixed line that certainly does not continue an exception's message."""
    return _ENDS_MESSAGE.match(text, 0, _MAX_HEAD) is not None


_SHORTEST_WRAPPED = 50
"""Characters a line has before somebody wraps it."""
_CLOSED = (".", "!", "?", ":", ";", ")", "]", "}", "…")
_GOES_ON = late(r"(?!optimum-rbln-cli --|vllm serve |python3? \S+\.py(?:\s|$))[a-z0-9(`]")
"""A small letter, a digit or a bracket, and no command."""


def wraps(last: str, text: str) -> bool:
    """True when ``text`` reads as the rest of the sentence ``last`` was broken off in, as a page or a mail
    wraps it."""
    if len(last) < _SHORTEST_WRAPPED or last.endswith(_CLOSED):
        return False
    return _GOES_ON.match(text) is not None and exception_type(text) is None and not ends_message(text)
