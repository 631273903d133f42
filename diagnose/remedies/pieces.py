"""What vllm-rbln asks of a KV block where it caches prefixes: to consist of whole cached pieces.

Source: vllm-rbln 0.12.0 ``utils/optimum/converter/common.py`` (``_apply_prefix_caching_block_size``, the same since
0.9.4), ``converter/params.py`` (the chunk of each family), ``platform/optimum_impl.py`` (which models it turns caching
off for); vLLM ``arg_utils.py`` (caching is on for generating models unless it is turned off).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from diagnose.model import RunContext, Text, Value
from diagnose.remedies import facts
from diagnose.remedies.defaults import explicit
from diagnose.remedies.release import at_least
from diagnose.remedies.whole import is_whole

if TYPE_CHECKING:
    from diagnose.remedies.environment import Environment

ANY_NPU = 512
"""Whole prefill chunks of both families: 128 on ATOM, 512 on REBEL."""
CHUNK = 128
SMALLEST_STEP = 64
"""A partition is a multiple of the smallest prefill chunk, with and without caching."""

OFF = "enable_prefix_caching"

_SINCE = "0.9.4"
_BY_FAMILY_SINCE = "0.11.1"
_GENERATES = ("ForCausalLM", "ForConditionalGeneration")
_NO_CACHING = r"RBLN(?:Whisper|T5|Bart|MBart|Pegasus|Marian|Gemma[234]|GptOss|Qwen3_5)"
"""Encoder-decoder, sliding-window and hybrid models: the plugin turns caching off for them."""


def in_pieces(env: Environment) -> bool:
    """Whether a KV block of this run has to be whole pieces: vLLM on the optimum path, with caching on or, where
    nothing says so, not known to be off."""
    if not _by_vllm(env.context) or "vllm" in (env.context.path, env.config("model_impl")):
        return False
    on = env.config(OFF)
    return bool(on) if on is not None else _by_default(env)


def _by_vllm(about: RunContext) -> bool:
    """Whether vLLM itself was seen. optimum-rbln's logger alone also tells a path."""
    if about.form is not None:
        return about.form in ("vllm-serve", "python-llm")
    return about.platform is not None or any(name.startswith("vllm") for name in about.versions)


def _by_default(env: Environment) -> bool:
    about = env.context
    if not at_least(about, "vllm_rbln", _SINCE) or env.model_number("sliding_window"):
        return False
    model_class = facts.class_of(about)
    if model_class is not None and (not model_class.endswith(_GENERATES) or re.match(_NO_CACHING, model_class)):
        return False
    went_through = _compiled_block(about)
    size = piece(env)
    return size is None or went_through is None or went_through % size == 0


def _compiled_block(about: RunContext) -> int | None:
    """The block of a compile that was begun: vllm-rbln had accepted it by then."""
    for name in ("kvcache_block_size", "kvcache_partition_len"):
        setting = about.setting(name)
        if setting is not None and setting.origin.startswith("Compiling") and is_whole(setting.value):
            return setting.value
    return None


def piece(env: Environment) -> int | None:
    """Tokens of one cached piece: sub_block_size, else the prefill chunk. None where the NPU decides and is not
    known."""
    own = env.config("sub_block_size")
    if is_whole(own) and own > 0:
        return own
    chosen = "prefill_chunk_size" in env.overlay or explicit(env.context, "prefill_chunk_size") is not None
    chunk: Value = env.config("prefill_chunk_size") if chosen else None
    if is_whole(chunk) and chunk > 0:
        return chunk
    if env.hardware is None:
        return None
    by_family = env.hardware.name == "REBEL" and at_least(env.context, "vllm_rbln", _BY_FAMILY_SINCE)
    return ANY_NPU if by_family else CHUNK


def step(env: Environment) -> int:
    """Tokens a KV block of this run is a multiple of."""
    import math

    return math.lcm(SMALLEST_STEP, piece(env) or ANY_NPU) if in_pieces(env) else SMALLEST_STEP


_STATED = Text(
    "With prefix caching a KV block has to be a multiple of {0}, and no such block fits {1} tokens, so prefix caching "
    "has to be off: repeated prefixes are computed again.",
    "prefix caching을 쓰면 KV 블록이 {0}의 배수여야 하는데 {1} 토큰에 맞는 블록이 없어 prefix caching을 꺼야 합니다. "
    "반복되는 prefix도 매번 다시 계산합니다.",
)
_BY_DEFAULT = Text(
    "vLLM has it on unless it is turned off.",
    "vLLM은 따로 끄지 않으면 prefix caching을 켭니다.",
)


def without_caching(env: Environment, seq: int) -> Text:
    """Why a change turns prefix caching off."""
    size = piece(env)
    shown = f"{size}" if size is not None else f"{CHUNK} (ATOM) / {ANY_NPU} (REBEL)"
    text = _STATED.filled(shown, seq)
    if env.context.get(OFF) is not None:
        return text
    return Text(f"{text.en} {_BY_DEFAULT.en}", f"{text.ko} {_BY_DEFAULT.ko}")
