"""Where vLLM caches prefixes, a KV block is whole cached pieces: no other block is offered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.model import RunContext, Setting, Value
from diagnose.remedies.constraints import adjust, violations
from tests.remedies.kit import KNOWLEDGE, changes, env, run, solve

LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
RULE = "block-whole-pieces"


def served(config: dict[str, Value] | None = None, npu: str | None = "RBLN-CA25", **more: Any) -> RunContext:
    fields: dict[str, Any] = {"form": "vllm-serve", "path": "optimum", "model": LLAMA, **more}
    return run(config, npu=npu, vlm=False, **fields)


def broken(context: RunContext, **after: Value) -> bool:
    return RULE in {rule.id for rule in violations(after, context, KNOWLEDGE)}


@pytest.mark.parametrize(
    ("npu", "settings", "block", "wrong"),
    [
        ("RBLN-CA25", {}, 8000, True),
        ("RBLN-CA25", {}, 8064, False),
        ("RBLN-CR13", {}, 8320, True),
        ("RBLN-CR13", {}, 8192, False),
        ("RBLN-CA25", {"enable_prefix_caching": True}, 8000, True),
        ("RBLN-CA25", {"enable_prefix_caching": False}, 8000, False),
        ("RBLN-CA25", {"prefill_chunk_size": 256}, 8064, True),
        ("RBLN-CA25", {"prefill_chunk_size": 64}, 8000, False),
        ("RBLN-CA25", {"sub_block_size": 512}, 8064, True),
        ("RBLN-CA25", {"model_impl": "vllm"}, 8000, False),
        (None, {}, 8000, False),
    ],
)
def test_a_block_is_whole_pieces_while_prefixes_are_cached(
    npu: str | None, settings: dict[str, Value], block: int, wrong: bool
) -> None:
    context = served({"max_seq_len": block * 5, **settings}, npu)
    assert broken(context, kvcache_partition_len=block) is wrong


def test_a_block_of_eager_attention_is_the_whole_length() -> None:
    context = served({"max_seq_len": 32768, "attn_impl": "eager"})
    assert broken(context, max_seq_len=10000)
    assert adjust({"max_seq_len": 10000}, context, KNOWLEDGE) == {"max_seq_len": 9984}


@pytest.mark.parametrize(
    "fields",
    [
        {"form": "optimum-python", "path": "optimum"},
        {"form": None, "path": "optimum", "versions": {"optimum_rbln": "0.12.0"}},
        {"path": "vllm"},
        {"model_class": "RBLNGemma3ForCausalLM"},
        {"model_class": "RBLNQwen3Model"},
        {"model_class": "RBLNWhisperForConditionalGeneration"},
        {"versions": {"vllm_rbln": "0.9.1"}},
    ],
)
def test_a_run_that_cannot_cache_prefixes_takes_any_block(fields: dict[str, Any]) -> None:
    assert not broken(served({"max_seq_len": 40000}, **fields), kvcache_partition_len=8000)


def test_a_compile_that_began_with_another_block_shows_that_nothing_is_cached() -> None:
    context = served({"max_seq_len": 40000})
    begun = {"kvcache_partition_len": Setting(8000, 9, "Compiling … with rbln_config")}
    went_on = RunContext(form="vllm-serve", path="optimum", npu="RBLN-CA25", config={**context.config, **begun})
    assert not broken(went_on, kvcache_partition_len=4160, max_seq_len=41600)
    stated = {"enable_prefix_caching": Setting(True, 2, "Initializing … with config")}
    certain = RunContext(form="vllm-serve", path="optimum", npu="RBLN-CA25", config={**went_on.config, **stated})
    assert broken(certain, kvcache_partition_len=4160, max_seq_len=41600)


def test_the_chunk_of_rebel_was_that_of_atom_in_older_plugins() -> None:
    assert env({}, served(npu="RBLN-CR13")).get("cached_piece") == 512
    assert env({}, served(npu="RBLN-CR13", versions={"vllm_rbln": "0.11.0"})).get("cached_piece") == 128


def test_a_length_no_whole_piece_divides_is_kept_without_caching_and_the_reason_is_said() -> None:
    found = solve("partition_for_seq", {}, served({"max_seq_len": 40000}))
    assert found is not None
    assert dict(found.changes) == {"kvcache_partition_len": 8000, "enable_prefix_caching": False}
    assert found.note is not None
    assert "128" in found.note.en
    assert "unless it is turned off" in found.note.en
    stated = solve("partition_for_seq", {}, served({"max_seq_len": 40000, "enable_prefix_caching": True}))
    assert stated is not None
    assert stated.note is not None
    assert "unless it is turned off" not in stated.note.en
    assert solve("partition_for_seq", {}, served({"max_seq_len": 40000}), caching="keep") is None


def test_a_switch_to_flash_keeps_the_length_rather_than_the_cache() -> None:
    found = changes("switch_to_flash", {}, served({"max_seq_len": 40000}))
    assert found == {"kvcache_partition_len": 8000, "enable_prefix_caching": False}


def test_flash_at_a_length_eager_attention_holds_is_not_offered() -> None:
    assert changes("switch_to_flash", {}, run({"max_seq_len": 17000}, npu="RBLN-CR13")) is None


@given(st.integers(2048, 400_000), st.sampled_from(["RBLN-CA25", "RBLN-CR13", None]), st.sampled_from([None, True]))
def test_every_offer_for_a_missing_block_is_one_the_plugin_takes(
    seq: int, npu: str | None, caching: bool | None
) -> None:
    """For any length: a block or another length is offered, and it keeps every rule; where the NPU is not known, on
    both families."""
    settings: dict[str, Value] = {"max_seq_len": seq} | ({} if caching is None else {"enable_prefix_caching": caching})
    context = served(settings, npu)
    offers = [
        changes("eager_block", {}, context),
        changes("partition_for_seq", {}, context, most="default"),
        changes("context_for_blocks", {}, context, direction="down"),
        changes("context_for_blocks", {}, context, direction="up"),
    ]
    made = [offer for offer in offers if offer]
    assert made
    for offer in made:
        for family in ("RBLN-CA25", "RBLN-CR13") if npu is None else (npu,):
            assert not violations(offer, served(settings, family), KNOWLEDGE), (offer, family)
        length = offer.get("max_seq_len", seq)
        block = offer.get("kvcache_partition_len", length)
        assert offer.get("enable_prefix_caching") is False or block % (128 if npu == "RBLN-CA25" else 512) == 0


REQUIRED = """(APIServer pid=9) INFO 11-30 08:01:06 [utils.py:1] non-default args: {'model': '%s', 'max_model_len': %d}
(APIServer pid=9) pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig
(APIServer pid=9)   Value error, `block_size` is required to run optimum-rbln models in vLLM RBLN.
"""


def offered(log: str, **options: Any) -> list[tuple[str, dict[str, Value], str]]:
    root = diagnose_bytes(log.encode(), **options).findings[0]
    return [
        (r.id, {c.parameter: c.to for c in r.changes}, r.commands.get("vllm", ""))
        for r in root.remedies
        if r.applicability == "exact"
    ]


def test_a_missing_block_for_a_length_nothing_divides_gets_another_length() -> None:
    made = offered(REQUIRED % (LLAMA, 40001), npu="RBLN-CA25")
    assert [(name, values["max_seq_len"]) for name, values, _ in made] == [
        ("context-down", 32768),
        ("context-up", 40960),
    ]
    assert made[0][2] == "--max-model-len 32768 --block-size 16384"


def test_a_missing_block_that_cannot_be_cached_turns_caching_off_in_the_same_command() -> None:
    made = {name: command for name, _, command in offered(REQUIRED % (LLAMA, 40000), npu="RBLN-CA25")}
    assert made["flash-block"] == "--block-size 8000 --no-enable-prefix-caching"


def test_an_eager_block_is_written_as_the_length() -> None:
    made = {name: command for name, _, command in offered(REQUIRED % (LLAMA, 16384), npu="RBLN-CA25")}
    assert made["eager-block"] == "--block-size 16384"


def test_a_wrong_piece_is_answered_with_a_block_of_whole_pieces() -> None:
    log = (
        f"INFO 11-30 08:01:06 [api_utils.py:286] non-default args: {{'model': '{LLAMA}', 'max_model_len': 32000, "
        "'block_size': 8000}\npydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig\n"
        "  Value error, kvcache_block_size (8000) is not divisible by sub_block_size (128). Please check\n"
    )
    made = {name: command for name, _, command in offered(log, npu="RBLN-CA25")}
    assert made == {"whole-pieces": "--block-size 16000", "no-prefix-caching": "--no-enable-prefix-caching"}
