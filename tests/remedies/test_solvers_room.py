"""What is offered when something has no room: pools that grow along, readable budgets, the vLLM path's estimate."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from diagnose.context.sets import parse_set
from diagnose.model import InputError
from diagnose.remedies import prescribe
from diagnose.remedies.facts import limits_of
from diagnose.remedies.release import version_of
from diagnose.remedies.solvers.devices import fitted
from tests.remedies.kit import KNOWLEDGE, changes, entry, run, solve, spec

SMALL: dict[str, Any] = {"max_seq_len": 2048, "kvcache_partition_len": 1024, "batch_size": 4}
QWEN: dict[str, Any] = {"model": "Qwen/Qwen3-8B", "max_seq_len": 32768, "memory_budget": 0.05, "num_devices": 1}


@given(parts=st.integers(2, 40), batch=st.integers(1, 16), over=st.integers(1, 9000), set_=st.booleans())
def test_any_longer_context_holds_the_input_and_takes_a_set_pool_along(
    parts: int, batch: int, over: int, set_: bool
) -> None:
    seq = parts * 1024
    config = {**SMALL, "max_seq_len": seq, "batch_size": batch} | (
        {"kvcache_num_blocks": parts * batch} if set_ else {}
    )
    found = changes("context_for_request", {"input_len": seq + over, "seq_compiled": seq}, run(config, vlm=False))
    assert found is not None
    assert found["max_seq_len"] - 1024 < seq + over + 1 <= found["max_seq_len"]
    assert found.get("kvcache_num_blocks") == (found["max_seq_len"] // 1024 * batch if set_ else None)


@given(rows=st.integers(1, 32), batch=st.integers(1, 32), set_=st.booleans())
def test_any_batch_of_a_call_takes_a_set_pool_along(rows: int, batch: int, set_: bool) -> None:
    assume(rows != batch)
    config = {**SMALL, "batch_size": batch} | ({"kvcache_num_blocks": 2 * batch} if set_ else {})
    found = changes("batch_for_rows", {"rows": rows, "batch_compiled": batch}, run(config, vlm=False))
    assert found is not None
    assert found["batch_size"] == rows
    assert found.get("kvcache_num_blocks") == (2 * rows if set_ and rows > batch else None)


def test_a_request_that_ran_over_is_shortened_by_what_is_over() -> None:
    context = run({**SMALL, "max_new_tokens": 512, "request_tokens": 2300}, vlm=False)
    assert changes("fewer_new_tokens", {"seq_compiled": 2048}, context) == {"max_new_tokens": 260}
    assert changes("fewer_new_tokens", {"seq_compiled": 2048}, run({**SMALL, "max_new_tokens": 8}, vlm=False)) == {}


@pytest.mark.parametrize(
    ("written", "meant"),
    [("0.8", 0.8), (".5", 0.5), ("10G", "10GB"), ("10GiB", "10GB"), ("10.5GB", 11274289152), ("1.5 mb", 1572864)],
)
def test_a_budget_is_written_as_it_was_meant(written: str, meant: Any) -> None:
    assert changes("readable_budget", {"budget": written}) == {"memory_budget": meant}


@pytest.mark.parametrize("written", ["ten", "", "1.2.3GB", "GB", "-5GB", "8.0", "10GB"])
def test_a_budget_nobody_can_read_gives_no_value(written: str) -> None:
    assert changes("readable_budget", {"budget": written}) is None


# --------------------------------------------------------------------------- the vLLM path's own estimate


def test_the_share_is_the_smallest_that_leaves_room_for_one_request() -> None:
    context = run(QWEN, npu="RBLN-CR13", vlm=False)
    found = changes("vllm_raise_share", {}, context)
    assert found == {"memory_budget": 0.15}
    again = run({**QWEN, "memory_budget": 0.14}, npu="RBLN-CR13", vlm=False)
    assert changes("vllm_raise_share", {}, again) == found
    assert changes("vllm_raise_share", {}, run({**QWEN, "memory_budget": 0.9}, npu="RBLN-CA25", vlm=False)) is None


def test_devices_are_doubled_until_the_request_fits_and_not_beyond_those_there_are() -> None:
    config = {**QWEN, "memory_budget": 0.4}
    assert changes("vllm_more_devices", {}, run(config, npu="RBLN-CA25", vlm=False)) == {"num_devices": 4}
    few = run({**config, "devices_available": 2}, npu="RBLN-CA25", vlm=False)
    assert changes("vllm_more_devices", {}, few) is None
    assert changes("vllm_more_devices", {}, run(config, npu="RBLN-CR13", vlm=False)) is None


def test_an_estimate_without_the_models_numbers_is_asked_for() -> None:
    context = run({"memory_budget": 0.5, "num_devices": 1}, npu="RBLN-CA25", vlm=False)
    solution = solve("vllm_more_devices", {}, context)
    assert solution is not None
    assert (solution.applicability, dict(solution.changes)) == ("needs-value", {})


# --------------------------------------------------------------------------- values that are wrong by themselves


def test_a_batch_of_zero_is_refused_where_it_is_typed() -> None:
    with pytest.raises(InputError):
        parse_set("batch_size=0", KNOWLEDGE.parameters)


@pytest.mark.parametrize(
    ("config", "part"),
    [
        ({"max_seq_len": 1600, "kvcache_partition_len": 100, "batch_size": 8}, "kvcache_partition_len = 100"),
        ({"max_seq_len": 262144, "kvcache_partition_len": 16384, "batch_size": 0}, "`batch_size` = 0"),
    ],
)
def test_a_value_that_lets_nothing_be_computed_is_named(config: dict[str, Any], part: str) -> None:
    numbers = {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}
    context = run(config, npu="RBLN-CA25", vlm=False)
    (remedy,) = prescribe(entry(spec(solver="kv_shorter_context")), numbers, context, KNOWLEDGE)
    assert (remedy.changes, remedy.applicability) == ((), "advice")
    assert remedy.side_effect is not None
    assert part in remedy.side_effect.en
    assert part in remedy.side_effect.ko


# --------------------------------------------------------------------------- what the release and the log show


@pytest.mark.parametrize(
    ("versions", "newest", "least"),
    [
        ({"optimum_rbln_max": "0.10.4"}, "0.10.4", 4096),
        ({"vllm_rbln_min": "0.11.0", "vllm_rbln_max": "0.11.1"}, "0.11.1", 4096),
        ({"vllm_rbln": "0.11.1", "optimum_rbln_max": "0.10.4"}, "0.11.1", 1024),
        ({}, None, 1024),
    ],
)
def test_a_range_of_releases_tightens_the_partition_minimum(versions: Any, newest: Any, least: int) -> None:
    context = run(SMALL, npu="RBLN-CA25", versions=versions)
    limits = limits_of(KNOWLEDGE, context, "ATOM")
    assert limits is not None
    assert (version_of(context, "optimum_rbln"), limits.partition_min) == (newest, least)


def test_ids_the_log_does_not_show_are_offered_with_their_condition() -> None:
    numbers = {"devices_given": 2, "num_devices": 4}
    unseen = solve("device_list_for_num_devices", numbers, run({"device": [0, 1], "num_devices": 4}, vlm=False))
    assert unseen is not None
    assert unseen.applicability == "estimate"
    assert unseen.bound is not None
    assert "at least 4 NPUs" in unseen.bound.en
    there = run({"device": [0, 1], "num_devices": 4, "devices_available": 4}, vlm=False)
    shown = solve("device_list_for_num_devices", numbers, there)
    assert shown is not None
    assert (shown.applicability, dict(shown.changes)) == ("exact", {"device": [0, 1, 2, 3]})


@given(st.lists(st.integers(0, 15), max_size=12), st.integers(1, 12), st.integers(1, 16))
def test_any_completed_list_stays_within_the_devices_there_are(devices: list[int], count: int, there: int) -> None:
    found = fitted(devices, count, there)
    if count > there:
        assert found is None
        return
    listed = found if isinstance(found, list) else [found]
    assert len(set(listed)) == count
    assert all(isinstance(d, int) and 0 <= d < there for d in listed)


UNITS = {
    "0:0": {"total": 1000, "base": 100, "per_block": 50},
    "0:1": {"total": 1000, "base": 300, "per_block": 40},
}


@given(st.integers(1, 40))
def test_any_share_for_the_dynamic_cache_fits_the_tightest_chiplet_and_no_smaller_percent_does(need: int) -> None:
    context = run({"measured.dynamic_kv_units": UNITS, "memory_budget": 0.01}, vlm=False)
    found = changes("dynamic_kv_share", {"needed_blocks": need}, context)

    def fits(percent: int) -> bool:
        return all(u["total"] * percent / 100 >= u["base"] + need * u["per_block"] for u in UNITS.values())

    if found is None:
        assert not fits(100)
        return
    percent = round(found["memory_budget"] * 100)
    assert fits(percent)
    assert not fits(percent - 1)


def test_without_the_figures_of_the_chiplets_the_formula_is_shown() -> None:
    solution = solve("dynamic_kv_share", {"needed_blocks": 17}, run({}, vlm=False))
    assert solution is not None
    assert (solution.applicability, solution.arithmetic) == ("advice", "(base + 17 * per_block) / total")
