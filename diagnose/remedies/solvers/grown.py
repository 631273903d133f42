"""A longer context or a larger batch for what was asked, and the pool that somebody set growing with it.

A pool that was set has no room for more than it was made for: ``generate()`` would run out of blocks instead. The full
count of the new shape always suffices. Source: optimum-rbln 0.12.0 ``configuration_decoderonly.py`` (num_full_blocks),
``decoderonly_runtime_utils.py`` (the page table).
"""

from __future__ import annotations

from diagnose.context.classes import is_encoder_decoder
from diagnose.model import Text, Value
from diagnose.remedies.blocks import full_blocks
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, needs_value, or_formula

EAGER_STEP = 64
"""Eager attention takes any length; a whole number of the smallest prefill chunk is proposed."""

_POOL = Text(
    "The pool that was set grows to the new full count with it.",
    "직접 지정한 pool도 새 전체 블록 수에 맞춰 늘어납니다.",
)


@or_formula("ceil(request_tokens / block) * block, request_tokens = prompt + max_new_tokens")
def context_for_request(problem: Problem) -> Solution | None:
    """The smallest context that holds the request: its input and what is generated. A generation that ran past the end
    tells no more than that the end was too near, so the whole request (``request_tokens``) has to be known."""
    env = environment(problem)
    need, text = _request(env)
    seq = env.numbers.get("seq_compiled") or env.require("max_seq_len")
    if is_encoder_decoder(env.context.model_class, env.context.model):
        return _longer_decoder(env, need, text, seq)
    flash = env.require("flash")
    step = env.require("block") if flash else EAGER_STEP
    value = max(-(-need // step), 2 if flash else 1) * step
    if value <= seq:
        return None
    shown = f"ceil({text} / {step}) * {step} = {value}"
    return _with_pool(env, {"max_seq_len": value}, shown)


def _longer_decoder(env: Environment, need: int, text: str, seq: int) -> Solution | None:
    """One block per row, of any length up to the model's positions (optimum-rbln 0.12.0 modeling_seq2seq.py); what
    Whisper may generate is fixed by its checkpoint."""
    if "whisper" in (env.context.model_class or env.context.model or "").lower():
        return None
    limit = env.require("max_position_embeddings")
    if not seq < need <= limit:
        return None
    return Solution({"max_seq_len": need}, f"{text} = {need}" if "+" in text else f"request_tokens = {need}")


def _request(env: Environment) -> tuple[int, str]:
    """Tokens of the whole request, and how they add up. Raises MissingValue."""
    given, new = env.numbers.get("input_len"), env.config("max_new_tokens")
    if isinstance(given, int):
        more = new if isinstance(new, int) else 1  # at least one token is generated
        return given + more, f"({given} + {more})"
    longest = env.config("request_tokens")
    if not isinstance(longest, int):
        raise MissingValue(("request_tokens",))
    return longest, str(longest)


@or_formula("(block_index + 1) * block")
def context_for_block(problem: Problem) -> Solution | None:
    """The context whose block table has the row that was asked for."""
    env = environment(problem)
    index, block, seq = env.require_all("block_index", "block", "max_seq_len")
    value = (index + 1) * block
    return None if value <= seq else _with_pool(env, {"max_seq_len": value}, f"({index} + 1) * {block} = {value}")


@or_formula("batch_size = rows of the call")
def batch_for_rows(problem: Problem) -> Solution | None:
    """The batch of the call: ``rows``, or one more than the row (``row``, from 0) that found no place."""
    env = environment(problem)
    row = env.numbers.get("row")
    rows = row + 1 if isinstance(row, int) else env.require("rows")
    now = env.numbers.get("batch_compiled") or env.require("batch_size")
    if rows == now or (isinstance(row, int) and rows < now):
        return None
    changes: dict[str, Value] = {"batch_size": rows}
    text = f"{row} + 1 = {rows}" if isinstance(row, int) else f"rows = {rows}"
    return _with_pool(env, changes, text) if rows > now else Solution(changes, text)


def _with_pool(env: Environment, changes: dict[str, Value], text: str) -> Solution:
    found = grown_pool(env, changes)
    if found is None:
        return Solution(changes, text)
    pool, how = found
    return Solution({**changes, "kvcache_num_blocks": pool}, f"{text}; {how}", note=_POOL)


def grown_pool(env: Environment, changes: dict[str, Value]) -> tuple[int, str] | None:
    """The full count after the changes, and as arithmetic; None where no pool was set or the shape is not known."""
    now = env.config("kvcache_num_blocks")
    if not isinstance(now, int) or now < 1:
        return None
    after = env.after(changes)
    try:
        seq, block, batch = after.require_all("max_seq_len", "block", "batch_size")
    except MissingValue:
        return None
    full = full_blocks(seq, block, batch)
    return (full, f"{batch} * {seq}/{block} = {full}") if full > now else None


def fewer_new_tokens(problem: Problem) -> Solution | None:
    """The most new tokens that a prompt leaves room for: the request (``request_tokens``) less what is over."""
    env = environment(problem)
    try:
        return _fewer(env)
    except MissingValue as error:
        if env.config("max_new_tokens") is None and env.config("request_tokens") is None:
            return Solution(arithmetic="max_new_tokens <= max_seq_len - prompt", applicability="advice")
        return needs_value("max_new_tokens - (request_tokens - max_seq_len)", error.names)


def _fewer(env: Environment) -> Solution | None:
    """Raises MissingValue."""
    seq = env.numbers.get("seq_compiled") or env.require("max_seq_len")
    new, longest = env.require_all("max_new_tokens", "request_tokens")
    value = new - (longest - seq)
    if value < 1 or value >= new:
        return None
    return Solution({"max_new_tokens": value}, f"{new} - ({longest} - {seq}) = {value}")


def truncated_input(problem: Problem) -> Solution | None:
    """The longest input that leaves room for the answer: the compiled length less max_new_tokens, else less one."""
    env = environment(problem)
    seq, new = env.numbers.get("seq_compiled"), env.config("max_new_tokens")
    if not isinstance(seq, int):
        return None
    more = new if isinstance(new, int) else 1
    if seq <= more:
        return None
    value = seq - more
    command = f"tokenizer(text, truncation=True, max_length={value})"
    return Solution(arithmetic=f"{seq} - {more} = {value}", commands={"python": command})
