"""A change is pasted where it takes effect: a key of vllm-rbln's overrides stands over vLLM's own argument."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diagnose
from diagnose.model import Additional, Change, RunContext, Setting
from diagnose.remedies.forms import commands
from diagnose.remedies.forms.overrides import INSTEAD, OLD_NAME, UNSEEN
from tests.context.log_kit import parameters
from tests.remedies.test_forms import flags

NEW = {"vllm_rbln": "0.12.0"}
PREVIOUS = {"vllm_rbln": "0.11.0"}
FLAG = "--rbln-optimum-overrides"
ARGUMENTS = {
    "max_seq_len": "--max-model-len",
    "batch_size": "--max-num-seqs",
    "kvcache_partition_len": "--block-size",
}


def run(overrides: dict[str, Any], *, versions: dict[str, str] = NEW, **more: Any) -> RunContext:
    config = {"max_seq_len": Setting(32768, 1, "x"), "kvcache_partition_len": Setting(16384, 1, "x")}
    about = Additional(more.pop("section", "optimum_overrides"), overrides, **more)
    return RunContext(config=config, versions=versions, form="vllm-serve", path="optimum", additional=about)


def shown(context: RunContext, *changes: Change) -> dict[str, str]:
    return commands(changes, context, parameters())


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS.items())
def test_a_key_the_plugin_reads_first_is_changed_there_and_the_others_stay(name: str, argument: str) -> None:
    text = shown(run({name: 64, "prefill_chunk_size": 256}), Change(name, 64, 8192))["vllm"]
    assert json.loads(flags(text)[FLAG]) == {name: 8192, "prefill_chunk_size": 256}
    assert argument not in text
    assert INSTEAD in text


@given(
    st.dictionaries(st.sampled_from(["decoder_batch_sizes", "prefill_chunk_size", "custom", "device"]), st.integers(1))
)
@settings(max_examples=40)
def test_any_other_key_survives_a_change_of_the_overrides(others: dict[str, int]) -> None:
    context = run({**others, "batch_size": 32})
    assert json.loads(flags(shown(context, Change("batch_size", 32, 11))["vllm"])[FLAG]) == {**others, "batch_size": 11}


def test_without_such_a_key_the_argument_is_the_way() -> None:
    text = shown(run({"decoder_batch_sizes": [4, 1]}), Change("max_seq_len", 32768, 16384))["vllm"]
    assert text == "--max-model-len 16384"


def test_a_key_that_may_not_differ_from_vllms_goes() -> None:
    text = shown(run({"prefill_chunk_size": 256, "batch_size": 4}), Change("prefill_chunk_size", 256, 512))["vllm"]
    assert '# remove "prefill_chunk_size" from --rbln-optimum-overrides' in text
    assert flags(text)["--max-num-batched-tokens"] == "512"
    assert json.loads(flags(text)[FLAG]) == {"batch_size": 4}


@pytest.mark.parametrize("overrides", [{"batch_size": 8}, {"language_model": {"batch_size": 4}}])
def test_a_key_that_was_not_read_goes_and_the_argument_stands(overrides: dict[str, Any]) -> None:
    text = shown(run(overrides), Change("batch_size", 4, 8))["vllm"]
    assert flags(text)["--max-num-seqs"] == "8"
    assert FLAG not in flags(text)


def test_eager_attention_leaves_no_partition_among_the_overrides() -> None:
    context = run({"kvcache_partition_len": 16384, "attn_impl": "flash_attn", "batch_size": 4})
    text = shown(context, Change("attn_impl", "flash_attn", "eager"))["vllm"]
    assert flags(text)["--block-size"] == "32768"
    assert json.loads(flags(text)[FLAG]) == {"batch_size": 4}


def test_an_older_plugin_gets_its_whole_additional_config_again() -> None:
    context = run({"max_seq_len": 64, "batch_size": 4}, versions=PREVIOUS, section="rbln_config", other={"a": 1})
    found = flags(shown(context, Change("max_seq_len", 64, 32))["vllm"])
    assert json.loads(found["--additional-config"]) == {"a": 1, "rbln_config": {"max_seq_len": 32, "batch_size": 4}}


def test_the_old_name_of_the_section_and_unseen_keys_are_said() -> None:
    text = shown(run({"batch_size": 4}, section="rbln_config", partly=True), Change("batch_size", 4, 2))["vllm"]
    assert OLD_NAME in text
    assert UNSEEN in text


def test_the_call_shows_the_change_where_the_key_stands() -> None:
    text = shown(run({"max_seq_len": 64}), Change("max_seq_len", 64, 32))["llm"]
    assert '"max_seq_len": 64' in text
    assert '"max_seq_len": 32' in text
    assert "max_model_len" not in text


TIMEOUT = (
    "(APIServer pid=1) INFO 11-30 08:01:06 [api_utils.py:286] non-default args: {{'model_tag': '{model}', "
    "'model': '{model}'}}\n{more}"
    "(EngineCore pid=2) ERROR 11-30 09:10:00 [core.py:1180] RuntimeError: (System) code=502 SYS_BUSY: user-defined "
    "timeout exceeded (code: -110)\n"
)


def test_no_timeout_is_offered_where_the_plugin_drops_it() -> None:
    found = diagnose.diagnose_bytes(TIMEOUT.format(model="./compiled", more="").encode())
    assert [r.id for r in found.findings[0].remedies] == ["shorter-steps"]
    compiled = "(EngineCore pid=2) 2026-11-30 08:01:35,186 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0\n"
    found = diagnose.diagnose_bytes(TIMEOUT.format(model="a/b", more=compiled).encode())
    assert [r.id for r in found.findings[0].remedies] == ["raise-timeout-compile", "shorter-steps"]


LOAD = """+ cat load.py
model = RBLNAutoModelForCausalLM.from_pretrained(
    "m",
    export={export},
)
+ python load.py
RuntimeError: Failed to create RBLN runtime: (System) code=511 SYS_EBUSY: Lack of device memory. (code: -16)
"""


@pytest.mark.parametrize(("export", "offered"), [(False, False), (True, True)])
def test_a_script_that_only_loads_is_not_told_to_compile_only(export: bool, offered: bool) -> None:
    found = diagnose.diagnose_bytes(LOAD.format(export=export).encode()).findings[0]
    assert found.entry == "runtime.create-failed"
    assert any(r.id == "compile-without-runtimes" for r in found.remedies) is offered
