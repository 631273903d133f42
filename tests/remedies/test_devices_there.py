"""No offer asks for more devices than the run was seen to have."""

from __future__ import annotations

import pytest

import diagnose
from diagnose.model import Diagnosis

ROW = "| {0}   | RBLN-CA25 | rbln{0}   |  0000:0{0}:00.0 |  34C |    27.4W |  P14 |    0.0B /  15.7GiB |   0.0 |\n"
COUNTS = ("num_devices", "tensor_parallel_size")
NO_MEMORY = (
    "(APIServer pid=41) INFO 11-29 09:12:06 [api_utils.py:286] non-default args: {{'model': 'Qwen/Qwen3-8B', "
    "'max_model_len': 4096, 'model_impl': 'transformers', "
    "'additional_config': {{'num_devices_per_local_rank': {devices}}}}}\n"
    "(EngineCore pid=42) ERROR 11-29 09:16:42 [core.py:1366] ValueError: No available memory for the cache blocks. "
    "Try increasing `gpu_memory_utilization` when initializing the engine.\n"
)
DRAM = (
    'rbln_config = {{"max_seq_len": 131072, "kvcache_partition_len": 16384, "num_devices": {devices}, '
    '"batch_size": 4, "kvcache_num_blocks": 32}}\n'
    "rebel.core.exception.RBLNCompileError: DRAM OOM: requested 17163045120 bytes, capacity 16877879296 bytes\n"
)


def smi(devices: int) -> str:
    return "$ rbln-smi\n" + "".join(ROW.format(number) for number in range(devices))


def offered(found: Diagnosis) -> list[tuple[str, object]]:
    remedies = found.findings[0].remedies
    told = [(c.parameter, c.to) for r in remedies for c in r.changes if c.parameter in COUNTS]
    return told + [
        ("formula", r.arithmetic) for r in remedies if "devices * 2" in r.arithmetic or "4 * 2" in r.arithmetic
    ]


@pytest.mark.parametrize("log", [NO_MEMORY, DRAM])
@pytest.mark.parametrize("order", ["before", "after"])
def test_no_doubling_beyond_the_devices_of_the_table(log: str, order: str) -> None:
    text = log.format(devices=4)
    for there, more in ((4, False), (8, True)):
        whole = smi(there) + text if order == "before" else text + smi(there)
        assert bool(offered(diagnose.diagnose_bytes(whole.encode()))) is more


def test_ranks_are_not_doubled_beyond_the_devices() -> None:
    error = "RuntimeError: [Dynamic KV] max_num_blocks() returned 0: the per-chiplet budget of 30064771072 bytes does "
    error += "not fit the base usage {(0, 0): 31000000000}.\n"
    for there, expected in ((4, []), (8, [("tensor_parallel_size", 8)])):
        found = diagnose.diagnose_bytes((smi(there) + error).encode(), sets=["tensor_parallel_size=4"])
        assert [offer for offer in offered(found) if offer[0] in COUNTS] == expected
