"""What the failure's own message says of the run, which outranks what was only assumed, and bounds what may be offered.

The library printed these numbers when it refused the configuration. A change that goes against one of them fails at the
same check again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from diagnose.light import dataclass
from diagnose.model import MESSAGE, RunContext, Setting, Text, Value
from diagnose.remedies.agreement import FULL, MINIMA
from diagnose.remedies.blocks import full_blocks, min_blocks
from diagnose.remedies.defaults import explicit, is_default
from diagnose.remedies.environment import Environment
from diagnose.remedies.whole import as_list, is_whole

NAMES: Mapping[str, tuple[str, ...]] = {
    "batch_size": ("runtime_batch", "batch_compiled", "batch_expected", "batch_size"),
    "num_devices": ("num_devices",),
}
"""Parameter that nearly every run sets → numbers with which a message says its value in force."""

CHECKED: Mapping[str, str] = {"max_seq_len": "seq_len", "kvcache_partition_len": "partition_len"}
"""Parameter → number with which a message says the value its check saw. A configuration that was printed is what was
asked for, or another try's: where the two differ, the message is right."""

_PARTITION = "kvcache_partition_len"
_OTHERS = ("window",)
"""With one of these numbers the length is a vision submodule's."""


def outranked(env: Environment) -> RunContext:
    """The run of ``env`` without the library's defaults that the message contradicts: a value it names itself takes
    their place, and a batch size of which its block counts cannot come is left out."""
    context = checked(env.context, env.numbers)
    env = replace(env, context=context)
    config = {**context.config, **dict(_named(env))}
    if config != context.config:
        context = replace(context, config=config)
    batch = context.place("batch_size")
    assumed = context.config.get(batch)
    if assumed is None or not is_default(assumed) or _counts_agree(replace(env, context=context)):
        return context
    rest = {name: setting for name, setting in context.config.items() if name != batch}
    return replace(context, config=rest, defaults_known=False)


def checked(context: RunContext, numbers: Mapping[str, Value]) -> RunContext:
    """``context`` with the values the check saw in place of those that were chosen and differ from them, and without a
    list that is not the one the check refused."""
    said: dict[str, int] = {}
    if not any(name in numbers for name in _OTHERS):
        said = {name: value for name, number in CHECKED.items() if is_whole(value := numbers.get(number))}
    size, batch = numbers.get("decoder_batch"), numbers.get("runtime_batch")
    above = is_whole(size) and is_whole(batch) and size > batch
    if is_whole(batch) and above:
        said["batch_size"] = batch
    config = dict(context.config)
    for name, value in said.items():
        setting = explicit(context, name)
        if setting is not None and setting.value != value:
            placed = context.place(name)
            config[placed if placed in config else name] = replace(setting, value=value)
    seq, limit = numbers.get("seq_len"), numbers.get("limit")
    if is_whole(seq) and is_whole(limit) and seq > limit:  # eager attention's: with a partition it would be flash
        config = {name: setting for name, setting in config.items() if setting is not explicit(context, _PARTITION)}
    sizes = context.setting("decoder_batch_sizes")
    listed = as_list(sizes.value) if sizes is not None else []
    if above and listed and max(listed) != size:  # the library names the largest
        config = {name: setting for name, setting in config.items() if setting is not sizes}
    return context if config == context.config else replace(context, config=config)


def _named(env: Environment) -> Iterator[tuple[str, Setting]]:
    for parameter, names in NAMES.items():
        place = env.context.place(parameter)
        setting = env.context.config.get(place)
        said = next((v for n in names if is_whole(v := env.numbers.get(n))), None)
        if said is not None and (setting is None or is_default(setting)) and env.context.get(parameter) != said:
            yield place, Setting(said, None, MESSAGE)


def _counts_agree(env: Environment) -> bool:
    """Whether the block counts of the message can come of the batch size in force; True where nothing tells."""
    low = next((v for n in MINIMA if is_whole(v := env.numbers.get(n))), None)
    full = env.numbers.get(FULL)
    sizes = [env.get(name) for name in ("max_seq_len", "block", "batch_size")]
    if not all(is_whole(size) and size > 0 for size in sizes):
        return True
    seq, block, batch = sizes
    minima = {min_blocks(seq, block, batch, batch_term=term) for term in (True, False)} | {batch}
    return (low is None or low in minima) and (not is_whole(full) or full == full_blocks(seq, block, batch))


# --------------------------------------------------------------------------- what may be offered


@dataclass(frozen=True, slots=True)
class _Bound:
    """One number of a message and what it asks of a parameter."""

    parameter: str
    holds: Callable[[list[int], list[int]], bool]
    """New values and the message's numbers → whether they go together."""
    unless: tuple[str, ...] = ()
    """Parameters that the number depends on: with a change of one of them it says nothing any more."""


def _at_least(new: list[int], said: list[int]) -> bool:
    return max(new) >= max(said)


def _at_most(new: list[int], said: list[int]) -> bool:
    return max(new) <= min(said)


def _not_below(new: list[int], said: list[int]) -> bool:
    return min(new) >= max(said)


def _largest_is(new: list[int], said: list[int]) -> bool:
    return max(new) == max(said)


def _without(new: list[int], said: list[int]) -> bool:
    return not set(new) & set(said)


def _with(new: list[int], said: list[int]) -> bool:
    return set(said) <= set(new)


_POOL = ("max_seq_len", "kvcache_partition_len", "kvcache_block_size", "batch_size", "attn_impl")
_TOKENS = ("visual.max_soft_tokens",)
BOUNDS: Mapping[str, tuple[_Bound, ...]] = {
    "blocks_min": (_Bound("kvcache_num_blocks", _not_below, _POOL),),
    "required_blocks": (_Bound("kvcache_num_blocks", _not_below, _POOL),),
    "blocks_full": (_Bound("kvcache_num_blocks", _at_most, _POOL),),
    "chunk_min": (_Bound("image_prefill_chunk_size", _at_least, _TOKENS),),
    "soft_tokens": (
        _Bound("image_prefill_chunk_size", _at_least, _TOKENS),
        _Bound("visual.max_soft_tokens", _with),
    ),
    "compiled_soft_tokens": (_Bound("visual.max_soft_tokens", _with),),
    "unused_chunks": (_Bound("image_prefill_chunk_size", _without, _TOKENS),),
    "runtime_batch": (_Bound("decoder_batch_sizes", _largest_is, ("batch_size",)),),
    "decoder_batch": (_Bound("batch_size", _not_below, ("decoder_batch_sizes",)),),
    "compiled_batches": (_Bound("decoder_batch_sizes", _with),),
    "partition_lo": (_Bound("kvcache_partition_len", _not_below),),
    "partition_hi": (_Bound("kvcache_partition_len", _at_most),),
    "required_patches": (_Bound("visual.max_seq_len", _at_least),),
    "item_tokens": (_Bound("prefill_chunk_size", _not_below),),
}
"""Number of a message → what a change of a parameter has to keep to for the same check to pass."""

_AGAINST = Text(
    "From the configuration that was found {2} = {3} follows, which does not fit {0} = {1} of the message, so nothing "
    "is computed. Give the values of the run that failed.",
    "확인된 설정으로 계산하면 {2} = {3}인데, 메시지의 {0} = {1}에 맞지 않아 계산하지 않았습니다. 실패한 실행에서 "
    "사용한 값을 지정하세요.",
)


@dataclass(frozen=True, slots=True)
class Against:
    """A number of the message that a change goes against."""

    parameter: str
    note: Text


def against(changes: Mapping[str, Value], numbers: Mapping[str, Value]) -> Against | None:
    """The first number of the message that ``changes`` (canonical parameter → new value, another than the one in force)
    go against."""
    for name, bounds in BOUNDS.items():
        said = as_list(numbers.get(name))
        for bound in bounds if said else ():
            new = as_list(changes.get(bound.parameter))
            if new and not any(other in changes for other in bound.unless) and not bound.holds(new, said):
                shown = (name, numbers[name], bound.parameter, changes[bound.parameter])
                return Against(bound.parameter, _AGAINST.filled(*shown))
    return None
