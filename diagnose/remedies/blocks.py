"""How many KV blocks a configuration needs.

Source: optimum-rbln 0.12.0 ``configuration_decoderonly.py`` (``num_full_blocks``, ``num_min_blocks``);
without the batch term in 0.10.0 – 0.11.0, one block per row before 0.10.0.
"""

from __future__ import annotations

from diagnose.model import RunContext
from diagnose.remedies.release import at_least


def full_blocks(seq: int, block: int, batch: int) -> int:
    """Blocks that hold ``batch`` sequences of ``seq`` tokens: ``seq // block * batch``."""
    return seq // block * batch


def min_blocks(seq: int, block: int, batch: int, *, flash: bool = True, batch_term: bool = True) -> int:
    """Smallest pool the library accepts.

    ``seq`` and ``block`` in tokens; ``batch_term`` is False for optimum-rbln 0.10.0 – 0.11.0.
    """
    if not flash:
        return batch
    in_use = max(seq // block, batch) if batch_term else seq // block
    return min(in_use + 1, full_blocks(seq, block, batch))


def min_blocks_in(context: RunContext, seq: int, block: int, batch: int, *, flash: bool = True) -> int:
    """``min_blocks`` by the release that ran."""
    if not at_least(context, "optimum_rbln", "0.10.0"):
        return batch
    return min_blocks(seq, block, batch, flash=flash, batch_term=at_least(context, "optimum_rbln", "0.11.1"))


def explain_min(context: RunContext, seq: int, block: int, batch: int) -> str:
    """The minimum as arithmetic: ``max(262144/8192, 8) + 1 = 33``; with the cap only where the cap
    decides."""
    value = min_blocks_in(context, seq, block, batch)
    if not at_least(context, "optimum_rbln", "0.10.0"):
        return f"batch_size = {value}"
    terms = f"{seq}/{block}"
    inner = f"max({terms}, {batch}) + 1" if at_least(context, "optimum_rbln", "0.11.1") else f"{terms} + 1"
    full = full_blocks(seq, block, batch)
    uncapped = (max(seq // block, batch) if "max" in inner else seq // block) + 1
    return f"{inner} = {value}" if uncapped <= full else f"min({inner}, {batch} * {terms}) = {value}"


def explain_full(seq: int, block: int, batch: int) -> str:
    """``8 * 262144/8192 = 256``."""
    return f"{batch} * {seq}/{block} = {full_blocks(seq, block, batch)}"


def block_from_required(seq: int, batch: int, required: int) -> int | None:
    """The block size (tokens) that makes ``required`` the minimum, when exactly one does.

    ``required = min(max(n, batch) + 1, n * batch)`` with ``n = seq / block``: for one sequence n is
    ``required``; else n is ``required - 1`` as long as that is above ``batch``. None when the numbers do not
    decide it.
    """
    partitions = required if batch == 1 else required - 1
    if partitions < 2 or (batch > 1 and partitions <= batch) or seq % partitions:
        return None
    return seq // partitions
