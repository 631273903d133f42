"""A length that is pasted does not run into the next error: it is a whole number of blocks."""

from __future__ import annotations

import re

import pytest

import diagnose

ARGS = "(APIServer pid=4121) INFO 11-29 09:12:06 [api_utils.py:286] non-default args: {{'model': 'Qwen/Qwen3-8B', "
ARGS += "'max_model_len': 200000, 'block_size': {block}, 'max_num_seqs': 4}}\n"
RBLN = "INFO 11-29 09:12:02 [__init__.py:52] Platform plugin rbln is activated\n"
LONG = (
    "(EngineCore pid=4242) ERROR 11-29 09:16:42 [core.py:1366] Value error, User-specified max_model_len (200000) is "
)
LONG += "greater than the derived max_model_len (max_position_embeddings=40960.0 or model_max_length=None in model's "
LONG += "config.json). To allow overriding this maximum, set the env var VLLM_ALLOW_LONG_MAX_MODEL_LEN=1.\n"
ONE = "(EngineCore pid=4242) ERROR 11-29 09:16:42 [core.py:1366] ValueError: To serve at least one request with the "
ONE += (
    "model's max seq len (200000), (48.00 GiB KV cache is needed, which is larger than the available KV cache memory "
)
ONE += "({gib} GiB). Based on the available memory, the estimated maximum model length is {length}. Try increasing "
ONE += "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.\n"


def pasted(log: str) -> list[int]:
    found = diagnose.diagnose_bytes(log.encode())
    commands = [text for remedy in found.findings[0].remedies for text in remedy.commands.values()]
    return [int(n) for text in commands for n in re.findall(r"--max-model-len (\d+)", text)]


@pytest.mark.parametrize("platform", [RBLN, "", RBLN.replace("Platform plugin rbln", "Platform plugin other")])
@pytest.mark.parametrize("block", [4096, 8192, 16384])
def test_every_length_is_a_multiple_of_the_block(platform: str, block: int) -> None:
    lengths = pasted(platform + ARGS.format(block=block) + LONG)
    assert lengths == [40960 // block * block]
    assert pasted(platform + ARGS.format(block=block) + ONE.format(gib=5, length=40960)) == lengths


def test_a_length_below_one_block_is_not_pasted() -> None:
    assert pasted(RBLN + ARGS.format(block=16384) + ONE.format(gib=2.5, length=10240)) == []


def test_small_blocks_of_another_platform_leave_the_length_alone() -> None:
    cuda = RBLN.replace("Platform plugin rbln is activated", "Automatically detected platform cuda.")
    assert pasted(cuda + ARGS.format(block=16) + LONG) == [40960]
