"""Room on the path where vllm-rbln itself estimates the KV cache before it compiles (``--model-impl vllm``).

The estimate is the plugin's own arithmetic (``diagnose.remedies.memory.vllm_path``), so a value that passes it ends
this error. Source: vllm-rbln 0.12.0 ``v1/worker/utils.py``, ``v1/worker/rbln_worker.py``.
"""

from __future__ import annotations

import math
from dataclasses import replace

from diagnose.light import dataclass
from diagnose.model import Text, Value
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.facts import Family
from diagnose.remedies.memory import MIB, VllmEstimate, VllmModel, model_numbers, vllm_estimate
from diagnose.remedies.memory.kv import GIB
from diagnose.remedies.memory.weights import NEEDED, bits_of, head_parameters, weight_bytes
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, or_formula
from diagnose.remedies.whole import as_list

MOST_DOUBLINGS = 6
"""Of devices or ranks that are tried; when none of them will do, none is offered."""
MODEL_BYTES, BUCKETS = "measured.model_bytes", "measured.decode_buckets"
"""What the log says before the estimate: bytes of a rank's parameters, decode batch buckets."""
ROUNDED = GIB // 200
"""``n_model_bytes`` is printed with two decimals."""

_ROOM = Text(
    "By the plugin's own estimate {0:,.0f} MiB are left for the KV cache then.",
    "플러그인의 추정식으로 계산하면 KV 캐시에 {0:,.0f} MiB가 남습니다.",
)
_ONE_GRAPH = Text(
    " One decode graph is assumed; each further one takes {0:,.0f} MiB.",
    " decode 그래프를 하나로 가정했으며, 하나 늘 때마다 {0:,.0f} MiB가 더 필요합니다.",
)


@dataclass(frozen=True, slots=True)
class _Run:
    model: VllmModel
    """Of one rank."""
    family: Family
    devices: int
    """Per rank."""
    share: float
    runtimes: int
    counted: bool
    """Whether the log says how many decode graphs there are."""
    one_request: int
    """Bytes of one request of the full length on a rank; 1 where its length is not known."""

    def left(self) -> VllmEstimate:
        return vllm_estimate(self.model, self.family, devices=self.devices, share=self.share, runtimes=self.runtimes)

    def enough(self) -> bool:
        return self.left().available >= self.one_request

    def over(self, ranks: int) -> _Run:
        """The same model over so many ranks."""
        before, model = self.model.tensor_parallel, self.model
        heads = max(1, model.kv_heads * before // ranks)
        own = -(-model.n_model_bytes * before // ranks)
        cut = replace(model, n_model_bytes=own, kv_heads=heads, tensor_parallel=ranks)
        return replace(self, model=cut, one_request=max(1, self.one_request * heads // model.kv_heads))


def _run(env: Environment) -> _Run:
    """Raises MissingValue with everything that has to be supplied."""
    numbers, family, share = model_numbers(env), env.hardware, env.config("memory_budget")
    missing = [n for n in NEEDED if not isinstance(numbers.get(n), int)]
    if family is None:
        missing.append("npu")
    if not isinstance(share, float):
        missing.append("memory_budget")
    if missing or family is None or not isinstance(share, float):
        raise MissingValue(tuple(missing))
    ranks, stages = _count(env, "tensor_parallel_size"), _count(env, "pipeline_parallel_size")
    layers = -(-int(numbers["num_hidden_layers"]) // stages)
    heads = max(1, int(numbers["num_key_value_heads"]) // ranks)
    model = VllmModel(
        n_model_bytes=_model_bytes(env, ranks),
        layers=layers,
        vocab_size=int(numbers["vocab_size"]),
        hidden_size=int(numbers["hidden_size"]),
        kv_heads=heads,
        tensor_parallel=ranks,
    )
    seq, buckets = env.config("max_seq_len"), as_list(env.config(BUCKETS))
    one = 2 * heads * int(numbers["head_dim"]) * 2 * layers * seq if isinstance(seq, int) else 1
    graphs = max(1, len(buckets))
    return _Run(model, family, _count(env, "num_devices"), share, 1 + graphs, bool(buckets), one)


def _model_bytes(env: Environment, ranks: int) -> int:
    """Bytes of one rank's parameters: as the log prints them, else of a dense model. Raises MissingValue."""
    said = env.config(MODEL_BYTES)
    if isinstance(said, (int, float)):
        return int(said) + ROUNDED
    numbers, bits = model_numbers(env), bits_of(env.config("quantization"))
    if bits is None or numbers.get("num_experts"):
        raise MissingValue(("model weights",))
    return -(-(weight_bytes(numbers, bits) + 2 * head_parameters(numbers)) // ranks)


def _count(env: Environment, name: str) -> int:
    value = env.config(name)
    return value if isinstance(value, int) and value > 0 else 1


def _solution(now: _Run, after: _Run, changes: dict[str, Value], text: str) -> Solution:
    left = after.left()
    parts = " - ".join(f"{n / MIB:,.0f}" for n in (left.budget, left.kernel, left.buffer))
    rest = (left.budget - left.kernel - left.buffer) / MIB
    room, graph = left.available / MIB, left.buffer / after.runtimes / MIB
    bound = _ROOM.filled(room)
    if not now.counted:
        one = _ONE_GRAPH.filled(graph)
        bound = Text(bound.en + one.en, bound.ko + one.ko)
    return Solution(changes, f"{text}; {parts} = {rest:,.0f} MiB", "estimate", bound)


@or_formula("(needed + weights + 256 MiB * graphs * units) / device memory")
def vllm_raise_share(problem: Problem) -> Solution | None:
    """The smallest gpu_memory_utilization in whole percent with which one request of the full length fits; nothing
    where not even all of the memory would do."""
    now = _run(environment(problem))
    for percent in range(math.floor(round(now.share * 100, 6)) + 1, 101):
        after = replace(now, share=percent / 100)
        if after.enough():
            return _solution(now, after, {"memory_budget": percent / 100}, f"{now.share:g} -> {percent / 100:g}")
    return None


@or_formula("num_devices * 2", doubles="num_devices")
def vllm_more_devices(problem: Problem) -> Solution | None:
    """ATOM: the smallest doubling of a rank's devices with which one request of the full length fits. Each device adds
    its memory and its buffers; nothing where the buffers alone take more than the share."""
    env = environment(problem)
    if env.get("family") == "REBEL":
        return None
    now = _run(env)
    available = env.config("devices_available")
    for power in range(1, MOST_DOUBLINGS + 1):
        after = replace(now, devices=now.devices * 2**power)
        if isinstance(available, int) and after.devices * now.model.tensor_parallel > available:
            return None
        if after.enough():
            text = f"{now.devices} * {2**power} = {after.devices}"
            return _solution(now, after, {"num_devices": after.devices}, text)
    return None


@or_formula("tensor_parallel_size * 2", doubles="tensor_parallel_size")
def vllm_more_ranks(problem: Problem) -> Solution | None:
    """REBEL, where a rank has one device: the smallest doubling of the ranks with which one request of the full length
    fits. The attention heads have to divide over the ranks."""
    env = environment(problem)
    if env.get("family") == "ATOM":
        return None
    now, heads = _run(env), env.require("num_attention_heads")
    for power in range(1, MOST_DOUBLINGS + 1):
        ranks = now.model.tensor_parallel * 2**power
        if heads % ranks:
            return None
        after = now.over(ranks)
        if after.enough():
            text = f"{now.model.tensor_parallel} * {2**power} = {ranks}"
            return _solution(now, after, {"tensor_parallel_size": ranks}, text)
    return None
