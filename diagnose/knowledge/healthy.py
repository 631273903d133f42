"""A healthy log, made here: what a literal must not be looked for in, and how it must not end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import prod

ROUNDS = 30
REQUESTS = 12
"""Requests answered between two lines of statistics."""

STARTED = (
    "INFO 11-29 12:00:00 [__init__.py:243] Automatically detected platform rbln.",
    "(APIServer pid=4100) INFO 11-29 12:00:01 [api_server.py:1896] vLLM API server version 0.30.0",
    "(APIServer pid=4100) INFO 11-29 12:00:01 [utils.py:328] non-default args: {'model_tag': 'Qwen/Qwen3-0.6B', "
    "'model': 'Qwen/Qwen3-0.6B', 'max_model_len': 32768, 'block_size': 8192, 'max_num_seqs': 4}",
    "(APIServer pid=4100) INFO 11-29 12:00:04 [model.py:547] Resolved architecture: Qwen3ForCausalLM",
    "(APIServer pid=4100) INFO 11-29 12:00:04 [model.py:1510] Using max model len 32768",
    "(EngineCore_DP0 pid=4242) INFO 11-29 12:00:09 [core.py:77] Initializing a V1 LLM engine (v0.30.0) with config: "
    "model='Qwen/Qwen3-0.6B', tokenizer='Qwen/Qwen3-0.6B', dtype=torch.bfloat16, max_seq_len=32768",
    "2026-11-29 12:00:12,100 INFO [optimum.rbln] Compiling prefill with rbln_config: batch_size=4, max_seq_len=32768",
    "(EngineCore_DP0 pid=4242) INFO 11-29 12:05:12 [kv_cache_utils.py:1087] GPU KV cache size: 131,072 tokens",
    "(APIServer pid=4100) INFO:     Started server process [4100]",
    "(APIServer pid=4100) INFO:     Waiting for application startup.",
    "(APIServer pid=4100) INFO:     Application startup complete.",
)

ANSWERED = (
    "(APIServer pid=4100) INFO 11-29 12:{m:02}:{s:02} [logger.py:40] Received request cmpl-{n}: prompt: '{prompt}', "
    "params: SamplingParams(n=1, temperature=0.7, top_p=0.8, max_tokens=512), prompt_token_ids: "
    "[{n}, 271, 11406, 90{n}, 8, 1{n}23, 60117, 455, 28, 3{n}9, 17420, 662], "
    "lora_request: None.",
    "(EngineCore_DP0 pid=4242) INFO 11-29 12:{m:02}:{s:02} [async_llm.py:420] Added request cmpl-{n}.",
    '(APIServer pid=4100) INFO:     10.0.0.{n}:51{n:03} - "POST /v1/chat/completions HTTP/1.1" 200 OK',
)

PROMPTS = (
    "Explain why my model is slow at generation and whether passing the input through a larger batch helps",
    "My deployment failed with a warning and a traceback that says the list index is out of range: what did I forget?",
    "Summarise the documentation of the server, with one sentence for each section, and mention where the proof failed",
    "배포 오류 때문에 서비스가 느려졌습니다. 원인을 순서대로 설명해 주세요",
    "Write a short story in which an old engineer turns the noise of the machine into music for the whole street",
    "Translate this letter into Korean, keep the tone polite, and tell me which words have more than one meaning",
    "Make a table of the towns between the river and the sea: people, streets, bridges, the year of the first train",
    "파이썬에서 목록을 정렬하는 방법을 예제와 함께 알려 주세요",
)

BETWEEN = (
    '(APIServer pid=4100) INFO:     10.0.0.{n}:51{n:03} - "GET /health HTTP/1.1" 200 OK',
    "(APIServer pid=4100) INFO 11-29 12:{m:02}:{s:02} [loggers.py:127] Engine 000: Avg prompt throughput: {n}.5 "
    "tokens/s, Avg generation throughput: {n}.1 tokens/s, Running: 3 reqs, Waiting: 0 reqs, "
    "GPU KV cache usage: 1.2%, Prefix cache hit rate: 0.0%",
    "Loading safetensors checkpoint shards:  {n}% Completed | 1/4 [00:01<00:03,  1.10s/it]",
    "(EngineCore_DP0 pid=4242) INFO 11-29 12:{m:02}:{s:02} [rbln_model_runner.py:900] warm-up of batch size {n} done",
)


def healthy_log() -> Iterator[str]:
    """Lines of a server that starts and answers; the same ones every time."""
    yield from STARTED
    for n in range(ROUNDS):
        for line in (*ANSWERED * REQUESTS, *BETWEEN):
            yield line.format(n=n, m=n % 60, s=(7 * n) % 60, prompt=PROMPTS[n % len(PROMPTS)])


END_CHARS = 4
"""Characters of a literal's end that decide how often the scan engine takes a second look: it hashes the last few
bytes (measured: it is twice as fast when they are rare)."""
SHORTEST = 8
"""The engine is fastest with literals of at least so many bytes."""

SHARED = (
    "RuntimeError: ValueError: TypeError: KeyError: NotImplementedError: AssertionError: ImportError: OSError: "
    "AttributeError: IndexError: ModuleNotFoundError: FileNotFoundError: PermissionError: Assertion failed: "
    "is not supported on RBLN are not supported for does not support does not have must be a multiple of "
    "should be specified must be provided is not available is required cannot be used with has to be "
    "max_seq_len rbln_config.json prefill_chunk_size kvcache_block_size kvcache_num_blocks max_num_batched_tokens "
    "VLLM_RBLN_ optimum-rbln vllm_rbln. RBLN NIXL batch_size num_attention_heads tensor_parallel_size"
)
"""What many messages hold: a literal that ends within it would send half of all errors to one signature."""


@lru_cache(maxsize=1)
def _healthy_text() -> str:
    return "\n".join(dict.fromkeys(healthy_log()))


@lru_cache(maxsize=1)
def _pairs() -> Counter[str]:
    return Counter(map("".join, pairwise(_healthy_text())))


def rare_end(literal: str) -> str:
    """The beginning of ``literal``, of at least ``SHORTEST`` characters, whose end is rarest in a healthy log.

    What holds the whole holds its beginning too.
    """
    ends = [
        end
        for end in range(SHORTEST, len(literal))
        if not literal[end - 1].isspace() and literal[:end] not in _healthy_text() and literal[:end] not in SHARED
    ]
    return literal[: min([len(literal), *ends], key=lambda end: _commonness(literal[:end][-END_CHARS:]))]


def _commonness(end: str) -> int:
    """Grows with the number of places at which a healthy log has the pairs of characters of ``end``."""
    return prod(_pairs()[first + second] + 1 for first, second in pairwise(end))
