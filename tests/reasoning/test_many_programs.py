"""Several programs in one log: each failure is told with its own program's values, and the last one is told."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose import diagnose_bytes
from diagnose.model import Diagnosis

PLUGIN = """\
INFO 11-29 09:00:01 [__init__.py:36] Available plugins for group vllm.platform_plugins:
INFO 11-29 09:00:01 [__init__.py:38] - rbln -> vllm_rbln:register
ERROR 11-29 09:00:02 [__init__.py:72] Failed to load plugin rbln
ERROR 11-29 09:00:02 [__init__.py:72] Traceback (most recent call last):
ERROR 11-29 09:00:02 [__init__.py:72]   File "/v/vllm/plugins/__init__.py", line 70, in load_plugins_by_group
ERROR 11-29 09:00:02 [__init__.py:72]     func = plugin.load()
ERROR 11-29 09:00:02 [__init__.py:72]   File "/v/vllm_rbln/platform/__init__.py", line 29, in <module>
ERROR 11-29 09:00:02 [__init__.py:72]     from vllm.v1.core.kv_cache_utils import BlockHashList
ERROR 11-29 09:00:02 [__init__.py:72] ImportError: cannot import name 'BlockHashList' from \
'vllm.v1.core.kv_cache_utils' (/v/vllm/v1/core/kv_cache_utils.py)
INFO 11-29 09:00:03 [__init__.py:220] No platform detected, vLLM is running on UnspecifiedPlatform
(APIServer pid=31) INFO 11-29 09:00:06 [api_utils.py:338] vLLM API server version 0.30.0
(APIServer pid=31) INFO 11-29 09:00:06 [api_utils.py:286] non-default args: {'model': 'a/b', 'max_model_len': 8192}
(APIServer pid=31) Traceback (most recent call last):
(APIServer pid=31)   File "/v/vllm/config/device.py", line 56, in __post_init__
(APIServer pid=31)     raise RuntimeError(
(APIServer pid=31) RuntimeError: Failed to infer device type, please set the environment variable \
`VLLM_LOGGING_LEVEL=DEBUG` to turn on verbose logging to help debug the issue.
"""
SERVER = """\
INFO 11-29 09:00:01 [__init__.py:36] Available plugins for group vllm.platform_plugins:
INFO 11-29 09:00:01 [__init__.py:52] Platform plugin rbln is activated
(APIServer pid=7) INFO 11-29 09:00:04 [api_utils.py:338] vLLM API server version 0.30.0
(APIServer pid=7) INFO 11-29 09:00:04 [api_utils.py:286] non-default args: {'model': 'a/b', 'max_model_len': 131072}
"""
UP = "(APIServer pid=7) INFO:     Application startup complete.\n"
STOP = """\
(APIServer pid=7) INFO:     Shutting down
(APIServer pid=7) INFO:     Application shutdown complete.
(APIServer pid=7) INFO:     Finished server process [7]
"""
KV = """\
(EngineCore pid=9) ERROR 11-29 09:00:15 [core.py:1366] EngineCore failed to start.
(EngineCore pid=9) ERROR 11-29 09:00:15 [core.py:1366] Traceback (most recent call last):
(EngineCore pid=9) ERROR 11-29 09:00:15 [core.py:1366]   File "/v/vllm/v1/engine/core.py", line 1340, in run
(EngineCore pid=9) ERROR 11-29 09:00:15 [core.py:1366]     engine_core = EngineCoreProc(*args)
(EngineCore pid=9) ERROR 11-29 09:00:15 [core.py:1366] ValueError: Insufficient memory for the required KV cache: \
only 12 blocks can be allocated, but at least 17 blocks are required (currently 8).
"""
API_DIES = """\
(APIServer pid=7) Traceback (most recent call last):
(APIServer pid=7)   File "/v/vllm/v1/engine/utils.py", line 1320, in wait_for_engine_startup
(APIServer pid=7)     raise RuntimeError(
(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
"""
REFUSED = """\
usage: vllm serve [model_tag] [options]
vllm serve: error: unrecognized arguments: --rbln-foo
"""
SMI = """\
$ rbln-smi
| 0   | RBLN-CA25 | rbln0   |  0000:03:00.0 |  34C |    27.4W |  P14 |    0.0B /  15.7GiB |   0.0 |
| 7   | RBLN-CA25 | rbln7   |  0000:0a:00.0 |  34C |    27.4W |  P14 |    0.0B /  15.7GiB |   0.0 |
"""
COUNT = """\
rbln_config = {"max_seq_len": 131072, "num_devices": 8, "device": [0, 1, 2, 3], "batch_size": 2, "npu": "RBLN-CA25"}
Traceback (most recent call last):
  File "/w/compile.py", line 12, in <module>
    model = RBLNLlamaForCausalLM.from_pretrained(
ValueError: The number of devices (4) does not match `num_devices` (8).
"""
MULTIPLE = """\
Traceback (most recent call last):
  File "/w/compile.py", line 12, in <module>
    model = RBLNLlamaForCausalLM.from_pretrained(
ValueError: `max_seq_len` (40960) must be a multiple of `kvcache_partition_len` (16384) when using 'flash_attn'.
"""
FAILING = f"""\
rbln_config = {{"max_seq_len": 40960, "kvcache_partition_len": 16384, "num_devices": 4, "npu": "RBLN-CA25"}}
{MULTIPLE}"""
SAVED = """\
rbln_config = {"max_seq_len": 32768, "kvcache_partition_len": 8192, "num_devices": 1, "batch_size": 8, \
"kvcache_num_blocks": 32}
2026-11-29 09:40:12,186 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0
2026-11-29 09:40:12,186 INFO [rebel-compiler] -- Target NPU: RBLN-CR13
2026-11-29 09:44:13,101 INFO [rebel-compiler] Serializing compiled model to /w/out/prefill.rbln ...
"""


def cli(blocks: int, partition: int, batch: int) -> str:
    return (
        "optimum-rbln-cli --model-id Qwen/Qwen3-VL-2B-Instruct --output-dir o --visual.max_seq_len 16384 "
        f"--num_devices 8 --kvcache_partition_len {partition} "
        f"--max_seq_len 262144 --kvcache_num_blocks {blocks} --batch_size {batch}\n"
    )


OOM = """\
2026-11-29 14:03:10,186 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0
2026-11-29 14:03:10,186 INFO [rebel-compiler] -- Target NPU: RBLN-CA25
❌ Error during model compilation: DRAM OOM: requested 17,639,009,280 bytes, capacity 17,179,869,184 bytes per device
"""


def diagnosed(log: str) -> Diagnosis:
    return diagnose_bytes(log.encode())


def roots(found: Diagnosis) -> list[str]:
    return [f.entry for f in found.findings]


def values(found: Diagnosis, *names: str) -> list[Any]:
    return [None if (s := found.run.config.get(name)) is None else s.value for name in names]


@pytest.mark.parametrize("before", ["", PLUGIN, PLUGIN * 2, SERVER + KV + API_DIES, COUNT])
def test_a_plugin_that_does_not_load_is_the_cause_at_every_restart(before: str) -> None:
    found = diagnosed(before + PLUGIN)
    assert roots(found) == ["install.vllm-version-mismatch"]
    assert found.findings[0].line == before.count("\n") + 9
    assert "platform.no-device-detected" in [c.entry for c in found.findings[0].consequences]


def test_what_children_print_after_an_engine_failed_stays_in_the_run() -> None:
    child = "INFO 11-29 09:00:20 [__init__.py:52] Platform plugin rbln is activated\n"
    found = diagnosed(SERVER + KV + child + API_DIES)
    assert found.runs == 1
    assert [c.entry for c in found.findings[0].consequences][-1] == "engine.init-failed"


@pytest.mark.parametrize("before", [SERVER + UP + STOP, SERVER + UP, SERVER + KV + API_DIES, FAILING])
def test_a_command_line_that_is_refused_after_another_program_is_the_last_failure(before: str) -> None:
    assert roots(diagnosed(before + REFUSED)) == ["config.unknown-flag"]


def test_of_two_refused_command_lines_the_last_is_told() -> None:
    found = diagnosed(SERVER + UP + STOP + REFUSED + REFUSED.replace("--rbln-foo", "--rbln-bar"))
    assert "--rbln-bar" in found.findings[0].text


def test_a_launcher_that_says_how_the_server_ended_is_no_failure_of_its_own() -> None:
    found = diagnosed(SERVER + KV + API_DIES + "launch.py: error: the server exited with code 1\n")
    assert roots(found) == ["kv-cache.insufficient-memory"]


@pytest.mark.parametrize("prompt", ["$ ", "+ ", "(venv) user@host:~/w$ ", ""])
def test_a_second_compile_command_is_another_run(prompt: str) -> None:
    first, second = prompt + cli(128, 16384, 8), prompt + cli(96, 8192, 4)
    both = diagnosed(first + OOM + second + OOM)
    assert (both.runs, both.findings[0].line) == (2, 8)
    assert values(both, "kvcache_num_blocks", "kvcache_partition_len", "batch_size") == [96, 8192, 4]
    begun = diagnosed(first + OOM + second)
    assert begun.findings[0].line == 4
    assert values(begun, "kvcache_num_blocks", "kvcache_partition_len", "batch_size") == [128, 16384, 8]


def test_a_command_that_is_echoed_late_belongs_to_what_it_printed() -> None:
    found = diagnosed(OOM + cli(96, 8192, 4))
    assert values(found, "kvcache_num_blocks") == [96]


@pytest.mark.parametrize("before", [SERVER + UP, SERVER + KV + API_DIES, "$ python run.py\n" + COUNT])
def test_a_compile_command_has_nothing_of_the_program_before_it(before: str) -> None:
    found = diagnosed(before + "$ " + cli(96, 8192, 4) + OOM)
    assert roots(found) == ["memory.dram-oom"]
    assert values(found, "kvcache_num_blocks", "max_model_len", "device") == [96, None, None]


@pytest.mark.parametrize("command", ["", "$ python compile.py\n", "$ python 컴파일.py\n", "$ python3 -u /w/run.py\n"])
@pytest.mark.parametrize("before", [SERVER + KV + API_DIES, SERVER + UP, SAVED, "$ python a.py\n" + SAVED])
def test_a_script_has_nothing_of_the_program_before_it(before: str, command: str) -> None:
    found = diagnosed(before + command + FAILING)
    assert roots(found) == ["attention.not-multiple"]
    assert found.run.npu == "RBLN-CA25"
    assert values(found, "max_seq_len", "kvcache_num_blocks", "num_devices") == [40960, None, 4]


def test_the_compiler_of_a_server_and_of_a_script_with_many_parts_begins_no_run() -> None:
    compiler = "2026-11-29 09:40:12,186 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0\n"
    assert diagnosed(SERVER + "".join(f"(EngineCore pid=9) {compiler}" for _ in "ab") + KV).runs == 1
    assert diagnosed(SAVED + compiler + MULTIPLE).runs == 1


def test_the_client_of_a_running_server_leaves_the_server_its_configuration() -> None:
    found = diagnosed(SERVER + UP + "$ python client.py\n" + KV)
    assert values(found, "max_seq_len") == [131072]


def test_the_devices_of_the_machine_are_known_to_every_later_run() -> None:
    found = diagnosed(SMI + "$ python compile.py\n" + COUNT + SMI + "$ python compile.py\n" + COUNT)
    assert found.runs == 2
    fix = next(r for r in found.findings[0].remedies if r.id == "fix-list")
    assert (fix.applicability, fix.changes[0].to) == ("exact", list(range(8)))


def test_the_failure_of_another_vendor_is_not_headed_by_the_rbln_run_before() -> None:
    compiler = "(EngineCore pid=9) 2026-11-29 09:40:12,186 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0\n"
    target = "(EngineCore pid=9) 2026-11-29 09:40:12,186 INFO [rebel-compiler] -- Target NPU: RBLN-CA25\n"
    cuda = (
        KV.rpartition("ValueError")[0] + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 112.00 MiB.\n"
    )
    found = diagnosed(SERVER + compiler + target + KV + API_DIES + SERVER + cuda)
    assert found.findings[0].domain == "foreign"
    assert found.run.npu is None
    assert not set(found.run.versions) & {"rebel_compiler", "optimum_rbln"}
