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
    """``sets`` by canonical name. Raises InputError for a name or a value that cannot be, and for two values of one
    parameter: which one is meant is not guessed."""
    if isinstance(sets, Mapping):
        return dict(sets)
    found: dict[str, Value] = {}
    for text in sets:
        name, value = parse_set(text, parameters)
        if name in found and found[name] != value:
            raise _twice(name, text)
        found[name] = value
    if "npu" in found:
        found["npu"] = parse_npu(str(found["npu"]), hardware)
    return found


def _twice(name: str, text: str) -> InputError:
    short = " ".join(text.split())[:80]
    return InputError(
        Text(
            f"--set {short}: {name} is given another value by an earlier --set; give it once",
            f"--set {short}: 앞의 --set에서 {name}에 다른 값을 지정했습니다. 한 번만 지정하세요",
        )
    )
