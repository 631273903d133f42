"""Lines that are objects of a logger or a collector are whole lines, whatever their length is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.repair import SMALL_BYTES
from diagnose.repair.page import page_of
from diagnose.repair.wrap import unwrapped

TOO_LARGE = "requested 17,639,009,280 bytes, capacity 17,179,869,184 bytes per device"
OOM = f"❌ Error during model compilation: DRAM OOM: {TOO_LARGE}"
LOG = [
    "2026-11-29 14:07:16,186 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0",
    "2026-11-29 14:07:16,190 INFO [rebel-compiler] +------------------------------------------------+",
    "2026-11-29 14:07:16,190 INFO [rebel-compiler] |Compile(#2), mod_name=e6f13a, input_info_index=0|",
    "2026-11-29 14:07:16,190 INFO [rebel-compiler] +------------------------------------------------+",
    "Computation graph generation   " + "█" * 40 + " 100%  00:41",
    OOM,
]


def written(lines: list[str], first: str, *, ascii_only: bool) -> bytes:
    rows = [{first: f"2026-11-29T14:07:{n % 60:02}Z", "level": "info", "msg": line} for n, line in enumerate(lines)]
    return "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows).encode()


@pytest.mark.parametrize("first", ["ts", "asctime", "t"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_progress_bar_written_out_is_not_glued_to_the_error_below_it(first: str, ascii_only: bool) -> None:
    found = diagnose_bytes(written(LOG, first, ascii_only=ascii_only))
    assert [one.entry for one in found.findings] == ["memory.dram-oom"]
    assert (found.outcome, found.findings[0].line) == ("diagnosed", 6)


@given(st.lists(st.text("ab█ ", min_size=20, max_size=40), min_size=2, max_size=8), st.booleans())
def test_objects_that_begin_with_the_same_key_are_never_joined(lines: list[str], ascii_only: bool) -> None:
    page = page_of(written([line.ljust(40) for line in lines], "ts", ascii_only=ascii_only))
    assert not list(unwrapped(page))


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (", ", " : ")])
@pytest.mark.parametrize("lines", [0, 1500])
def test_messages_journald_wrote_as_their_bytes_are_read_at_any_size(separators: tuple[str, str], lines: int) -> None:
    calm = [
        f"\x1b[32mINFO\x1b[0m 11-29 08:00:01 [loader.py:{number}] shard {number} is read" for number in range(lines)
    ]
    said = [*calm, "\x1b[31mOSError: [Errno 24] Too many open files: 'a'\x1b[0m"]
    rows = [{"MESSAGE": list(text.encode()), "_PID": "7", "SYSLOG_IDENTIFIER": "vllm"} for text in said]
    data = "".join(json.dumps(row, separators=separators) + "\n" for row in rows).encode()
    assert (len(data) > SMALL_BYTES) is (lines > 0)
    found = diagnose_bytes(data)
    assert (found.outcome, [one.line for one in found.findings]) == ("diagnosed", [lines + 1])
