"""Settings that hold a value of another kind than their parameter: masked (``"batch_size": ***``), damaged, or a word
where a number belongs. What the run really had there is not known, and no formula gets to see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from diagnose.knowledge.schema import Knowledge, Parameter
from diagnose.model import RunContext, Setting, Value
from diagnose.remedies.environment import MODEL_NUMBERS
from diagnose.remedies.whole import as_list, is_whole


def legible(context: RunContext, knowledge: Knowledge) -> RunContext:
    """``context`` without what cannot be the value of its parameter.

    Where something was left out, the configuration was not seen whole: a parameter it does not hold any more is not at
    the library's default.
    """
    wrong = {name for name, setting in context.config.items() if not _fits(name, setting, context, knowledge)}
    odd = {n for n, value in context.architecture.items() if n in MODEL_NUMBERS and not is_whole(value)}
    if not wrong and not odd:
        return context
    return replace(
        context,
        config={name: setting for name, setting in context.config.items() if name not in wrong},
        architecture={name: value for name, value in context.architecture.items() if name not in odd},
        defaults_known=context.defaults_known and not wrong,
    )


def parameter_of(name: str, context: RunContext, parameters: Mapping[str, Parameter]) -> Parameter | None:
    """The parameter a dotted name of this run's configuration stands for: ``language_model.max_seq_len`` is
    ``max_seq_len`` for a class that nests it, ``vision_tower.device`` is ``visual.device``."""
    head, dot, rest = name.partition(".")
    if dot and head == context.lm_prefix:
        return parameters.get(rest)
    if dot and head == context.vision_prefix:
        return parameters.get(f"visual.{rest}")
    return parameters.get(name)


def _fits(name: str, setting: Setting, context: RunContext, knowledge: Knowledge) -> bool:
    parameter = parameter_of(name, context, knowledge.parameters)
    return parameter is None or setting.value is None or _KINDS[parameter.type](setting.value)


def _ints(value: Value) -> bool:
    """A number or a list of them: the buckets of an encoder stand where another class has one length."""
    return bool(as_list(value))


def _budget(value: Value) -> bool:
    """A share, bytes, or a text such as ``20GB``, which ``readable_budget`` looks into."""
    return isinstance(value, (int, float, str)) and not isinstance(value, bool) and _says_something(value)


def _says_something(value: Value) -> bool:
    return not isinstance(value, str) or any(map(str.isalnum, value))


def _word(value: Value) -> bool:
    return isinstance(value, str) and _says_something(value)


def _devices(value: Value) -> bool:
    return _ints(value) or _word(value)


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "int": _ints,
    "ints": _ints,
    "float": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "budget": _budget,
    "bool": lambda value: isinstance(value, bool),
    "devices": _devices,
    "str": _word,
    "dict": _says_something,
}
"""Type of a parameter → whether a value is of it."""
