"""What is gathered of an input while it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose import collected as room
from diagnose import diagnose_bytes
from diagnose.collected import Collected

MESSAGE = (
    "ValueError: Insufficient memory for the required KV cache: only 5 blocks can be allocated, but at least 9 blocks "
    "are required. Consider reducing `max_seq_len` or `batch_size` (currently 8) to lower the memory requirement.\n"
)
COMPOSE = """services:
  llama:
    command: vllm serve org/llama --max-model-len 131072 --block-size 16384 --max-num-seqs 8
  qwen:
    command: vllm serve org/qwen --max-model-len 65536 --block-size 8192 --max-num-seqs 8
"""


def test_names_of_servers_are_kept_up_to_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_NAMES", 3)
    found = Collected("-", (), {}, None, False)
    for number in range(9):
        found.from_server(f"server-{number % 5}")
    found.from_server("")
    assert list(found.servers) == ["server-0", "server-1", "server-2"]


@pytest.mark.parametrize(
    ("prefix", "lengths"),
    [("llama-1  | ", {131072}), ("qwen-1  | ", {65536}), ("", set())],
)
def test_the_change_is_computed_from_the_service_whose_log_it_is(
    tmp_path: Path, prefix: str, lengths: set[int]
) -> None:
    file = tmp_path / "compose.yml"
    file.write_text(COMPOSE)
    found = diagnose_bytes((prefix + MESSAGE).encode(), config=[str(file)])
    changes = [change for remedy in found.findings[0].remedies for change in remedy.changes]
    assert {change.from_ for change in changes if change.parameter == "max_seq_len"} == lengths
    assert [note.entry for note in found.notes] == ([] if lengths else ["config.which-section"])


def test_a_value_by_hand_that_the_message_contradicts_is_named() -> None:
    found = diagnose_bytes(MESSAGE.encode(), sets={"batch_size": 4, "max_seq_len": 131072})
    assert found.run.get("batch_size") == 8
    assert [(note.entry, note.numbers["asked"], note.numbers["in_force"]) for note in found.notes] == [
        ("config.set-differs", 4, 8)
    ]
