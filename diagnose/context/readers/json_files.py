"""JSON: an artifact's configuration, a model's or a processor's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from diagnose.context.readers import artifact, hf_config, processor
from diagnose.context.readers.errors import refused
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Text, Value

Read = Callable[[Mapping[str, Value], str, Mapping[str, Parameter]], GivenConfig]

_KINDS: tuple[tuple[Callable[[Mapping[str, Value]], bool], Read], ...] = (
    (artifact.is_rbln_config, artifact.read),
    (processor.is_processor_config, processor.read),
    (hf_config.is_hf_config, hf_config.read),
)
"""First match wins; a processor's file may carry a ``model_type`` too, so it is asked before the model's."""


def is_json(text: str) -> bool:
    return text.lstrip()[:1] == "{"


def read(text: str, name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    config = load(text, name)
    for recognises, reader in _KINDS:
        if recognises(config):
            return reader(config, name, parameters)
    raise refused(name, Text("is JSON of no known kind", "알 수 없는 종류의 JSON입니다"))


def load(text: str, name: str) -> dict[str, Value]:
    """The object in ``text``; raises InputError with the line of the first mistake."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        line = error.lineno
        reason = Text(f"is broken JSON in line {line}", f"{line}행의 JSON이 잘못되었습니다")
        raise refused(name, reason) from None
    except (ValueError, RecursionError):
        raise refused(name, Text("is JSON that cannot be read", "읽을 수 없는 JSON입니다")) from None
    if not isinstance(value, dict):
        raise refused(name, Text("is JSON but no object", "JSON 객체가 아닙니다"))
    return value
