"""What a person gives by hand along with an input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnose.context.npu import parse_npu
from diagnose.context.sets import parse_set
from diagnose.knowledge.schema import Parameter
from diagnose.model import InputError, Text, Value


def few(option: str, given: int, most: int) -> None:
    """Raises InputError where an ``option`` is ``given`` more often than ``most`` times."""
    if given > most:
        raise InputError(
            Text(
                f"{option} is given {given} times; give it at most {most} times",
                f"{option}이 {given}번 지정되었습니다. {most}번까지만 지정하세요",
            )
        )


def given_sets(
    sets: Mapping[str, Value] | Sequence[str], parameters: Mapping[str, Parameter], hardware: Mapping[str, Any]
) -> Mapping[str, Value]:
    """``sets`` by canonical name. Raises InputError for a name or a value that cannot be."""
    if isinstance(sets, Mapping):
        return dict(sets)
    found = dict(parse_set(text, parameters) for text in sets)
    if "npu" in found:
        found["npu"] = parse_npu(str(found["npu"]), hardware)
    return found
