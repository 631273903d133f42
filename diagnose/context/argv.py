"""Launch commands, already split into words: ``vllm serve``, ``optimum-rbln-cli``, a compile script.

Used for commands that stand in a log and for those in scripts and deployment files. Sources:
``optimum/rbln/cli.py`` (0.12.0) for the value rules of optimum-rbln-cli; vLLM's argument parser for
underscores, ``--no-…``, dotted JSON keys and counts such as ``32k`` (1000s) and ``32K`` (1024s); vllm-rbln
0.12.0 for the ``--rbln-…`` flags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from diagnose.context.names import SUBMODULES, canonical, one_name
from diagnose.context.overrides import additional_in
from diagnose.knowledge.schema import Parameter, ParameterType
from diagnose.late import late
from diagnose.light import dataclass
from diagnose.model import GivenConfig, Value

Form = Literal["vllm-serve", "optimum-cli", "optimum-python"]

_ASSIGNMENT = late(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_NOT_STARTING = frozenset(
    (
        "echo",
        "printf",
        "grep",
        "rg",
        "pgrep",
        "pkill",
        "ps",
        "cat",
        "tail",
        "head",
        "pip",
        "pip3",
        "alias",
        "which",
    )
)
_SERVER_MODULES = frozenset({"vllm.entrypoints.openai.api_server", "vllm.entrypoints.cli.main"})
_PYTHON = late(r"(?:.*/)?python[\d.]*$")
_SCRIPT_NAME = late(r"compile|export|rbln", re.IGNORECASE)
_SHORT = {
    "-tp": "tensor_parallel_size",
    "-pp": "pipeline_parallel_size",
    "-dp": "data_parallel_size",
    "-q": "quantization",
}
_COUNT = late(r"(\d+(?:\.\d+)?)([kKmMgGtT])")
_SCALE = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_PATHS = {"1": "vllm", "true": "vllm", "0": "optimum", "false": "optimum"}
"""``VLLM_RBLN_USE_VLLM_MODEL`` (vllm-rbln up to 0.11) as the ``model_impl`` that replaced it."""
_SHELL_END = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "2>", "2>&1", "&>", "<"})
_CLI_ONLY = frozenset({"output_dir", "show_rbln_config", "get_kvcache_num_blocks", "version"})
_CLI_EDITS = {"set_kvcache_num_blocks": "kvcache_num_blocks", "set_memory_budget": "memory_budget"}
"""Options that change an artifact in place: they load it and compile nothing."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The words of one command, sorted by what they are."""

    form: Form | None
    """None for a line that only sets variables (``export VLLM_RBLN_…``)."""
    environment: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    """Everything behind the program's name."""
    script: str = ""


@dataclass(slots=True)
class _Options:
    """Options as written (dashes made underscores) and the words between them."""

    named: dict[str, Value] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)


def parse_argv(
    argv: Sequence[str],
    parameters: Mapping[str, Parameter],
    *,
    name: str = "command line",
    kind: str = "shell",
) -> GivenConfig | None:
    """What one launch command configures, or None when it starts nothing we know.

    ``VAR=value`` words in front count as environment. An option overrides the environment, and a later option
    an earlier one. A value of the wrong type is left out: it is then a placeholder or an error of its own.
    """
    launch = find_launch(argv)
    if launch is None:
        return None
    environment = launch.environment
    values = environment_values(environment, parameters)
    npu = environment.get("RBLN_FORCE_NPU_NAME")
    options = _read_options(launch.arguments, launch.form)
    named = options.named
    if launch.form == "vllm-serve":
        model = options.words[0] if options.words else _text(named.get("model"))
        nested = _nested_vllm(named)
        values |= _typed(canonical(nested, parameters, "vllm"), parameters)
        launched = GivenConfig(name, kind, values, model=model, npu=npu, form="vllm-serve", phases=("serve",))
        return replace(launched, additional=additional_in(nested))
    if launch.form == "optimum-cli":
        return _optimum_cli(name, kind, values, named, parameters)
    if launch.form == "optimum-python":
        return _script(name, kind, values, named, launch.script, parameters)
    return GivenConfig(name, kind, values, npu=npu) if values or npu else None


def find_launch(argv: Sequence[str]) -> Launch | None:
    """The command's environment and program; None when it neither starts a program of ours nor sets a
    variable.

    Wrappers in front (``sudo``, ``uv run``, ``docker run … image``, ``numactl …``) are passed over.
    """
    environment: dict[str, str] = {}
    if argv and argv[0] in _NOT_STARTING:
        return None
    words = [word for word in argv if word not in ("\\", "\n")]
    for index, word in enumerate(words):
        assigned = _ASSIGNMENT.fullmatch(word)
        if assigned:
            environment[assigned[1]] = assigned[2]
            continue
        found = _program(word, words[index - 1] if index else "", tuple(_until_shell(words[index + 1 :])), environment)
        if found is not None:
            return found
    return Launch(None, environment) if environment else None


def _program(word: str, before: str, arguments: tuple[str, ...], environment: dict[str, str]) -> Launch | None:
    program = word.rsplit("/", 1)[-1]
    if program == "vllm" and arguments[:1] == ("serve",):
        return Launch("vllm-serve", environment, arguments[1:])
    if word in _SERVER_MODULES:
        return Launch("vllm-serve", environment, arguments[1:] if arguments[:1] == ("serve",) else arguments)
    if program in ("optimum-rbln-cli", "optimum.rbln.cli"):
        return Launch("optimum-cli", environment, arguments)
    if program.endswith(".py") and (not before or _PYTHON.match(before) or before.startswith("-")):
        return Launch("optimum-python", environment, arguments, script=word)
    return None


def environment_values(variables: Mapping[str, str], parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """Canonical values of the environment variables that set a parameter; ``RBLN_VISIBLE_DEVICES`` keeps its
    name.
    """
    found: dict[str, Value] = {}
    for parameter in parameters.values():
        for variable in parameter.environment:
            if variables.get(variable):
                value = as_type(variables[variable], parameter.type)
                if value is not None:
                    found.setdefault(parameter.name, value)
    path = _PATHS.get(variables.get("VLLM_RBLN_USE_VLLM_MODEL", "").lower())
    if path is not None:
        found["model_impl"] = path
    for variable in ("RBLN_VISIBLE_DEVICES", "RBLN_DEVICES"):
        if variables.get(variable):
            found["RBLN_VISIBLE_DEVICES"] = variables[variable]
            break
    return found


def as_type(value: Value, kind: ParameterType) -> Value:
    """``value`` as the parameter's type, or None when it cannot be one. Text comes from a shell or a form."""
    text = value.strip() if isinstance(value, str) else None
    if text is not None:
        value = guess(text)
    if kind == "int":
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    if kind == "float":
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if kind == "bool":
        return bool(value) if isinstance(value, (bool, int)) and value in (0, 1) else None
    if kind == "str":
        return text if text is not None else value
    if kind == "dict":
        return value
    if kind == "budget":
        return value if isinstance(value, (int, float)) or (text or "")[:1].isdigit() else None
    numbers = value if isinstance(value, list) else [value]
    return value if all(isinstance(n, int) and not isinstance(n, bool) for n in numbers) else None


def guess(text: str) -> Value:
    """A word of a command line as a value: JSON, a count (``32k``), a truth value, a comma list, else
    text.
    """
    try:
        return json.loads(text)
    except ValueError:
        pass
    count = _COUNT.fullmatch(text)
    if count:
        number = float(count[1]) * _SCALE[count[2]]
        return int(number) if number.is_integer() else number
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if "," in text and not text.startswith(("{", "[")):
        return [guess(part.strip()) for part in text.split(",")]
    return text


def _read_options(arguments: Sequence[str], form: Form | None) -> _Options:
    """Options and free words. An option followed by an option, or by nothing, is a switch."""
    read = _Options()
    index = 0
    while index < len(arguments):
        word = arguments[index]
        index += 1
        if not _is_option(word):
            read.words.append(word)
            continue
        key, equals, value = word.partition("=")
        name = _SHORT.get(key) or _option_name(key)
        if not equals and index < len(arguments) and not _is_option(arguments[index]):
            value, equals = arguments[index], "="
            index += 1
        if equals:
            read.named[name] = value if name in ("model", "served_model_name") else guess(value)
        elif name.startswith("no_") and form == "vllm-serve":
            read.named[name[3:]] = False
        else:
            read.named[name] = True
    return read


def _is_option(word: str) -> bool:
    return word.startswith("--") or word in _SHORT or bool(re.match(r"-[A-Za-z]$", word))


def _option_name(key: str) -> str:
    return key.lstrip("-").replace("-", "_")


def _until_shell(words: Sequence[str]) -> Iterator[str]:
    """The command's own words: up to a pipe, a redirection, the next command or a comment."""
    for word in words:
        if word in _SHELL_END or word.startswith(("#", "2>", ">", "&>")):
            return
        if word.endswith(";"):
            yield word[:-1]
            return
        if word not in ("\\", "\n"):
            yield word


def _nested_vllm(named: Mapping[str, Value]) -> dict[str, Value]:
    """Plain and dotted vLLM options as the nested mapping that ``non-default args`` would show."""
    found: dict[str, Value] = {}
    for name, value in named.items():
        if name.startswith("rbln_"):
            name = f"additional_config.{name[len('rbln_') :]}"
        if "." in name:
            _put(found, name.split("."), value)
        else:
            merged = isinstance(value, dict) and isinstance(found.get(name), dict)
            found[name] = {**found[name], **value} if merged else value
    return found


def _put(target: dict[str, Value], keys: Sequence[str], value: Value) -> None:
    for key in keys[:-1]:
        inner = target.get(key)
        target[key] = inner if isinstance(inner, dict) else {}
        target = target[key]
    target[keys[-1]] = value


def _optimum_cli(
    name: str,
    kind: str,
    values: dict[str, Value],
    named: dict[str, Value],
    parameters: Mapping[str, Parameter],
) -> GivenConfig:
    model, cls = _text(named.pop("model_id", None)), _text(named.pop("class", None))
    edits = {_CLI_EDITS[key]: named.pop(key) for key in list(named) if key in _CLI_EDITS}
    loads = bool(edits) or "get_kvcache_num_blocks" in named
    own = {k: v for k, v in named.items() if k not in _CLI_ONLY and not k.startswith("hf_") and k != "o"}
    values |= _typed(canonical({**own, **edits}, parameters, "rbln"), parameters)
    phases = ("load",) if loads else ("compile",)
    return GivenConfig(name, kind, values, model=model, model_class=cls, form="optimum-cli", phases=phases)


def _script(
    name: str,
    kind: str,
    values: dict[str, Value],
    named: Mapping[str, Value],
    script: str,
    parameters: Mapping[str, Parameter],
) -> GivenConfig | None:
    """A Python script, taken for a compile script when its name or its options say so; else None."""
    given = _typed(canonical(_known(named, parameters), parameters, "rbln"), parameters)
    file = script.rsplit("/", 1)[-1]
    if not given and not _SCRIPT_NAME.search(file):
        return None
    model = _text(named.get("model_id") or named.get("model"))
    phases = ("compile",) if re.search("compile|export", file, re.IGNORECASE) else ()
    return GivenConfig(name, kind, values | given, model=model, form="optimum-python", phases=phases)


def _known(named: Mapping[str, Value], parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """Options of somebody's script: only those that carry a parameter's own name are taken for the
    parameter.
    """
    found = {}
    for name, value in named.items():
        head, dot, rest = name.partition(".")
        leaf = rest if dot and head in SUBMODULES else name
        if one_name(leaf.removeprefix("rbln_"), parameters, "rbln") in parameters or name in parameters:
            found[name] = value
    return found


def _typed(values: Mapping[str, Value], parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """``values`` without those whose parameter has another type."""
    found: dict[str, Value] = {}
    for name, value in values.items():
        parameter = parameters.get(name) or parameters.get(name.partition(".")[2])
        typed = value if parameter is None else as_type(value, parameter.type)
        if typed is not None:
            found[name] = typed
    return found


def without_halves(values: Mapping[str, Value], parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """``values`` without numbers that were written in another way than whole numbers are (``40.960``, ``40'960``): a
    part of one would be computed with."""
    return {name: value for name, value in values.items() if not _is_half(value, _parameter(name, parameters))}


def _parameter(name: str, parameters: Mapping[str, Parameter]) -> Parameter | None:
    return parameters.get(name) or parameters.get(name.rpartition(".")[2])


def _is_half(value: Value, parameter: Parameter | None) -> bool:
    if parameter is None or parameter.type != "int":
        return False
    number = isinstance(value, float) or (isinstance(value, str) and value[:1].isdigit())
    return number and as_type(value, "int") is None


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None
