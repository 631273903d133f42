"""Nothing is claimed that the log does not carry: no finding from look-alikes, no number from nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose import diagnose_bytes
from diagnose.model import Diagnosis, Finding
from tests.promises.logs import traceback

REBEL = {"max_seq_len": 262144, "kvcache_partition_len": 8192, "batch_size": 8, "num_devices": 1}


def diagnosed(log: str, sets: dict[str, Any] | None = None, npu: str | None = None) -> Diagnosis:
    return diagnose_bytes(log.encode(), sets=sets or {}, npu=npu)


def entries(found: Diagnosis) -> list[str]:
    return [f.entry for f in (*found.findings, *found.notes)]


def computed(finding: Finding) -> dict[str, dict[str, Any]]:
    """Remedies that give a value as computed."""
    sure = (r for r in finding.remedies if r.applicability in ("exact", "estimate"))
    return {r.id: {c.parameter: c.to for c in r.changes} for r in sure if r.changes}


# ---------------------------------------------------------------- a device out of memory, and what only looks like it

R, C = 39163045120, 38654705664


@pytest.mark.parametrize(
    "log",
    [
        f"NOTE requested {R} bytes of disk, capacity {C} bytes on /dev/sda\n",
        "Elasticsearch [WARN ] disk: requested 10GiB capacity 5GiB\n",
        "ERROR 11-29 08:16:30 [x.py:1] S3 upload: requested 1,073,741,824 bytes, capacity 536,870,912 bytes\n",
        f"ERROR 11-29 08:16:30 [x.py:1] cache: requested {R} bytes, capacity {C} bytes; evicting\n",
        f"The docs say: DRAM OOM: requested {R} bytes, capacity {C} bytes means the pool is too big.\n",
        f"The docs on this error say: DRAM OOM: requested {R} bytes, capacity {C} bytes means it is too big.\n",
        traceback(f"OSError: disk quota: requested {R} bytes, capacity {C} bytes"),
        traceback(f"torch.OutOfMemoryError: XPU out of memory, requested {R} bytes, capacity {C} bytes"),
        traceback("RuntimeError: GPU DRAM OOM in cuda allocator"),
        traceback("RuntimeError: no DRAM OOM happened here"),
        traceback("RuntimeError: DRAM OOM in cuda allocator"),
    ],
)
def test_other_memory_and_sentences_about_it_are_not_a_device_out_of_memory(log: str) -> None:
    found = diagnosed(log)
    assert "memory.dram-oom" not in entries(found)
    assert not any(f.domain == "rbln" for f in found.findings)


@pytest.mark.parametrize(
    "message",
    [
        "DRAM OOM: requested {r} bytes, capacity {c} bytes",
        "DRAM OOM (requested {r} B, capacity {c} B)",
        "DRAM OOM으로 실패합니다(요청 {r}바이트, 용량 {c}바이트)",
        "DRAM OOM으로 실패합니다(요청 {r}바이트, 장치당 용량 {c}바이트)",
        "Out of device memory: requested={r} capacity={c}",
        "Out of device memory: capacity={c} requested={r}",
        "(Runtime) code=511 SYS_EBUSY: allocation failed: requested {r} bytes, capacity {c} bytes",
        "(System) code=511 SYS_EBUSY: Lack of device memory: requested {r} bytes, capacity {c} bytes",
        "RBLNCompileError: requested {r} bytes, capacity {c} bytes",
        "rebel.core.exception.RBLNRuntimeError: alloc: capacity {c} bytes, requested {r} bytes",
        "Failed to create RBLN runtime: DRAM OOM: requested {r} bytes,\ncapacity {c} bytes",
        "❌ Error during model compilation: DRAM OOM: requested {r} bytes, capacity {c} bytes per device",
        "[3/3] 컴파일 실패: DRAM OOM으로 실패했습니다(요청 {r}바이트, 용량 {c}바이트)",
        "컴파일이 DRAM OOM으로 실패했습니다(요청 {r}바이트, 용량 {c}바이트)",
    ],
)
@pytest.mark.parametrize("form", ["{:d}", "{:,}"])
@pytest.mark.parametrize("place", ["raw", "exception", "logged"])
def test_every_wording_of_a_device_out_of_memory_is_read(message: str, form: str, place: str) -> None:
    text = message.format(r=form.format(R), c=form.format(C))
    if place == "raw":
        log = text + "\n"
    elif place == "exception":
        log = traceback(text if "Error: " in text else f"RuntimeError: {text}")
    else:
        log = f"ERROR 11-29 08:16:30 [core.py:1] {text}\n"
    if place == "logged" and "\n" in text:
        pytest.skip("one record is one line here")
    found = diagnosed(log)
    assert found.outcome == "diagnosed", log
    assert found.findings[0].entry == "memory.dram-oom"
    assert found.findings[0].numbers == {"requested_bytes": R, "capacity_bytes": C}
