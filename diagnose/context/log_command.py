"""A launch command in a log: typed behind a shell prompt, traced by ``set -x``, or echoed by a start
script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from diagnose.context import ranks
from diagnose.context.argv import find_launch, parse_argv
from diagnose.context.overrides import facts_of
from diagnose.context.site import Rows, Site
from diagnose.knowledge.schema import Parameter
from diagnose.late import late
from diagnose.model import Fact, GivenConfig, Record, RecordKind

ORIGIN = "launch command"

_PROMPT = late(
    r"""\s*(?:
        \++\ +                                            # set -x
      | (?:\([^)]{1,40}\)\s*)?                            # (venv)
        (?:\[?[\w.-]+@[\w.-]+[:\s][^$\#%❯]{0,120}[$\#%❯]\s+  # u@host:~$
          |[$\#❯>]\s+)                                    # bare prompt
      | (?:Run|Running|Executing|Command|CMD|cmd|\[cmd\]|exec)(?:\s+command)?:?\s+
    )?(?P<command>\S.*)""",
    re.VERBOSE | re.DOTALL,
)
_STARTS = late(
    r"(?:(?:export|env|sudo|nohup|exec|time|numactl|taskset|docker|podman|uv|poetry)\b|[A-Z_][A-Z0-9_]*=|"
    r"\S*python[\d.]*\s|(?:\S*/)?(?:vllm\s+serve|optimum-rbln-cli)\b)"
)
_LONGEST = 20_000
"""Characters of a command; a longer one is not read at all, for its end may say something else than its beginning."""
_PROGRAMS = ("vllm", "optimum-rbln-cli", ".py")
_SHELL = late(r"[$#%❯>+]$")
"""End of a prompt or a trace, and not of a word such as ``Run`` or ``Command:``, which may sum up what was."""
_COMPILES = late(r"compile|export|rbln", re.IGNORECASE)
_CONTINUED = late(r"\s+--?[a-zA-Z][\w.-]*(?:[ =].*)?$", re.DOTALL)


_LOGGED = late(r"\s(?:[^\s-]\S{0,40}\s)?\[[\w./-]{1,80}\.py:\d{1,6}\]\s")
"""The end of a command behind which a program's own line stands, though its head was lost."""
_BROKEN = late(
    r"(?P<first>(?<!\S)--?[A-Za-z][\w.-]*[ =]\d[\d_]*)\n(?P<second>[\d_]+(?!\d))"
    r"(?P<sure>(?=[kKmMgG]?[ ]+(?:-{1,2}[A-Za-z]|\\)))?"
)
"""The value of an option that ends with its line, and digits that begin the next one: a terminal broke the number, for
a line that goes on ends in a backslash. More options behind it are beyond doubt; a number that stands alone can be
what the command printed."""


def command_of(record: Record, parameters: Mapping[str, Parameter]) -> GivenConfig | None:
    """The launch command a record holds, or None. A sentence that only mentions one does not count."""
    words = _command_words(record)
    return parse_argv(words, parameters, name=ORIGIN) if words else None


def started_by(record: Record) -> str | None:
    """Key of the start a command in the log is: ``command`` (a server), ``job`` (it compiles), ``script`` (any other
    Python script); ``echo:job`` and ``echo:script`` without a prompt of a shell. None for all else.

    A server's without a prompt may be the echo of a start script, which can reach a log after the server's own lines.
    """
    if record.kind is not RecordKind.RAW or not any(word in record.text for word in _PROGRAMS):
        return None
    launch = find_launch(_command_words(record))
    if launch is None or launch.form is None:
        return None
    prompt = _prompt(record.text)
    if launch.form == "vllm-serve":
        return "command" if prompt else None
    compiles = launch.form == "optimum-cli" or _COMPILES.search(launch.script.rsplit("/", 1)[-1])
    return ("" if _SHELL.search(prompt) else "echo:") + ("job" if compiles else "script")


def _prompt(text: str) -> str:
    found = _PROMPT.match(text)
    return "" if found is None else text[: found.start("command")].strip()


def _command_words(record: Record) -> list[str]:
    if record.kind is not RecordKind.RAW:
        return []
    found = _PROMPT.match(record.text)
    return _words(found["command"]) if found and _STARTS.match(found["command"]) else []


def launch(site: Site) -> Iterator[Fact]:
    given = command_of(site.record, site.parameters)
    if given is None:
        return
    start = len(site.text) - len(site.text.lstrip())
    yield from site.facts(given.values, ORIGIN, ranks.TYPED, start)
    yield from facts_of(given.additional, site.fact("", True, ORIGIN, ranks.TYPED, start), partly=False)
    for name, value in (("model", given.model), ("form", given.form), ("npu", given.npu)):
        if value:
            yield site.fact(name, value, ORIGIN, ranks.TYPED, start)
    if given.model_class:
        yield site.fact("model_class", given.model_class, ORIGIN, ranks.TYPED, start)
    for phase in given.phases:
        if phase != "serve":  # a server that was only started has not served yet
            yield site.fact("phase", phase, ORIGIN, ranks.TYPED, start)


def continuation(site: Site) -> Iterator[Fact]:
    """A line of options that continues a command above it: an indented ``--max-model-len 32768 \\``."""
    if site.record.kind is not RecordKind.RAW or not _CONTINUED.match(site.text):
        return
    given = parse_argv(["vllm", "serve", *_words(site.text)], site.parameters, name=ORIGIN)
    if given is not None:
        known = {name: value for name, value in given.values.items() if name in site.parameters}
        yield from site.facts(known, ORIGIN, ranks.TYPED)


def _words(text: str) -> list[str]:
    import shlex

    if len(text) > _LONGEST:
        return []
    command = _LOGGED.split(text, maxsplit=1)[0] if ".py:" in text else text
    joined = _BROKEN.sub(_put_together, command.replace("\\\n", " ").strip())
    joined = joined[:-1] if joined.endswith("\\") else joined
    try:
        return shlex.split(joined, comments=True)
    except ValueError:  # an unclosed quote: the command was cut off or continues on the next line
        return joined.split()


def _put_together(found: re.Match[str]) -> str:
    """The whole number; one that cannot be told becomes what is none."""
    whole = "" if found["sure"] is not None else "?\n"
    return f"{found['first']}{whole}{found['second']}"


HOLDS: Rows = (
    ("vllm serve ", launch),
    ("vllm.entrypoints.openai.api_server", launch),
    ("optimum-rbln-cli ", launch),
    (".py", launch),
    ("VLLM_RBLN_", launch),
    ("RBLN_VISIBLE_DEVICES=", launch),
    ("RBLN_DEVICES=", launch),
    ("RBLN_FORCE_NPU_NAME=", launch),
    ("--max-model-len", continuation),
    ("--block-size", continuation),
    ("--max-num-", continuation),
    ("--rbln-", continuation),
    ("--additional-config", continuation),
    ("--tensor-parallel-size", continuation),
    ("--gpu-memory-utilization", continuation),
    ("--num-gpu-blocks-override", continuation),
)
_PROMPTED = ("$ python", "# python", "+ python", "> python", "❯ python")
TRIGGERS = (*(literal for literal, _ in HOLDS if literal != ".py"), "compile.py", "export.py", *_PROMPTED)
