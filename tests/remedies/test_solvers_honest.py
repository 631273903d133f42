"""What the solvers of the block pool may claim: from the message, from the model, from a configuration seen whole."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.model import RunContext, Text
from diagnose.remedies import prescribe
from diagnose.remedies.constraints import adjust
from diagnose.remedies.memory import plan, predict
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, changes, entry, env, run, solve, spec

LLAMA: dict[str, Any] = {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 4, "num_devices": 4}


def llama(config: dict[str, Any] | None = None, **more: Any) -> RunContext:
    return run(
        {**LLAMA, **(config or {})}, npu="RBLN-CA25", vlm=False, model="meta-llama/Llama-3.1-8B-Instruct", **more
    )


def english(text: Text | None) -> str:
    assert text is not None
    return text.en


# --------------------------------------------------------------------------- the minimum and its release


def test_a_minimum_of_the_older_formula_proves_the_older_release() -> None:
    context = llama({"batch_size": 16, "kvcache_num_blocks": 8})
    numbers = {"blocks_set": 8, "blocks_min": 9}
    (remedy,) = prescribe(entry(spec(solver="kv_minimum")), numbers, context, KNOWLEDGE)
    assert [c.to for c in remedy.changes] == [9]
    assert remedy.arithmetic.startswith("min_blocks = 131072/16384 + 1 = 9")


def test_a_minimum_both_formulas_give_proves_nothing() -> None:
    from diagnose.remedies.proof import with_proven_release

    assert with_proven_release(llama(), {"blocks_min": 9}, KNOWLEDGE).versions == {}


# --------------------------------------------------------------------------- an exhausted pool


@pytest.mark.parametrize("config", [{}, {"kvcache_num_blocks": 150}])
def test_the_largest_pool_is_not_enlarged_but_its_limits_are_said(config: Any) -> None:
    context = run({**REBEL, **config}, defaults_known=True)
    assert solve("kv_full_or_fitting_pool", {}, context) is None
    solution = solve("kv_largest_already", {}, context)
    assert solution is not None
    assert solution.applicability == "advice"
    for part in ("= 33", "= 256", "= 150 < 256"):
        assert part in solution.arithmetic
    assert "33 to 256 blocks, but 256 do not fit" in english(solution.bound)


def test_an_automatic_pool_that_is_full_cannot_be_larger() -> None:
    context = run({**REBEL, "max_seq_len": 32768}, defaults_known=True)
    assert solve("kv_full_or_fitting_pool", {}, context) is None
    assert "all 32 fit" in english(getattr(solve("kv_largest_already", {}, context), "bound", None))


def test_an_automatic_pool_of_an_unknown_model_is_not_set_to_the_full_count() -> None:
    """256 is the documented out of memory."""
    context = run(REBEL, vlm=False, defaults_known=True)
    assert solve("kv_full_or_fitting_pool", {}, context) is None
    solution = solve("kv_largest_already", {}, context)
    assert solution is not None
    assert "valid range 33..256" in solution.arithmetic


def test_eager_attention_has_one_block_per_row() -> None:
    config = {"max_seq_len": 8192, "batch_size": 4, "num_devices": 4, "kvcache_num_blocks": 1}
    context = run(config, npu="RBLN-CA22", vlm=False, defaults_known=True)
    assert changes("kv_full_or_fitting_pool", {}, context) == {"kvcache_num_blocks": 4}
    served = solve("serve_with_vllm", {}, run(config, npu="RBLN-CA22", defaults_known=True))
    assert served is not None
    assert "--block-size 8192" in served.commands["vllm"]
    assert served.applicability == "exact"
    unseen = solve("serve_with_vllm", {}, run(config, npu="RBLN-CA22"))
    assert unseen is not None
    assert (unseen.applicability, unseen.missing) == ("needs-value", ("kvcache_partition_len",))


# --------------------------------------------------------------------------- out of DRAM


def test_a_pool_that_fits_by_the_model_is_not_left_to_the_library() -> None:
    context = run({**REBEL, "kvcache_num_blocks": 100})
    assert solve("kv_automatic_pool", {}, context) is None
    assert "100 blocks fit" in english(getattr(solve("kv_pool_fits_already", {}, context), "bound", None))
    too_large = run({**REBEL, "kvcache_num_blocks": 256})
    assert changes("kv_automatic_pool", {}, too_large) == {"kvcache_num_blocks": None}
    assert solve("kv_pool_fits_already", {}, too_large) is None


def test_a_minimum_that_does_not_fit_is_said_and_not_left_to_the_library() -> None:
    context = run(
        {"max_seq_len": 131072, "kvcache_partition_len": 8192, "batch_size": 2, "kvcache_num_blocks": 32},
        vlm=False,
        model="meta-llama/Llama-3.3-70B-Instruct",
        defaults_known=True,
    )
    (remedy,) = prescribe(
        entry(spec("unset", solver="kv_automatic_pool"), spec("said", solver="kv_no_pool_fits")), {}, context, KNOWLEDGE
    )
    assert remedy.id == "said"
    assert "17 are the minimum" in english(remedy.bound)


def test_without_a_configuration_the_pool_set_by_hand_is_named_first() -> None:
    solution = solve("kv_automatic_pool", {}, run({"num_devices": 8}, npu="RBLN-CA25"), unseen="offer")
    assert solution is not None
    assert (solution.applicability, dict(solution.changes)) == ("estimate", {})
    assert solve("kv_automatic_pool", {}, run({"num_devices": 8}, npu="RBLN-CA25")) is None


def test_a_clipped_number_is_shown_as_the_smaller_of_two() -> None:
    context = llama({"max_seq_len": 81920, "batch_size": 1, "kvcache_num_blocks": 9})
    solution = solve("kv_pool_that_fits", {}, context)
    assert solution is not None
    assert solution.arithmetic.startswith("min(floor((16,096 - 14,314.5/4 - 128) MiB / 512 MiB), 5) = 5;")


def test_a_full_count_that_does_not_fit_only_ends_the_warning() -> None:
    solution = solve("kv_full", {"blocks_set": 300, "blocks_full": 256}, run(REBEL))
    assert solution is not None
    assert dict(solution.changes) == {"kvcache_num_blocks": 256}
    assert solution.applicability == "estimate"
    assert "about 150 of these 256" in english(solution.bound)


# --------------------------------------------------------------------------- too little memory


@pytest.mark.parametrize(
    ("have", "need", "config", "expected"),
    [
        (3, 9, {"max_seq_len": 40960, "kvcache_partition_len": 8192, "batch_size": 8}, (16384, 2)),
        (9, 17, {"max_seq_len": 131072, "kvcache_partition_len": 8192, "batch_size": 16}, (65536, 8)),
        (2, 9, {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 4}, (32768, 1)),
        (7, 9, {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 4}, None),
        (1, 9, {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 4}, None),
    ],
)
def test_a_shorter_context_and_a_smaller_batch_together(have: int, need: int, config: Any, expected: Any) -> None:
    numbers = {"available_blocks": have, "required_blocks": need, "batch_size": config["batch_size"]}
    found = changes("kv_context_and_batch", numbers, run(config, npu="RBLN-CA25", vlm=False))
    assert found == (None if expected is None else {"max_seq_len": expected[0], "batch_size": expected[1]})


def test_one_byte_of_budget_becomes_the_share_the_minimum_needs() -> None:
    numbers = {"available_blocks": 1, "required_blocks": 9, "batch_size": 4}
    (remedy,) = prescribe(entry(spec(solver="kv_raise_budget")), numbers, llama({"memory_budget": 1}), KNOWLEDGE)
    assert [c.from_ for c in remedy.changes] == [1]
    share = remedy.changes[0].to
    assert isinstance(share, float)
    before = predict(plan(env({}, llama({"memory_budget": share - 0.01}))), 9)
    after = predict(plan(env({}, llama({"memory_budget": share}))), 9)
    assert before.low < 9 <= after.low


def test_one_byte_is_not_all() -> None:
    numbers = {"available_blocks": 1, "required_blocks": 9, "batch_size": 4}
    context = run({**LLAMA, "memory_budget": 1}, npu="RBLN-CA25", vlm=False)
    (remedy,) = prescribe(entry(spec(solver="kv_raise_budget")), numbers, context, KNOWLEDGE)
    assert [(c.from_, c.to) for c in remedy.changes] == [(1, 1.0)]
    assert isinstance(remedy.changes[0].to, float)


def test_what_more_devices_rest_on_is_said_as_it_is() -> None:
    fits = solve("kv_more_devices", {}, llama())
    assert "9 blocks fit 4 devices already" in english(getattr(fits, "bound", None))
    pool = solve("kv_more_devices", {}, llama({"kvcache_num_blocks": 32}))
    assert "a pool of 32 blocks" in english(getattr(pool, "bound", None))
    unknown = solve("kv_more_devices", {}, run(LLAMA, npu="RBLN-CA25", vlm=False))
    assert unknown is not None
    assert (unknown.applicability, unknown.changes) == ("needs-value", {})
    assert "num_hidden_layers" in unknown.missing


@pytest.mark.parametrize(("have", "devices"), [(6, 8), (5, 8), (3, None), (1, None)])
def test_without_the_models_numbers_blocks_grow_with_the_devices_up_to_the_heads(have: int, devices: int) -> None:
    numbers = {"available_blocks": have, "required_blocks": 9, "batch_size": 4}
    solution = solve("kv_more_devices", numbers, run({**LLAMA, "num_devices": 4}, npu="RBLN-CA25", vlm=False))
    assert solution is not None
    assert solution.changes.get("num_devices") == devices
    assert solution.applicability == ("estimate" if devices else "needs-value")


def test_a_pool_no_number_of_devices_holds_gives_way_to_the_minimum() -> None:
    context = llama({"num_devices": 2, "batch_size": 8, "kvcache_num_blocks": 64})
    assert changes("kv_more_devices", {}, context) == {"num_devices": 4, "kvcache_num_blocks": None}


def test_the_careful_value_is_one_of_the_parameter_and_not_a_number_of_blocks() -> None:
    config = {**ATOM, "num_devices": 2, "batch_size": 1, "max_seq_len": 524288}
    solution = solve("kv_shorter_context", {}, run(config, npu="RBLN-CA25"))
    assert solution is not None
    text = english(solution.bound)
    careful = int(text.rsplit("take ", 1)[1].rstrip("."))
    assert careful % 16384 == 0
    assert careful < solution.changes["max_seq_len"]


def test_a_number_the_failure_refutes_is_not_called_the_models() -> None:
    solution = solve("kv_shorter_context", {}, llama(versions={"optimum_rbln": "0.10.4"}))
    assert solution is not None
    assert dict(solution.changes) == {"max_seq_len": 114688}
    assert "alone says 22 to 24 blocks" in english(solution.bound)


@pytest.mark.parametrize(
    ("context", "part"),
    [
        (run({**REBEL, "batch_size": 1}), "131072/262144"),
        (run({**REBEL, "batch_size": 64}), "16384/262144"),
        (run(REBEL), "no more than one full-length sequence"),
        (llama(), "what else is on the device"),
    ],
)
def test_the_text_about_a_smaller_cache_is_true(context: RunContext, part: str) -> None:
    assert part in english(getattr(solve("context_for_one_device", {}, context), "bound", None))


# --------------------------------------------------------------------------- what was not seen


def test_defaults_are_facts_only_where_the_configuration_was_seen_whole() -> None:
    config = {"max_seq_len": 65536, "kvcache_partition_len": 16384, "visual.max_seq_len": 16384}
    both = entry(spec("apart", solver="disjoint_devices"), spec("shorter", solver="context_for_one_device"))
    unseen = prescribe(both, {}, run(config, npu="RBLN-CA25"), KNOWLEDGE)
    assert {r.id: (r.applicability, r.missing) for r in unseen} == {
        "apart": ("needs-value", ("num_devices",)),
        "shorter": ("needs-value", ("batch_size",)),
    }
    seen = prescribe(both, {}, run(config, npu="RBLN-CA25", defaults_known=True), KNOWLEDGE)
    assert {r.id: r.changes[0].to for r in seen} == {"apart": 0, "shorter": 32768}
    rebel = prescribe(both, {}, run(config), KNOWLEDGE)
    assert next(r for r in rebel if r.id == "apart").changes[0].to == 0


def test_a_default_is_the_one_of_the_release_a_sister_package_tells() -> None:
    config = {"max_seq_len": 131072, "batch_size": 16, "attn_impl": "flash_attn"}
    numbers = {"available_blocks": 12, "required_blocks": 17, "batch_size": 16}
    context = run(config, vlm=False, versions={"rebel_compiler": "0.11.1"})
    (remedy,) = prescribe(entry(spec(solver="kv_smaller_batch")), numbers, context, KNOWLEDGE)
    assert remedy.arithmetic == "max(131072/16384, 11) + 1 = 12 <= 12"


def test_the_limit_of_the_model_binds_a_server_and_no_script() -> None:
    config = {"max_seq_len": 40000, "kvcache_partition_len": 16384, "batch_size": 1, "num_devices": 4}
    served = {"npu": "RBLN-CA25", "vlm": False, "model": "Qwen/Qwen3-8B", "form": "vllm-serve"}
    script = {**served, "form": "optimum-python"}
    assert adjust({"max_seq_len": 49152}, run(config, **script), KNOWLEDGE) == {"max_seq_len": 49152}
    assert adjust({"max_seq_len": 49152}, run(config, **served), KNOWLEDGE) == {"max_seq_len": 32768}
    beyond = run({**config, "max_seq_len": 262144}, **served)
    assert adjust({"max_seq_len": 163840}, beyond, KNOWLEDGE) == {"max_seq_len": 163840}


def test_lengths_that_abort_the_compiler_of_older_releases_on_rebel() -> None:
    old = {"versions": {"optimum_rbln": "0.11.1"}, "defaults_known": True, "vlm": False}
    eager = run({"max_seq_len": 32768, "batch_size": 1}, **old)
    assert changes("below_compiler_limit", {}, eager) == {"kvcache_partition_len": 16384}
    assert changes("below_compiler_limit", {}, eager, change="length") == {"max_seq_len": 16384}
    assert solve("below_compiler_limit", {}, run({"max_seq_len": 16384, "batch_size": 1}, **old)) is None
    assert solve("below_compiler_limit", {}, run({"max_seq_len": 32768}, **{**old, "npu": "RBLN-CA25"})) is None
    flash = run({"max_seq_len": 131072, "kvcache_partition_len": 32768}, **old)
    assert changes("below_compiler_limit", {}, flash) == {"kvcache_partition_len": 16384}
