"""Whether a message about the block pool agrees with itself and with the configuration that was found or given.

Where it does not, the configuration is another run's or a number is damaged, and nothing is computed from them.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.model import Text, Value
from diagnose.remedies.blocks import full_blocks, min_blocks
from diagnose.remedies.defaults import explicit
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.facts import Family
from diagnose.remedies.plausible import MOST
from diagnose.remedies.whole import is_whole

MINIMA = ("required_blocks", "blocks_min")
"""Numbers with which a message says the smallest pool."""
FULL = "blocks_full"


class Disagreement(MissingValue):
    """The numbers contradict each other. ``names`` are the parameters to look at, ``note`` says what is wrong."""

    def __init__(self, names: tuple[str, ...], note: Text) -> None:
        super().__init__(names)
        self.note = note


def agree(env: Environment) -> None:
    """Raises Disagreement when the message's block counts are impossible, or not those of the configuration."""
    _possible(env)
    for name in MINIMA:
        said = env.numbers.get(name)
        if isinstance(said, int):
            _matches(env, said, tuple(_minima(env)))
    said = env.numbers.get(FULL)
    if isinstance(said, int):
        _matches(env, said, tuple(_fulls(env)))


def stated_batch(env: Environment) -> int | None:
    """The batch size of the message, or one somebody chose; None when only the library's default is left."""
    said = env.numbers.get("batch_size")
    if said is None:
        setting = explicit(env.context, "batch_size")
        said = None if setting is None else setting.value
    return said if is_whole(said) else None


def failed_allocation(env: Environment, family: Family) -> None:
    """Raises Disagreement when the bytes of an out-of-memory message are no failed allocation on a unit of ``family``:
    a driver names its raw capacity or what the reserve leaves of it, rounded to a tenth of a GiB at worst."""
    requested, capacity = env.numbers.get("requested_bytes"), env.numbers.get("capacity_bytes")
    if not is_whole(requested) or not is_whole(capacity):
        return
    if not family.unit_available - _ROUNDED <= capacity <= family.unit_capacity + _ROUNDED:
        raise Disagreement(("npu",), _OTHER_UNIT.filled(f"{capacity:,}", f"{family.unit_capacity:,}"))
    if requested <= capacity:
        shown = {"requested_bytes": requested, "capacity_bytes": capacity}
        raise Disagreement(("max_seq_len", "kvcache_partition_len"), _impossible(shown))


_ROUNDED = 2**30 // 10
_OTHER_UNIT = Text(
    "The message says a capacity of {0} bytes, and a memory unit of the NPU that was found has {1}: it is not the NPU "
    "of the run that failed, or the number is damaged, so no number of blocks is computed.",
    "메시지의 용량은 {0}바이트인데 확인된 NPU의 메모리 단위 하나는 {1}바이트입니다. 실패한 실행의 NPU가 아니거나 "
    "수치가 손상되었으므로 블록 수를 계산하지 않았습니다.",
)


# --------------------------------------------------------------------------- the message by itself


def _possible(env: Environment) -> None:
    numbers = env.numbers
    have, need = numbers.get("available_blocks"), numbers.get("required_blocks")
    asked, low, full = numbers.get("blocks_set"), numbers.get("blocks_min"), numbers.get(FULL)
    batch = numbers.get("batch_size")
    shown = {n: v for n, v in numbers.items() if isinstance(v, int) and n in _COUNTS}
    most = any(abs(v) > MOST["blocks"] for v in shown.values())
    below = _less(have, 0) or any(_less(v, 1) for v in (need, low, full))
    crossed = _not_less(have, need) or _not_less(asked, low) or _not_less(full, asked)
    if most or below or crossed:
        raise Disagreement(("max_seq_len", "kvcache_partition_len"), _impossible(shown))
    if isinstance(batch, int) and not 1 <= batch <= MOST["sequences"]:
        raise Disagreement(("batch_size",), _impossible({"batch_size": batch}))


_COUNTS = ("available_blocks", "required_blocks", "blocks_set", "blocks_min", "blocks_full")


def _less(value: Value, than: int) -> bool:
    return isinstance(value, int) and value < than


def _not_less(value: Value, than: Value) -> bool:
    return isinstance(value, int) and isinstance(than, int) and value >= than


def _impossible(shown: dict[str, int]) -> Text:
    values = ", ".join(f"{name} = {value:,}" for name, value in shown.items())
    return Text(
        f"The numbers of the message cannot be right ({values}), so nothing is computed from them.",
        f"메시지의 수치가 맞지 않아({values}) 계산에 쓰지 않았습니다.",
    )


# --------------------------------------------------------------------------- the message and the configuration


def _sizes(env: Environment) -> tuple[int, int] | None:
    """max_seq_len and tokens per block, where both are known; raises Disagreement when they make no pool."""
    seq, block = env.get("max_seq_len"), env.get("block")
    if not isinstance(seq, int) or not isinstance(block, int):
        return None
    if block < 1 or seq < block or seq > MOST["tokens"]:
        raise Disagreement(_looked_at(env), _shape(seq, block))
    return seq, block


def _shape(seq: int, block: int) -> Text:
    return Text(
        f"max_seq_len {seq} and a block of {block} tokens make no pool, so nothing is computed from them.",
        f"max_seq_len {seq}, 블록당 토큰 {block}으로는 pool이 만들어지지 않아 계산하지 않았습니다.",
    )


def _minima(env: Environment) -> Iterator[int]:
    """The minimum by the formula of every release; nothing when the configuration does not tell."""
    sizes, batch = _sizes(env), stated_batch(env)
    if sizes is None:
        return
    seq, block = sizes
    if batch is not None:
        yield from (min_blocks(seq, block, batch, batch_term=True), min_blocks(seq, block, batch, batch_term=False))
        yield batch
        return
    said = next((v for n in MINIMA if isinstance(v := env.numbers.get(n), int)), 0)
    if said >= seq // block:
        yield said  # some batch size makes it
    else:
        yield seq // block


def _fulls(env: Environment) -> Iterator[int]:
    sizes, batch = _sizes(env), stated_batch(env)
    if sizes is not None and batch is not None:
        yield full_blocks(*sizes, batch)


def _matches(env: Environment, said: int, computed: tuple[int, ...]) -> None:
    if computed and said not in computed:
        raise Disagreement(_looked_at(env), _differs(env, said, computed[0]))


def _looked_at(env: Environment) -> tuple[str, ...]:
    """Parameters the count rests on that the message does not say itself."""
    used = ["max_seq_len", "kvcache_partition_len"]
    if "batch_size" not in env.numbers and explicit(env.context, "batch_size") is not None:
        used.append("batch_size")
    return tuple(used)


def _differs(env: Environment, said: int, computed: int) -> Text:
    seq, block = env.get("max_seq_len"), env.get("block")
    return Text(
        f"The message says {said} blocks, but max_seq_len {seq} with blocks of {block} tokens makes {computed}: this "
        "is not the configuration of the run that failed, so nothing is computed. Give the values it ran with.",
        f"메시지의 블록 수는 {said}인데 max_seq_len {seq}, 블록당 토큰 {block}으로 계산하면 {computed}입니다. "
        "실패한 실행의 설정이 아니므로 계산하지 않았습니다. 실제로 사용한 값을 지정하세요.",
    )
