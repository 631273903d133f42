"""Logs of a chosen size: a calm server, and one that prints errors on 30 % of its lines."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

LINES_PER_PART = 20_000
"""A part is generated line by line and then repeated with new time stamps: 500 MB in seconds."""
STORM_SHARE = 0.3

_SUBJECTS = ("this traceback", "the failed request", "an error in my code", "배포 오류", "the stack")
_ASKS = (
    "Explain why {s} says that the list index is out of range and what I failed to check",
    "Write a short story in which {s} turns out to be a friendly ghost",
    "{s} 때문에 서비스가 느려졌습니다. 원인을 순서대로 설명해 주세요",
    "Summarise the paper about error correction; mention where the proof failed and why {s} matters",
    "파이썬에서 {s}를 처리하는 방법을 예제와 함께 알려 주세요",
    "My test failed with exit status one, the log says warning and error many times, look at {s}",
)
_ROUTES = ("/v1/chat/completions", "/v1/completions", "/health", "/metrics", "/v1/models")
_SOURCES = ("core.py:1366", "multiproc_executor.py:835", "rbln_worker.py:311", "optimum_worker.py:277")


def _clock(random_: random.Random) -> str:
    hour, minute, second = random_.randint(10, 23), random_.randint(10, 59), random_.randint(10, 59)
    return f"11-{random_.randint(10, 29)} {hour}:{minute}:{second}"


def _access(r: random.Random) -> str:
    return (
        f"(APIServer pid=4100) INFO:     10.{r.randint(0, 9)}.{r.randint(0, 255)}.{r.randint(1, 254)}"
        f':{r.randint(30000, 60000)} - "POST {r.choice(_ROUTES)} HTTP/1.1" 200 OK'
    )


def _statistics(r: random.Random) -> str:
    return (
        f"(APIServer pid=4100) INFO {_clock(r)} [loggers.py:259] Engine 000: Avg prompt throughput: "
        f"{r.uniform(0, 900):.1f} tokens/s, Avg generation throughput: {r.uniform(0, 300):.1f} tokens/s, "
        f"Running: {r.randint(0, 16)} reqs, Waiting: {r.randint(0, 40)} reqs, "
        f"CPU KV cache usage: {r.uniform(0, 100):.1f}%, Prefix cache hit rate: {r.uniform(0, 100):.1f}%"
    )


def _added(r: random.Random) -> str:
    request = f"chatcmpl-{r.getrandbits(128):032x}"
    return f"(EngineCore pid=4242) INFO {_clock(r)} [async_llm.py:420] Added request {request}."


def _received(r: random.Random) -> str:
    prompt = " ".join(r.choice(_ASKS).format(s=r.choice(_SUBJECTS)) for _ in range(r.randint(1, 6)))
    return (
        f"(APIServer pid=4100) INFO {_clock(r)} [logger.py:39] Received request "
        f"chatcmpl-{r.getrandbits(128):032x}: prompt: '<|user|>\\n{prompt}', params: SamplingParams(n=1, "
        f"temperature={r.random():.2f}, max_tokens={r.randint(16, 4096)}), prompt_token_ids: "
        f"[{', '.join(str(r.randint(0, 128000)) for _ in range(r.randint(20, 120)))}], lora_request: None."
    )


def _debug(r: random.Random) -> str:
    place = f"v1/engine/core.py:{r.randint(100, 990)}"
    return f"(EngineCore pid=4242) DEBUG {_clock(r)} [{place}] EngineCore loop active."


def _bar(r: random.Random) -> str:
    done = r.randint(0, 100)
    rest = f"[00:0{r.randint(0, 9)}<00:01, 9.10it/s]"
    return f"\rLoading: {done:3d}%|{'█' * (done // 10):10s}| {done}/100 {rest}"


_CALM: tuple[tuple[float, Callable[[random.Random], str]], ...] = (
    (0.52, _access),
    (0.22, _statistics),
    (0.12, _added),
    (0.09, _received),
    (0.04, _debug),
    (0.01, _bar),
)


def calm_lines(r: random.Random, count: int) -> Iterator[str]:
    makers = r.choices([maker for _, maker in _CALM], weights=[share for share, _ in _CALM], k=count)
    return (maker(r) for maker in makers)


def error_line(r: random.Random, message: str) -> str:
    """``message`` (one line) as a vLLM engine process logs it."""
    return f"(EngineCore pid=4242) ERROR {_clock(r)} [{r.choice(_SOURCES)}] {message}"


def traceback_lines(r: random.Random, message: str) -> list[str]:
    """A logged traceback of a few frames that ends in ``message``."""
    body = ["EngineCore failed to start.", "Traceback (most recent call last):"]
    for depth in range(r.randint(2, 6)):
        body.append(f'  File "/srv/app/m{depth}.py", line {r.randint(1, 900)}, in step')
        body.append("    return self.run(batch)")
    return [error_line(r, line) for line in [*body, message]]


def calm_part(seed: int, messages: Sequence[str], lines: int = LINES_PER_PART) -> bytes:
    """One part of a calm log: no error in it, whatever ``messages`` are."""
    del messages
    return ("\n".join(calm_lines(random.Random(seed), lines)) + "\n").encode()


def storm_part(seed: int, messages: Sequence[str], lines: int = LINES_PER_PART) -> bytes:
    """One part of an error storm: ``STORM_SHARE`` of the lines carry one of ``messages``."""
    r = random.Random(seed)
    out = [error_line(r, r.choice(messages)) if r.random() < STORM_SHARE else line for line in calm_lines(r, lines)]
    return ("\n".join(out) + "\n").encode()


def write_log(path: Path, size: int, *, seed: int, storm: bool, messages: Sequence[str]) -> None:
    """Writes at least ``size`` bytes. A calm log has one traceback per 32 MB, at the end of a part."""
    make = storm_part if storm else calm_part
    parts = [make(seed + number, messages) for number in range(8)]
    r = random.Random(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = since_error = 0
    with path.open("wb") as out:
        while written < size:
            part = r.choice(parts)
            written += out.write(part)
            since_error += len(part)
            if since_error >= 32 << 20 and not storm:
                since_error = 0
                written += out.write(("\n".join(traceback_lines(r, r.choice(messages))) + "\n").encode())
