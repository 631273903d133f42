"""What healthy logs are made of: measures how common a piece of a literal is."""

from __future__ import annotations

import math
from functools import cache

SAMPLE = """
(APIServer pid=4100) INFO:     10.3.17.201:41872 - "POST /v1/chat/completions HTTP/1.1" 200 OK
(APIServer pid=4100) INFO:     127.0.0.1:58422 - "GET /metrics HTTP/1.1" 200 OK
INFO:     10.3.9.14:50011 - "POST /v1/completions HTTP/1.1" 200 OK
INFO:     172.17.0.1:33010 - "GET /v1/models HTTP/1.1" 200 OK - "GET /health HTTP/1.1" 200 OK
(APIServer pid=4100) INFO 11-29 13:05:42 [loggers.py:259] Engine 000: Avg prompt throughput: 512.4 tokens/s, \
Avg generation throughput: 87.9 tokens/s, Running: 4 reqs, Waiting: 0 reqs, Preemptions: 1, Deferred: 0 reqs, \
CPU KV cache usage: 12.5%, GPU KV cache usage: 3.1%, Prefix cache hit rate: 40.2%, MM cache hit rate: 0.0%
(EngineCore pid=4242) INFO 11-29 13:05:43 [async_llm.py:420] Added request chatcmpl-3f0a9c7be51d4286.
(APIServer pid=4100) INFO 11-29 13:05:43 [logger.py:39] Received request cmpl-8d21b60f: prompt: '<|user|>\\n', \
params: SamplingParams(n=1, presence_penalty=0.0, frequency_penalty=0.0, repetition_penalty=1.0, \
temperature=0.70, top_p=1.0, top_k=0, min_p=0.0, seed=None, stop=[], stop_token_ids=[], bad_words=[], \
include_stop_str_in_output=False, ignore_eos=False, max_tokens=1024, min_tokens=0, logprobs=None, \
prompt_logprobs=None, skip_special_tokens=True, spaces_between_special_tokens=True, truncate_prompt_tokens=None), \
prompt_token_ids: [128000, 9125, 271, 2675, 527, 264, 11190, 18328, 13], lora_request: None, prompt_embeds shape
(EngineCore pid=4242) DEBUG 11-29 13:05:43 [v1/engine/core.py:512] EngineCore loop active. waiting for work
[vllm-rbln] INFO 2026-11-29 11:59:32,752 [rbln_model_runner.py:494] decode batch buckets; warm up 3/8 done
2026-10-07 22:20:36,012 INFO [rebel-compiler] -- Target NPU: RBLN-CA22, compile option of the model loaded
Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:03<00:09,  3.10s/it]
Capturing graphs:  80%|########  | 8/10 [00:05<00:01,  1.52it/s]
SpecDecoding metrics: Mean acceptance length: 2.31, Accepted throughput: 10.25 tokens/s, Drafted: 20.5
Summarise the following text in the same language and list the most important points for the reader. You are a
helpful assistant that answers the question of the user with the information from the documents. If there is not
enough information in the context then say that you do not know. Write a function that is called with the number
of the items and returns them in the order in which they have been given; explain why it failed with an error and
what has to be changed so that the program can be used again. The request was not found because the server could
not connect to the database, please check the value and the type of the first argument and try again with another
one. This should be set before the process is started. Please see the stack trace below for the cause of this
failure. There are more than ten files in this directory, none of which must be greater than the limit of the
memory that is available for each of the workers. It has been running since the last version, and only supports
one model at a time. Traceback: the list index is out of range; no such key in this dictionary.
I failed to understand why my code says that an error occurred. The test failed with a warning, then it failed to
start, failed to load and failed to find the file; what is the error code and where can I read the error message?
Error handling in Python: raise an exception, catch the error, print the error, check the stack and the logs for
more details. How do I check if the input is valid, not empty and supported by the library? The connection timed
out and the client was disconnected. Use the default configuration or provide your own settings, enable the
feature and disable it again. Write an article about machine learning on accelerators: how the model is compiled,
how attention works, how the cache of keys and values is divided into blocks, and what batch size and sequence
length mean for throughput. Translate this sentence into Korean, then continue the story about the engineer who
had to explain to her manager that there was no available memory left for the next request. For each image in the
list, describe the colours, count the objects and return the result as a table with two columns. Compare both
approaches, discuss their advantages and disadvantages, and give a recommendation based on the required budget.
Please implement a class with the following methods, which must always return the same type as the input; do not
use any external package. You should first create a virtual environment, install the dependencies, run the server
and open the page in your browser. When the user is not allowed to access the resource, the application returns a
message that explains the reason. This will be removed in a future release, use the other parameter instead.
다음 글을 요약해 주세요. 서버에서 오류가 발생한 원인을 설명하고 해결 방법을 순서대로 알려 주세요. 메모리가 부족합니다.
"""
"""Our own lines in the shapes a healthy server prints, with prose as prompts hold it."""

NOISE = SAMPLE.encode("utf-8")


@cache
def commonness() -> dict[bytes, float]:
    """Three bytes → ln(1 + how often they stand in the sample). What is not in it is rare."""
    counts: dict[bytes, int] = {}
    for start in range(len(NOISE) - 2):
        piece = NOISE[start : start + 3]
        counts[piece] = counts.get(piece, 0) + 1
    return {piece: math.log1p(count) for piece, count in counts.items()}
