"""Shell scripts and command lines with ``vllm serve``, the API server module or ``optimum-rbln-cli``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from diagnose.context.argv import environment_values, parse_argv
from diagnose.context.readers.draft import Draft
from diagnose.context.readers.errors import refused
from diagnose.context.readers.shell_words import Command, UnclosedQuote, commands
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Text, Value

LAUNCHER = re.compile(r"\bvllm['\", \t\\\n]+serve\b|vllm\.entrypoints\.|\boptimum-rbln-cli\b|\boptimum\.rbln\.cli\b")
_SCRIPT = re.compile(r"(?m)\bpython[\d.]*[ \t]+(?:-\w[ \t]+)*\S+\.py\b")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_DECLARES = frozenset({"export", "env", "declare", "readonly", "local", "set", "-x", "-e"})
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_NPU_VARIABLES = ("RBLN_FORCE_NPU_NAME", "RBLN_TARGET_SOC")
_SPLICED = ("$", "`")
"""A word that begins so may stand for any number of options."""
_PROGRAMS = frozenset(
    {
        "vllm.entrypoints.openai.api_server",
        "vllm.entrypoints.cli.main",
        "optimum-rbln-cli",
        "optimum.rbln.cli",
    }
)
_OPEN = frozenset("$`")
"""What makes a word depend on something outside the script."""
_MAX_NESTING = 3
"""Shells in shells whose launch is read; below that something was launched that is not known."""


def is_shell(text: str) -> bool:
    return LAUNCHER.search(text) is not None or _SCRIPT.search(text) is not None


def read(text: str, name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """Every launch of the script; environment assignments count for what follows. Launches of one kind are sections,
    named by their lines.

    Raises InputError for an unclosed quote and for a script that launches nothing known.
    """
    draft = Draft()
    read_script(text, name, parameters, draft)
    if not draft.launched:
        raise refused(name, Text("launches nothing known here", "알려진 실행 명령이 없습니다"))
    return draft.given(name, "shell")


def read_script(
    text: str,
    name: str,
    parameters: Mapping[str, Parameter],
    draft: Draft,
    variables: Mapping[str, str] | None = None,
    nesting: int = 0,
) -> None:
    """Adds what the commands of ``text`` say to ``draft``; ``variables`` are those set around it."""
    try:
        found = list(commands(text))
    except UnclosedQuote as error:
        line = error.line
        reason = Text(f"has an unclosed quote in line {line}", f"{line}행의 따옴표가 닫히지 않았습니다")
        raise refused(name, reason) from None
    constants = _constants(found)
    environment = dict(variables or {})
    for command in found:
        words = [_expand(word, constants) for word in command.words]
        own = dict(_assignments(words))
        if len(own) == sum(word not in _DECLARES for word in words):
            environment.update(own)
        else:
            if not draft.called:  # a container's own script is its section
                draft.section = draft.section if nesting else str(command.line)
            read_words(words, name, parameters, draft, {**environment, **own}, nesting)
    draft.environment(environment_facts(environment, parameters))


def read_words(
    words: Sequence[str],
    name: str,
    parameters: Mapping[str, Parameter],
    draft: Draft,
    environment: Mapping[str, str],
    nesting: int = 0,
) -> None:
    """One command, already split: a launch, or a shell that gets a launch as one word (``bash -c '…'``)."""
    start = _launch_at(words)
    if start is not None:
        draft.environment(environment_facts(environment, parameters))
        given = parse_argv(list(words[start:]), parameters, name=name)
        if given is not None:
            draft.launch(given, partly=any(word.startswith(_SPLICED) for word in words[start:]))
        return
    for word in words:
        if any(blank in word for blank in " \t\n") and is_shell(word):
            if nesting < _MAX_NESTING:
                read_script(word, name, parameters, draft, environment, nesting + 1)
            else:
                draft.partly = True


def environment_facts(environment: Mapping[str, str], parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """Canonical values of variables that are configuration; one that is not spelled out is left out."""
    plain = {key: value for key, value in environment.items() if value and not set(value) & _OPEN}
    values = environment_values(plain, parameters)
    for variable in _NPU_VARIABLES:
        if variable in plain:
            values["npu"] = plain[variable]
    return values


def _launch_at(words: Sequence[str]) -> int | None:
    """Index of the word the launcher's own command line begins with."""
    for index, word in enumerate(words):
        program = word.rsplit("/", 1)[-1]
        if program == "vllm" and words[index + 1 : index + 2] == ["serve"]:
            return index
        if program in _PROGRAMS:
            return index
        if program.endswith(".py") and index and words[index - 1].rsplit("/", 1)[-1].startswith("python"):
            return index
    return None


def _assignments(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Assignments in front of a command (or behind ``export``); the first other word ends them."""
    for word in words:
        assigned = _ASSIGNMENT.fullmatch(word)
        if assigned:
            yield assigned[1], assigned[2]
        elif word not in _DECLARES:
            return


def _constants(found: Iterable[Command]) -> dict[str, str]:
    """Variables that the script sets exactly once, to plain text: only their value is certain."""
    seen: dict[str, list[str]] = {}
    for command in found:
        words = list(command.words)
        own = list(_assignments(words))
        alone = len(own) == sum(word not in _DECLARES for word in words)
        for key, value in own if alone else ():
            seen.setdefault(key, []).append(value)
        # `for X in …`, `read X`: set by the shell, so not constant.
        if words[:1] == ["for"] or words[:1] == ["read"]:
            for word in words[1:2] if words[0] == "for" else words[1:]:
                seen.setdefault(word, []).extend(("", ""))
    return {key: each[0] for key, each in seen.items() if len(each) == 1 and not set(each[0]) & _OPEN}


def _expand(word: str, constants: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: constants.get(found[1] or found[2], found[0]), word)
