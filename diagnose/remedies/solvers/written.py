"""Values that were meant as something the library reads, and values of options that no expression can build."""

from __future__ import annotations

import re

from diagnose.model import Value
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, or_formula
from diagnose.remedies.whole import as_list

_NAMED = re.compile(r"(?:/dev/)?rbln[:_]?(\d+)")
_LIST = re.compile(r"[\[(]?\s*\d+\s*(?:,\s*\d+\s*)*[\])]?")


def device_as_number(problem: Problem) -> Solution | None:
    """``rbln0``, ``rbln:0``, ``/dev/rbln0`` and ``"0,1"`` are device ids written as text. None for any other text."""
    env = environment(problem)
    said = env.numbers.get("device_text")
    text = "" if said is None else str(said).strip().strip("'\"")
    named = _NAMED.fullmatch(text)
    found = [named[1]] if named else re.findall(r"\d+", text) if _LIST.fullmatch(text) else []
    if not found or any(len(number) > 4 for number in found):
        return None
    ids = [int(number) for number in found]
    value: Value = ids[0] if len(ids) == 1 else ids
    return Solution({"device": value}, f"'{text}' -> {value}")


def speculative_power(problem: Problem) -> Solution | None:
    """The most speculative tokens up to the asked number whose count with the verified one is a power of two."""
    asked = problem.numbers.get("draft_tokens")
    if not isinstance(asked, int) or asked < 1:
        return None
    value = (1 << (asked + 1).bit_length() - 1) - 1
    if value == asked:
        return None
    option = f'"num_speculative_tokens": {value}'
    return Solution(
        {"num_speculative_tokens": value},
        f"{value} + 1 = {value + 1}",
        commands={"vllm": f"# in --speculative-config: {option}", "llm": f"# in speculative_config: {option}"},
    )


@or_formula("max_seq_len + the length of the input")
def bucket_for_input(problem: Problem) -> Solution | None:
    """An encoder's buckets with one for the input; ``options: {parameter: enc_max_seq_len}`` for a single length. None
    beyond the positions the model has."""
    env = environment(problem)
    need, most = env.require("input_len"), env.get("max_position_embeddings")
    parameter = str(problem.options.get("parameter", "max_seq_len"))
    if isinstance(most, int) and need > most:
        return None
    compiled = as_list(env.config(parameter))
    value: Value = sorted({*compiled, need}) if len(compiled) > 1 else need
    return Solution({parameter: value}, f"max = {need}" if len(compiled) > 1 else f"{parameter} = {need}")
