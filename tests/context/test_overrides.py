"""What stands among vllm-rbln's overrides: kept as written, cited as the source, known to be incomplete."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.in_force import in_force
from diagnose.context.overrides import MOST_NESTED, additional_in, leaves
from diagnose.model import Record, RunContext
from tests.context.log_kit import all_facts, parameters, raw, record

COMPILING = 'Compiling m via optimum-rbln (RBLNLlamaForCausalLM) with rbln_config:\n{{\n  "max_seq_len": {0}\n}}'


def context(*records: Record, **more: Any) -> RunContext:
    return in_force(all_facts(*records), parameters=parameters(), **more)


def asked(additional: object) -> Record:
    return record(f"non-default args: {{'model': 'm', 'max_model_len': 32768, 'additional_config': {additional!r}}}")


@pytest.mark.parametrize("section", ["optimum_overrides", "rbln_config"])
def test_a_value_of_the_overrides_is_cited_from_there(section: str) -> None:
    got = context(asked({section: {"max_seq_len": 131072}}), record(COMPILING.format(131072), line=9))
    setting = got.config["max_seq_len"]
    assert (setting.value, setting.line, setting.origin) == (131072, 1, "non-default args, overrides")
    assert got.additional.section == section


def test_another_value_in_force_is_cited_from_where_it_came() -> None:
    got = context(asked({"optimum_overrides": {"max_seq_len": 131072}}), record(COMPILING.format(4096), line=9))
    assert got.config["max_seq_len"].origin == "Compiling … with rbln_config"


@pytest.mark.parametrize(
    "said",
    [
        asked({"sub_block_size": 128, "optimum_overrides": {"timeout": 5}}),
        record("RBLN config: {'sub_block_size': 128, 'optimum_overrides': {'timeout': 5}}"),
        raw("$ vllm serve m --rbln-sub-block-size 128 --rbln-optimum-overrides '{\"timeout\": 5}'"),
    ],
)
def test_the_keys_are_kept_as_they_were_written(said: Record) -> None:
    got = context(said).additional
    assert (got.overrides, got.other, got.partly) == ({"timeout": 5}, {"sub_block_size": 128}, False)


def test_what_only_a_line_of_the_plugin_tells_is_known_in_part() -> None:
    got = context(record("Setting max_num_seqs to 32 based on additional_config.optimum_overrides")).additional
    assert (got.overrides, got.partly) == ({"batch_size": 32}, True)
    cut = context(record("non-default args: {'additional_config': {'optimum_overrides': {'batch_size': 32, 'pref"))
    assert cut.additional.partly


def test_a_secret_is_not_kept() -> None:
    assert additional_in({"additional_config": {"token": "a", "optimum_overrides": {"hf_token": "b"}}}) == {
        "optimum_overrides": {}
    }


def test_dicts_deeper_than_any_configuration_are_left_out() -> None:
    deep: dict[str, Any] = {"batch_size": 1}
    for _ in range(MOST_NESTED):
        deep = {"a": deep}
    assert "batch_size" not in str(additional_in({"additional_config": deep}))
    assert "batch_size" in str(additional_in({"additional_config": deep["a"]}))


@given(st.recursive(st.integers(), lambda inner: st.dictionaries(st.sampled_from("abcdef"), inner, max_size=3)))
def test_any_overrides_are_taken_apart_without_loss(tree: Any) -> None:
    values = tree if isinstance(tree, dict) else {"a": tree}
    found = {leaf.path: leaf.value for leaf in leaves(values, parameters())}
    for path, value in found.items():
        level: Any = values
        for key in path:
            level = level[key]
        assert level == value
