"""A healthy log, made here: what a literal must not be looked for in, and how it must not end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

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
    "params: SamplingParams(n=1, temperature=0.7, top_p=0.8, max_tokens=512), prompt_token_ids: [{n}, 271, 11406], "
    "lora_request: None.",
    "(EngineCore_DP0 pid=4242) INFO 11-29 12:{m:02}:{s:02} [async_llm.py:420] Added request cmpl-{n}.",
    '(APIServer pid=4100) INFO:     10.0.0.{n}:51{n:03} - "POST /v1/chat/completions HTTP/1.1" 200 OK',
)

PROMPTS = (
    "Explain why my model is slow at generation and whether passing the input through a larger batch helps",
    "My deployment failed with a warning and a traceback that says the index is out of range: what did I not support?",
    "Summarise the documentation of the server, with one sentence for each section, and mention which versions",
    "배포 오류 때문에 서비스가 느려졌습니다. 원인을 순서대로 설명해 주세요",
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
bytes (measured: literals that end in common words halve its speed)."""
SHORTEST = 10


@lru_cache(maxsize=1)
def _ends() -> frozenset[str]:
    text = "\n".join(dict.fromkeys(healthy_log()))
    return frozenset(text[at : at + END_CHARS] for at in range(len(text) - END_CHARS))


def rare_end(literal: str) -> str:
    """The longest beginning of ``literal``, of at least ``SHORTEST`` characters, that does not end as words of a
    healthy log do; ``literal`` itself when there is none. What holds the whole holds its beginning too."""
    common = _ends()
    for end in range(len(literal), SHORTEST - 1, -1):
        if literal[end - END_CHARS : end] not in common:
            return literal[:end]
    return literal
