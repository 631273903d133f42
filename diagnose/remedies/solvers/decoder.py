"""Decoder graphs per batch size. Source: optimum-rbln 0.12.0 ``configuration_decoderonly.py``."""

from __future__ import annotations

from diagnose.remedies import constraints
from diagnose.remedies.environment import MissingValue
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import as_list, environment, or_formula

PARAMETER = "decoder_batch_sizes"


@or_formula("every decoder_batch_sizes <= batch_size, the largest = batch_size")
def decoder_sizes(problem: Problem) -> Solution | None:
    """The list with sizes above batch_size dropped, batch_size itself in it, and a size that a call asked for
    (``decoder_batch``) added; the order stays as the person wrote it."""
    env = environment(problem)
    said = env.numbers.get("runtime_batch")
    batch = int(said if isinstance(said, int) else env.require("batch_size"))
    wanted = env.numbers.get("decoder_batch")
    listed = as_list(env.config(PARAMETER)) or as_list(env.numbers.get(PARAMETER))
    extra = [wanted] if isinstance(wanted, int) and 0 < wanted <= batch else []
    if not listed and not extra:
        raise MissingValue((PARAMETER,))
    sizes = constraints.decoder_sizes([*listed, *(e for e in extra if e not in listed)], batch)
    if listed and len(listed) > 1 and listed == sorted(listed, reverse=True):
        sizes = sorted(sizes, reverse=True)
    if sizes == listed:
        return None
    return Solution({PARAMETER: sizes}, f"{listed or extra} -> {sizes}; max = batch_size = {batch}")
