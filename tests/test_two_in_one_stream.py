"""Two servers in one stream: whose a worker is by the order of the lines, and what holds for one of nobody's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose import Diagnosis, diagnose_bytes


def read(lines: Sequence[str]) -> Diagnosis:
    return diagnose_bytes("".join(f"{line}\n" for line in lines).encode())


def served(pid: int, blocks: int, length: int) -> list[str]:
    asked = f"{{'model': 'm{pid}', 'max_model_len': {length}, 'block_size': 8192, 'num_gpu_blocks_override': {blocks}}}"
    engine = "[core.py:124] Initializing a V1 LLM engine (v0.30.0) with config:"
    return [
        f"(APIServer pid={pid}) INFO 11-29 08:01:06 [api_utils.py:338] vLLM API server version 0.30.0",
        f"(APIServer pid={pid}) INFO 11-29 08:01:06 [api_utils.py:286] non-default args: {asked}",
        f"(EngineCore pid={pid + 1}) INFO 11-29 08:01:25 {engine} model='m{pid}', max_seq_len={length}",
    ]


def loaded(pid: int) -> list[str]:
    return [
        f"(Worker_TP0 pid={pid}) [vllm-rbln] INFO 11-29 08:02:34 [rbln_worker.py:347] n_model_bytes = 30.51 GB",
    ]


def no_memory(pid: int, blocks: int = 128) -> list[str]:
    raised = f"RuntimeError: Not enough memory for {blocks} blocks of KV cache. Try reducing the number of blocks by"
    return [
        f"(Worker_TP0 pid={pid}) [vllm-rbln] ERROR 11-29 08:07:00 [utils.py:131] {raised} setting"
        " --num-gpu-blocks-override.",
    ]


def ended(pid: int) -> list[str]:
    return [f"(EngineCore pid={pid + 1}) ERROR 11-29 08:07:35 [core.py:1366] EngineCore failed to start."]


OURS, OTHERS = served(50, 128, 65_536), served(30, 4, 131_072)
BOTH_ENDED = [*ended(30), *ended(50)]


def test_a_worker_that_spoke_before_the_other_server_was_started_is_not_that_servers() -> None:
    found = read([*OURS, *loaded(60), *OTHERS, *no_memory(60), *BOTH_ENDED])
    (change,) = found.findings[0].remedies[0].changes
    assert (change.from_, change.to) == (128, 115)
    assert {name: found.run.config[name].value for name in ("max_seq_len", "kvcache_num_blocks")} == {
        "max_seq_len": 65_536,
        "kvcache_num_blocks": 128,
    }


@pytest.mark.parametrize("first", [[*OURS, *OTHERS], [*OTHERS, *OURS]])
def test_for_a_worker_that_may_be_of_either_server_nothing_is_in_force_that_only_one_of_them_said(
    first: list[str],
) -> None:
    found = read([*first, *loaded(60), *no_memory(60), *BOTH_ENDED])
    config = {name: setting.value for name, setting in found.run.config.items()}
    assert "max_seq_len" not in config
    assert found.run.model is None
    assert config["kvcache_num_blocks"] == 128  # the message's own
    (mine,) = (f for f in found.findings if f.entry == "memory.blocks-do-not-fit")
    assert "exact" not in [remedy.applicability for remedy in mine.remedies]
    assert [remedy.missing for remedy in mine.remedies if remedy.missing] == [("max_seq_len",)]


def test_what_both_servers_said_alike_holds_for_a_worker_of_either() -> None:
    found = read([*served(30, 4, 65_536), *OURS, *loaded(60), *no_memory(60), *BOTH_ENDED])
    assert found.run.config["max_seq_len"].value == 65_536


@given(st.sampled_from([4, 256, 4_096]))
def test_a_count_that_the_message_contradicts_is_never_in_force(other: int) -> None:
    for log in (served(50, other, 65_536), [*OURS, *served(70, other, 65_536)]):
        found = read([*log, *no_memory(80), *ended(50), *ended(70)])
        assert found.run.config["kvcache_num_blocks"].value == 128
        assert other not in [c.from_ for f in found.findings for r in f.remedies for c in r.changes]


def test_the_failure_of_a_worker_of_nobodys_does_not_hide_that_of_an_engine() -> None:
    oom = (
        "(EngineCore pid=31) ERROR 11-29 08:07:35 [core.py:1366] rebel.core.exception.RBLNCompileError: DRAM OOM:"
        " requested 39163045120 bytes, capacity 38654705664 bytes"
    )
    found = read([*OTHERS, *OURS, *loaded(60), *no_memory(60), oom, *BOTH_ENDED])
    assert {f.entry for f in found.findings if f.role == "root"} == {"memory.blocks-do-not-fit", "memory.dram-oom"}


def test_a_command_nobody_signed_is_not_the_one_of_a_server_that_said_its_own() -> None:
    command = "$ vllm serve m30 --max-model-len 131072 --block-size 8192 --num-gpu-blocks-override 4 --max-num-seqs 7"
    other = [line.replace("{'model'", "{'max_num_seqs': 7, 'model'") for line in OTHERS]
    found = read([command, *OURS, *loaded(60), *other, *no_memory(60), *BOTH_ENDED])
    assert found.run.config["kvcache_num_blocks"].value == 128
    assert "batch_size" not in found.run.config
