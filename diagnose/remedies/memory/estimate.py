"""How many KV blocks fit: predicted from the model, from an out-of-memory message, or from one debug line.

The KV term and the room of a unit are exact; what a unit holds beside weights and KV cache (command streams,
workspace, buffers) is known only as a range, so a prediction is an interval with a best value. The range was
fitted to documented block counts and public logs.
"""

from __future__ import annotations

from diagnose.light import dataclass
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.memory.kv import MIB, Pool
from diagnose.remedies.memory.plan import Plan, pool_of

SAFETY_BYTES = 512 * MIB
"""Added per unit for the careful figure of ``from_oom``."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """A number of blocks with its range: ``low`` is safe, ``high`` the most that is possible."""

    low: int
    best: int
    high: int


def predict(plan: Plan, limit: int) -> Blocks:
    """The largest pool automatic sizing would choose, at most ``limit`` blocks; 0 when not one block fits."""
    family = plan.family
    overheads = (family.overhead_high, family.overhead_best, family.overhead_low)
    low, best, high = (plan.pool.largest(plan.room(o), limit) for o in overheads)
    return Blocks(low, best, high)


@dataclass(frozen=True, slots=True)
class FromOom:
    """What an out-of-memory message of an explicit pool proves."""

    upper: int
    """No larger pool can fit."""
    safe: int
    """The same with ``SAFETY_BYTES`` more beside the cache."""
    base_bytes: int
    """What the unit held before the KV cache, at least."""
    true_bytes: int
    """What the pool would really have needed on the unit."""


def from_oom(plan: Plan, asked: int, requested: int, capacity: int) -> FromOom | None:
    """Reads ``requested N, capacity M`` of a pool of ``asked`` blocks.

    ``requested`` is the running total at the first allocation that did not fit, ``base + k * T`` with T one
    cache tensor; it says nothing about the whole pool, so scaling by capacity/requested is wrong. The base is
    the smallest one that still holds the weights. None when the numbers do not belong to this configuration:
    the total passed the capacity by more than one tensor, or lies below it.
    """
    tensor = plan.pool.tensor_bytes(asked)
    if tensor <= 0 or not capacity < requested <= capacity + tensor or requested < plan.weight_bytes:
        return None
    most = 2 * plan.pool.shape.layers
    base = requested - min((requested - plan.weight_bytes) // tensor, most) * tensor
    room = min(capacity - plan.family.reserve_bytes, plan.family.unit_available) - base
    return FromOom(
        upper=plan.pool.largest(room, asked),
        safe=plan.pool.largest(room - SAFETY_BYTES, asked),
        base_bytes=base,
        true_bytes=base + plan.pool.bytes(asked),
    )


def from_headroom(pool: Pool, probe: int, headroom_bytes: int, limit: int) -> int:
    """Blocks that fit, exactly, from one debug line: ``probe`` blocks left ``headroom_bytes`` (negative)
    on the tightest unit. The room for the cache is ``headroom + KV(probe)``; the answer is at least 1, as
    in the library."""
    return max(1, pool.largest(headroom_bytes + pool.bytes(probe), limit))


PROBE = "measured.kv_probe"
"""Where the context keeps a debug line of the block search: [blocks tried, bytes left]."""


def measured(env: Environment, limit: int) -> tuple[int, str] | None:
    """Blocks that fit by a debug line of this run, with the arithmetic; None when there is no such line or
    the shape of the cache is not known."""
    probe = env.config(PROBE)
    if not isinstance(probe, (list, tuple)) or len(probe) != 2:
        return None
    try:
        pool = pool_of(env)
    except MissingValue:
        return None
    tried, left = int(probe[0]), int(probe[1])
    room = left + pool.bytes(tried)
    found = from_headroom(pool, tried, left, limit)
    need = pool.bytes(found)
    terms = f"{left / MIB:,.1f} MiB + KV({tried}) {pool.bytes(tried) / MIB:,.0f} MiB"
    return found, f"{terms} = {room / MIB:,.1f} MiB >= KV({found}) {need / MIB:,.0f} MiB"


def fits(plan: Plan, blocks: int) -> bool | None:
    """Whether a pool fits its unit: True or False when both ends of the range agree, else None."""
    need = plan.pool.bytes(blocks)
    if need <= plan.room(plan.family.overhead_high):
        return True
    return False if need > plan.room(plan.family.overhead_low) else None
