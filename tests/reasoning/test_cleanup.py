"""An error of the clean-up hides no cause; an attempt in place of what failed is judged by its own end."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes

HEAD = "Traceback (most recent call last):\n"
PACKAGE = (
    '  File "/v/lib/python3.11/site-packages/optimum/rbln/modeling_base.py", line 514, in from_pretrained\n    go()\n'
)
SCRIPT = '  File "c.py", line 30, in <module>\n    cleanup()\n'
MULTIPLE = (
    "ValueError: `max_seq_len` (40960) must be a multiple of `kvcache_partition_len` (16384) when using 'flash_attn'. "
    "Please adjust either value to meet this requirement."
)
OOM = "rebel.core.exception.RBLNCompileError: DRAM OOM: requested 39163045120 bytes, capacity 38654705664 bytes"
DURING = "During handling of the above exception, another exception occurred:"
CAUSE = "The above exception was the direct cause of the following exception:"


def entries(first: str, link: str, second: str) -> list[str]:
    text = f"$ python c.py\n{HEAD}{first}\n\n{link}\n\n{HEAD}{second}\n"
    return [found.entry for found in diagnose_bytes(text.encode()).findings]


@pytest.mark.parametrize(
    "second",
    [
        "PermissionError: [Errno 13] Permission denied: '/cache'",
        "OSError: [Errno 28] No space left on device",
        "OSError: [Errno 98] Address already in use",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.",
        "KeyError: 'x'",
    ],
)
@pytest.mark.parametrize("link", [DURING, CAUSE])
def test_the_first_known_cause_stays_the_cause(second: str, link: str) -> None:
    assert entries(PACKAGE + MULTIPLE, link, SCRIPT + second)[:1] == ["attention.not-multiple"]


def test_another_attempt_that_fails_by_itself_is_what_ended_the_program() -> None:
    assert entries(PACKAGE + MULTIPLE, DURING, PACKAGE + OOM)[:1] == ["memory.dram-oom"]


@pytest.mark.parametrize(
    "first",
    [
        "PermissionError: [Errno 13] Permission denied: '/cache'",
        "ModuleNotFoundError: No module named 'fast_path'",
        "OSError: [Errno 28] No space left on device",
    ],
)
def test_what_a_program_got_over_before_it_failed_is_not_the_cause(first: str) -> None:
    assert entries(SCRIPT + first, DURING, PACKAGE + MULTIPLE) == ["attention.not-multiple"]
