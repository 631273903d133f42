"""RBLN's wordings in another vendor's log are no finding; what names RBLN is one wherever it stands."""

from __future__ import annotations

import pytest

import diagnose

CUDA = "INFO 11-29 09:12:02 [__init__.py:52] Automatically detected platform cuda.\n"
SHARED = (
    "ValueError: Input length (5000) exceeds the maximum allowed sequence length (4096).",
    "RuntimeError: Batch size (4) exceeds num_blocks (3).",
    "ValueError: `num_devices` (8) is greater than the number of available devices 4.",
    "RuntimeError: No memory blocks are available for allocation.",
    "RuntimeError: DRAM OOM: requested 10 bytes, capacity 5 bytes",
)
TRACE = 'Traceback (most recent call last):\n  File "{file}", line 3, in f\n    call()\n{error}\n'


def outcome(log: str) -> str:
    return diagnose.diagnose_bytes(log.encode()).outcome


@pytest.mark.parametrize("error", SHARED)
@pytest.mark.parametrize("before", [CUDA, CUDA.replace("cuda", "tpu"), "I1129 tpu_driver.cc:10] TPU v4 ready\n"])
def test_in_a_run_on_another_platform_it_is_unknown(before: str, error: str) -> None:
    line = f"(EngineCore pid=9) ERROR 11-29 09:18:03 [core.py:800] {error}\n"
    assert outcome(before + line) == "unknown"
    assert outcome(line) == "diagnosed"


@pytest.mark.parametrize("error", SHARED)
def test_in_frames_of_another_vendors_package_it_is_unknown(error: str) -> None:
    other = TRACE.format(file="/usr/lib/python3/dist-packages/tensorrt_llm/runtime/run.py", error=error)
    assert outcome(other) == "unknown"
    assert outcome(TRACE.format(file="/home/user/app/run.py", error=error)) == "diagnosed"


@pytest.mark.parametrize("error", SHARED)
@pytest.mark.parametrize("platform", ["cpu.", "rbln."])
def test_no_device_found_or_rbln_itself_takes_nothing_away(platform: str, error: str) -> None:
    assert outcome(CUDA.replace("cuda.", platform) + error + "\n") == "diagnosed"


def test_a_record_that_names_rbln_counts_on_any_platform() -> None:
    named = "rebel.core.exception.RBLNCompileError: DRAM OOM: requested 17163045120 bytes, capacity 16877879296 bytes\n"
    assert outcome(CUDA + named) == "diagnosed"
    file = "/venv/lib/python3.11/site-packages/optimum/rbln/transformers/models/decoderonly/generation.py"
    assert outcome(CUDA + TRACE.format(file=file, error=SHARED[1])) == "diagnosed"


def test_an_npu_in_the_log_speaks_for_rbln() -> None:
    row = "| 0   | RBLN-CA25 | rbln0   |  0000:03:00.0 |  34C |    27.4W |  P14 |    0.0B /  15.7GiB |   0.0 |\n"
    assert outcome(row + CUDA + SHARED[1] + "\n") == "diagnosed"
