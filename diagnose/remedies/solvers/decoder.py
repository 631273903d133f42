"""Decoder graphs per batch size. Source: optimum-rbln 0.12.0 ``configuration_decoderonly.py``."""

from __future__ import annotations

from diagnose.model import Value
from diagnose.remedies import constraints
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, or_formula
from diagnose.remedies.solvers.grown import grown_pool
from diagnose.remedies.whole import as_list

PARAMETER = "decoder_batch_sizes"
MOST_ROWS = 4096
"""Rows beyond this are no batch anybody compiles."""


def _compiled(env: Environment) -> tuple[int, list[int]]:
    """Rows of the call and the sizes there are decoders for. Raises MissingValue."""
    rows, sizes = env.require("batch_given"), as_list(env.require("compiled_batches"))
    if not isinstance(rows, int) or rows < 1 or not sizes or min(sizes) < 1:
        raise MissingValue((PARAMETER,))
    return rows, sizes


def padded_batch(problem: Problem) -> Solution | None:
    """The smallest compiled size that holds the rows of the call; nothing has to be compiled."""
    try:
        rows, sizes = _compiled(environment(problem))
    except MissingValue:
        return None
    size = min((s for s in sizes if s > rows), default=None)
    if size is None:
        return None
    return Solution(arithmetic=f"min({sorted(s for s in sizes if s > rows)}) = {size}; {size} - {rows} = {size - rows}")


def split_batch(problem: Problem) -> Solution | None:
    """More rows than the largest decoder takes: in parts of that size."""
    try:
        rows, sizes = _compiled(environment(problem))
    except MissingValue:
        return None
    top = max(sizes)
    return Solution(arithmetic=f"ceil({rows} / {top}) = {-(-rows // top)}") if rows > top else None


@or_formula("decoder_batch_sizes + the batch of the call; the largest = batch_size")
def decoder_size_added(problem: Problem) -> Solution | None:
    """The compiled sizes and the one of the call; batch_size grows with it where it is the largest."""
    env = environment(problem)
    rows, sizes = _compiled(env)
    if rows in sizes or rows > MOST_ROWS:
        return None
    descending = len(sizes) > 1 and sizes == sorted(sizes, reverse=True)
    written = as_list(env.config(PARAMETER))
    if written and sorted(written) == sorted(sizes):
        descending = len(written) > 1 and written == sorted(written, reverse=True)
    value = sorted({*sizes, rows}, reverse=descending)
    changes: dict[str, Value] = {PARAMETER: value}
    if rows > max(sizes):
        changes = {"batch_size": rows, **changes}
        if (pool := grown_pool(env, changes)) is not None:
            changes["kvcache_num_blocks"] = pool[0]
            return Solution(changes, f"{sizes} -> {value}; max = batch_size = {max(value)}; {pool[1]}")
    return Solution(changes, f"{sizes} -> {value}; max = batch_size = {max(value)}")


@or_formula("every decoder_batch_sizes <= batch_size, the largest = batch_size")
def decoder_sizes(problem: Problem) -> Solution | None:
    """The list with sizes above batch_size dropped, batch_size itself in it, and a size that a call asked for
    (``decoder_batch``) added; the order stays as the person wrote it."""
    env = environment(problem)
    said = env.numbers.get("runtime_batch")
    batch = int(said if isinstance(said, int) else env.require("batch_size"))
    wanted = env.numbers.get("decoder_batch")
    listed = as_list(env.config(PARAMETER)) or as_list(env.numbers.get(PARAMETER))
    if isinstance(wanted, int) and wanted > batch and listed and wanted not in listed:
        raise MissingValue((PARAMETER,))  # the size that was refused stands in the list the run had
    extra = [wanted] if isinstance(wanted, int) and 0 < wanted <= batch else []
    if not listed and not extra:
        raise MissingValue((PARAMETER,))
    sizes = constraints.decoder_sizes([*listed, *(e for e in extra if e not in listed)], batch)
    if listed and len(listed) > 1 and listed == sorted(listed, reverse=True):
        sizes = sorted(sizes, reverse=True)
    if sizes == listed:
        return None
    return Solution({PARAMETER: sizes}, f"{listed or extra} -> {sizes}; max = batch_size = {batch}")
