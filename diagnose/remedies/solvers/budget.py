"""memory_budget written in a form the library reads.

Source: optimum-rbln 0.12.0 ``configuration_decoderonly.py`` and ``modeling_attention_utils.py``
(``_resolve_memory_budget``, ``parse_byte_size``): a float or "80%" is a share, a whole number is bytes, and so is a
whole number with B, KB, MB, GB or TB (binary).
"""

from __future__ import annotations

import re

from diagnose.model import Value
from diagnose.remedies.memory import GIB
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment

_SHARE = re.compile(r"0?\.\d+|1\.0*")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT])(?:i?B)?", re.IGNORECASE)
_UNIT = {"K": 2**10, "M": 2**20, "G": GIB, "T": 2**40}


def readable_budget(problem: Problem) -> Solution | None:
    """The value that was meant: "0.8" is the number 0.8, "10G" is "10GB", "10.5GB" its bytes. None where the text does
    not tell."""
    env = environment(problem)
    said = env.numbers.get("budget")
    written = str(env.config("memory_budget") if said is None else said).strip().strip("'\"")
    found = _meant(written)
    if found is None:
        return None
    value, text = found
    return Solution({"memory_budget": value}, text)


def _meant(written: str) -> tuple[Value, str] | None:
    if _SHARE.fullmatch(written):
        return float(written), f"'{written}' -> {float(written)}"
    size = _SIZE.fullmatch(written)
    if size is None:
        return None
    unit = size[2].upper()
    if "." not in size[1]:
        value = f"{size[1]}{unit}B"
        return None if value == written else (value, f"'{written}' -> '{value}'")
    whole = int(float(size[1]) * _UNIT[unit])
    return whole, f"{size[1]} * {_UNIT[unit]} = {whole}"
