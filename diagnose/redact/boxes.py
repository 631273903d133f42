"""What may be a machine's name, and what stands in its place: words, parts of the software, operators of a graph."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.public import is_public

NO_MACHINE: Final = late(
    r"(?i)(?:local_?rank|rank|tp|pp|dp|ep|sp|layer|stage|step|shard|worker|thread|process|proc|pid|engine|core|gpu|npu|rbln"
    r"|rbln-c\w+|cuda|cpu|dev|device|die|chiplet|task|job|run|epoch|block|stream|queue|group|batch|bucket|slot|line|port"
    r"|cluster|api_?server|engine_?core)s?[-_.]?\d*"
    r"|[\w.-]+\.(?:py|pyx|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|rs|go|js|ts|java|rb|sh|so|json|ya?ml|toml|log)"
    r"|(?-i:[A-Z]{2,20}(?:_[A-Z]{2,20}){1,4})|v?\d[\w.]*|none|null|true|false|memory|self\S*|<.*"
    # Architectures; operators (ONNX, ATen) and parts of vLLM by number. No host name has an underscore (RFC 952).
    r"|(?:x86[_-]64|amd64|aarch64|arm64|armv\d\w*|i[36]86|ppc64le|riscv64|s390x)\S*"
    r"|(?:conv|matmul|gemm|add|sub|mul|div|relu|gelu|silu|softmax|layer_?norm|rms_?norm|attention|attn|reshape|transpose"
    r"|concat|gather|slice|reduce\w{0,4}|cast|linear|embedding|graph|subgraph|func|tensor|input|output)"
    r"(?:\dd|_\w{1,12})?[-_.]\d+"
    r"|(?:vllm-)?engine-core-\d+|(?-i:(?:[A-Z]\w*)?(?:Worker|Engine|Core|Runtime|Executor|Thread|Process|Pool|Proc|Server)[-_]?\d*)"
    r"|(?:tensor|pipeline|data|expert|sequence|context)-parallel\S*|(?:host|node|server|client)-side"
)
"""Fullmatch: parts of the software, and values."""
COMMON: Final = frozenset(
    {
        *("server", "host", "client", "peer", "remote", "engine", "master", "the", "a", "an", "it", "this"),
        *("that", "our", "address", "socket", "port", "database", "db", "redis", "backend", "service", "store"),
        *("model", "device", "all", "any", "your", "my", "its", "one", "another", "other", "which", "etcd"),
        *("hub", "huggingface", "hf", "proxy", "worker", "workers", "node", "nodes", "scheduler", "controller"),
        *("rank", "cluster", "api", "url", "uri", "name", "process", "timed", "failed", "refused", "closed"),
        *("lost", "establish", "upstream", "daemon", "kernel", "runtime", "unix", "tcp", "http", "https"),
        *("external", "internet", "network", "ray", "gcs", "grpc", "zmq", "with", "after", "timed-out"),
        *("unknown-host", "connection", "client-side", "server-side", "host-side", "in-process", "re-try"),
        *("retry", "docker-desktop", "no-proxy"),
    }
)
"""Words that stand where a machine's name may stand."""


def named(found: Any) -> bool:
    """No word of a sentence, no part of the software, nobody's machine."""
    return is_machine(found["x"])


def telling(found: Any) -> bool:
    """A digit or a hyphen in it: a word has none."""
    return is_telling(found["x"])


def is_machine(text: str) -> bool:
    """What ``named`` says of a match, of its text."""
    name = text.rstrip(".-")
    return not (name.lower() in COMMON or is_public(name) or NO_MACHINE.fullmatch(name))


def is_telling(text: str) -> bool:
    """What ``telling`` says of a match, of its text."""
    return is_machine(text) and bool(re.search(r"\d|\w-\w", text))
