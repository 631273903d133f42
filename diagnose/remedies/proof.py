"""What a message proves about the run beside its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from diagnose.knowledge.schema import Knowledge
from diagnose.model import RunContext, Value
from diagnose.remedies.blocks import min_blocks
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.release import stated

WITHOUT_BATCH_TERM = "0.11.0"
"""The last release whose minimum pool leaves the batch out."""


def with_proven_release(context: RunContext, numbers: Mapping[str, Value], knowledge: Knowledge) -> RunContext:
    """The run with its release, where none is named and the minimum in the message is the one of the older formula
    only: 131072/16384 + 1 = 9 for 16 rows was printed by 0.10.0 – 0.11.0."""
    said = numbers.get("blocks_min")
    if not isinstance(said, int) or stated(context, "optimum_rbln") is not None:
        return context
    try:
        seq, block, batch = Environment(numbers, context, knowledge).require_all("max_seq_len", "block", "batch_size")
    except MissingValue:
        return context
    if any(not isinstance(n, int) or n < 1 for n in (seq, block, batch)) or seq == block:
        return context
    older = min_blocks(seq, block, batch, batch_term=False)
    if said != older or said == min_blocks(seq, block, batch):
        return context
    return replace(context, versions={**context.versions, "optimum_rbln": WITHOUT_BATCH_TERM})
