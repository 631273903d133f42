"""A file or ``--set`` that goes against the log does not count, and it is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.clues import Clues
from diagnose.context.in_force import in_force
from diagnose.model import Fact, GivenConfig, Noted, RunContext, Value
from tests.context.log_kit import all_facts, parameters, record, values

COMPILING = (
    "Compiling org/m via optimum-rbln (RBLNLlamaForCausalLM) with rbln_config:\n"
    '{\n  "batch_size": 4,\n  "max_seq_len": 131072,\n  "attn_impl": "flash_attn",\n'
    '  "kvcache_partition_len": 8192\n}'
)
ARTIFACT = {"batch_size": 4, "max_seq_len": 131072, "kvcache_partition_len": 8192, "kvcache_block_size": 8192}


def artifact(**other: Value) -> GivenConfig:
    return GivenConfig("rbln_config.json", "rbln_config.json", {**ARTIFACT, **other}, versions={"optimum_rbln": "0.1"})


def found_in(facts: list[Fact], *files: GivenConfig, batch: int | None = None, **sets: Value) -> RunContext:
    stated = {} if batch is None else {"batch_size": [batch]}
    return in_force(facts, given=files, sets=sets, clues=Clues(stated=stated), parameters=parameters())


def compiling() -> list[Fact]:
    return all_facts(record(COMPILING))


def test_nothing_of_an_artifact_of_another_compile_is_used() -> None:
    other = artifact(kvcache_partition_len=16384, kvcache_block_size=16384, kvcache_num_blocks=20, num_devices=2)
    found = found_in(compiling(), other)
    assert values(found) == {
        "attn_impl": "flash_attn",
        "batch_size": 4,
        "kvcache_partition_len": 8192,
        "max_seq_len": 131072,
    }
    assert found.versions == {}
    numbers = {"file": "rbln_config.json", "unlike": "kvcache_partition_len 16384 / 8192"}
    assert found.noted == (Noted("config.file-of-another-run", numbers),)


def test_an_artifact_that_agrees_fills_in_what_the_log_does_not_say() -> None:
    found = found_in(compiling(), artifact(num_devices=2))
    assert (found.get("num_devices"), found.versions, found.noted) == (2, {"optimum_rbln": "0.1"}, ())


def test_a_block_under_its_other_name_is_the_same_thing() -> None:
    other = GivenConfig("compile.py", "python", {"kvcache_block_size": 16384}, form="optimum-python")
    found = found_in(compiling(), other)
    assert found.get("kvcache_block_size") is None
    assert found.get("kvcache_partition_len") == 8192
    assert [note.numbers["unlike"] for note in found.noted] == ["kvcache_block_size 16384 / kvcache_partition_len 8192"]


def test_an_equal_block_under_its_other_name_is_no_difference() -> None:
    other = GivenConfig("compile.py", "python", {"kvcache_block_size": 8192}, form="optimum-python")
    assert found_in(compiling(), other).noted == ()


@pytest.mark.parametrize("name", ["kvcache_block_size", "kvcache_partition_len"])
def test_the_block_that_is_set_by_hand_is_the_only_one(name: str) -> None:
    config = values(found_in(compiling(), artifact(), **{name: 4096}))
    assert {config.get(key) for key in ("kvcache_block_size", "kvcache_partition_len")} - {None} == {4096}


def test_a_block_taken_away_by_hand_takes_nothing_else_away() -> None:
    assert found_in(compiling(), kvcache_block_size=None).get("kvcache_partition_len") == 8192


def test_one_source_that_contradicts_itself_is_left_to_the_error_it_is() -> None:
    other = GivenConfig("compile.py", "python", {"kvcache_block_size": 4096, "kvcache_partition_len": 8192})
    assert values(found_in([], other)) == {"kvcache_block_size": 4096, "kvcache_partition_len": 8192}


def test_a_value_by_hand_gives_way_to_the_message() -> None:
    found = found_in([], batch=32, batch_size=8)
    assert [(s.value, s.line, s.origin) for s in found.config.values()] == [(32, None, "the message")]
    numbers = {"parameter": "batch_size", "asked": 8, "in_force": 32}
    assert found.noted == (Noted("config.set-differs", numbers),)


def test_where_the_log_says_it_too_its_line_is_shown() -> None:
    found = found_in(compiling(), batch=4, batch_size=8)
    assert found.config["batch_size"].line is not None
    assert found.get("batch_size") == 4


def test_a_value_by_hand_that_the_message_says_too_stays_without_a_word() -> None:
    found = found_in([], batch=8, batch_size=8)
    assert (found.config["batch_size"].origin, found.noted) == ("--set", ())


def test_an_artifact_with_another_batch_than_the_message_is_not_used() -> None:
    found = found_in([], artifact(), batch=32)
    assert [note.entry for note in found.noted] == ["config.file-of-another-run"]
    assert values(found) == {}


def test_what_a_launch_asked_for_in_vain_is_told_once() -> None:
    launch = GivenConfig("run.sh", "shell", {"batch_size": 8}, form="vllm-serve")
    found = found_in(compiling(), launch)
    assert [one.parameter for one in found.overruled] == ["batch_size"]
    assert found.noted == ()


@given(st.dictionaries(st.sampled_from(sorted(ARTIFACT)), st.sampled_from([1, 2, 512, 4096])))
def test_for_any_file_what_the_log_prints_is_in_force(other: dict[str, int]) -> None:
    found = found_in(compiling(), artifact(**other))
    assert {name: found.get(name) for name in ("batch_size", "max_seq_len", "kvcache_partition_len")} == {
        "batch_size": 4,
        "max_seq_len": 131072,
        "kvcache_partition_len": 8192,
    }
    assert found.get("kvcache_block_size") in (None, 8192)
    differs = any(ARTIFACT[name] != value for name, value in other.items())
    assert bool(found.noted) is differs
