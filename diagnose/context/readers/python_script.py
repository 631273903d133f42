"""A Python script, read by its syntax tree and never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping

from diagnose.context.argv import environment_values
from diagnose.context.classes import rbln_class
from diagnose.context.names import canonical
from diagnose.context.overrides import additional_in
from diagnose.context.readers.errors import refused
from diagnose.context.readers.python_found import MAX_NODES, Found, plain
from diagnose.context.readers.python_guard import too_deep
from diagnose.context.readers.python_walk import has_calls, walk
from diagnose.context.readers.shell import LAUNCHER
from diagnose.context.seen_whole import PARTLY
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, InputError, Text, Value

_MARKS = re.compile(
    r"\b(?:from_pretrained|from_model|LLM|EngineArgs|AsyncEngineArgs)[ \t\n]*\(|^[ \t]*rbln_config[ \t]*=",
    re.MULTILINE,
)
_CONFIG = "rbln_config"
_SHELL_FIRST_LINE = re.compile(r"#!.*\b(?:ba|z|da)?sh\b")
_FORMS = {"optimum-python", "python-llm"}


def is_python(text: str) -> bool:
    """A call of interest; where a server is launched too, only what Python itself can read is a script."""
    if _MARKS.search(text) is None or _SHELL_FIRST_LINE.match(text) is not None:
        return False
    if LAUNCHER.search(text) is None:
        return True
    try:
        _parse(text, "")
    except InputError:
        return False
    return True


def read(text: str, name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """What ``from_pretrained``, ``LLM`` and processor calls configure, as far as literals tell it.

    A value that only a run would give is left out.

    Raises InputError when the script is no valid Python or configures nothing.
    """
    tree = _parse(text, name)
    if not has_calls(tree) and not _binds_config(tree):
        reason = Text("has no from_pretrained(...) or LLM(...) call", "from_pretrained(...)·LLM(...) 호출이 없습니다")
        raise refused(name, reason)
    found = Found()
    try:
        scope: dict[str, Value] = {}
        walk(tree.body, scope, found)
        if not has_calls(tree):
            _bare_config(scope, found)
        values = _values(found, parameters)
    except (RecursionError, ValueError):
        raise refused(name, Text("is too deeply nested", "중첩이 너무 깊습니다")) from None
    npu = values.get("npu")
    cls = found.model_class
    return GivenConfig(
        name=name,
        kind="python",
        values=values,
        model=found.model,
        model_class=(rbln_class(cls) or cls) if isinstance(cls, str) else None,
        npu=npu if isinstance(npu, str) else None,
        form=found.form if found.form in _FORMS else None,
        phases=found.phases,
        additional=additional_in(plain(found.sections.get("vllm", {}), [MAX_NODES])),
    )


def _binds_config(tree: ast.Module) -> bool:
    """Whether ``rbln_config = …`` stands in the file: a configuration that another script imports."""
    targets = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
    return any(isinstance(target, ast.Name) and target.id == _CONFIG for target in targets)


def _bare_config(scope: Mapping[str, Value], found: Found) -> None:
    config = scope.get(_CONFIG)
    if isinstance(config, Mapping):
        found.form = "optimum-python"
        found.put("rbln", config)


def _parse(text: str, name: str) -> ast.Module:
    if too_deep(text):
        raise refused(name, Text("is too large or too deeply nested", "너무 크거나 중첩이 너무 깊습니다"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in their script is not our concern
            return ast.parse(text)
    except SyntaxError as error:
        line = error.lineno or 1
        reason = Text(f"is no valid Python in line {line}", f"{line}행이 올바른 Python이 아닙니다")
        raise refused(name, reason) from None
    except (ValueError, RecursionError, MemoryError):
        raise refused(name, Text("is Python that cannot be read", "읽을 수 없는 Python입니다")) from None


def _values(found: Found, parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """Canonical values; what a call gives is laid over the environment."""
    raw = {section: plain(values, [MAX_NODES]) for section, values in found.sections.items()}
    environment = {k: v for k, v in raw.get("environment", {}).items() if isinstance(v, str)}
    values = environment_values(environment, parameters)
    values.update(canonical(raw.get("vllm", {}), parameters, "vllm"))
    values.update(canonical(raw.get("rbln", {}), parameters, "rbln"))
    values.update(canonical({"processor_kwargs": raw.get("processor", {})}, parameters, "vllm"))
    if isinstance(found.artifact, str):
        values["artifact"] = found.artifact
    if found.max_new_tokens is not None:
        values["max_new_tokens"] = found.max_new_tokens
    if found.image_sizes:
        values["processor.image_sizes"] = [list(size) for size in found.image_sizes]
    if found.partly:
        values[PARTLY] = True
    return values
