"""The memory model against every number that is documented, and against a plain search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.remedies.environment import MissingValue
from diagnose.remedies.facts import family_by_name
from diagnose.remedies.memory import (
    GIB,
    MIB,
    KvShape,
    Pool,
    VllmModel,
    fits,
    from_headroom,
    from_oom,
    measured,
    plan,
    predict,
    vllm_estimate,
)
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, env, run

REBEL_RUN = run(REBEL)
ATOM_RUN = run(ATOM, npu="RBLN-CA25")


def test_the_documented_pools_come_out() -> None:
    rebel, atom = predict(plan(env(context=REBEL_RUN)), 256), predict(plan(env(context=ATOM_RUN)), 128)
    assert (rebel.low, rebel.best, rebel.high) == (146, 150, 154)
    assert (atom.low, atom.best, atom.high) == (65, 69, 70)


def test_weights_and_room_of_a_unit() -> None:
    rebel, atom = plan(env(context=REBEL_RUN)), plan(env(context=ATOM_RUN))
    assert round(rebel.weight_bytes / MIB, 1) == 820.4
    assert round(atom.weight_bytes / MIB, 1) == 410.2
    assert (rebel.available_bytes // MIB, atom.available_bytes // MIB) == (35840, 16096)
    assert rebel.pool.bytes(1) == atom.pool.bytes(1) == 224 * MIB
    assert (rebel.pool.bytes(150) // MIB, atom.pool.bytes(69) // MIB) == (33600, 15456)


def test_an_out_of_memory_message_bounds_the_pool_and_is_not_scaled() -> None:
    rebel = from_oom(plan(env(context=REBEL_RUN)), 256, 39163045120, 38654705664)
    atom = from_oom(plan(env(context=ATOM_RUN)), 128, 17639009280, 17179869184)
    assert rebel is not None
    assert atom is not None
    assert (rebel.upper, rebel.safe, round(rebel.true_bytes / MIB, 1)) == (153, 150, 58852.8)
    assert (atom.upper, atom.safe, round(atom.true_bytes / MIB, 1)) == (69, 67, 29109.9)
    assert round(rebel.base_bytes / MIB, 1) == 1508.8
    assert round(atom.base_bytes / MIB, 1) == 437.9


@pytest.mark.parametrize("requested", [38654705664, 38654705664 + 1025 * MIB, 100])
def test_numbers_of_another_configuration_prove_nothing(requested: int) -> None:
    assert from_oom(plan(env(context=REBEL_RUN)), 256, requested, 38654705664) is None


def test_eleven_and_a_quarter_gib_for_forty_blocks() -> None:
    config = {"kvcache_partition_len": 8192, "batch_size": 8, "num_devices": 4}
    context = run(config, npu="RBLN-CA25", vlm=False, model="Qwen/Qwen3-8B")
    assert plan(env(context=context)).pool.bytes(40) == int(11.25 * GIB)


@pytest.mark.parametrize(
    ("units", "block", "expected", "limit"), [(4, 8192, 40, 64), (1, 16384, 12, 32), (1, 1024, 16, 64)]
)
def test_one_debug_line_gives_the_exact_count(units: int, block: int, expected: int, limit: int) -> None:
    pool = Pool(KvShape(layers=3, kv_heads=4, head_dim=96), block, units)
    room = pool.bytes(expected) + pool.bytes(1) // 3
    for probe in range(expected + 1, limit):
        assert from_headroom(pool, probe, room - pool.bytes(probe), limit) == expected


def test_two_probes_on_a_straight_line_would_be_wrong() -> None:
    pool = Pool(KvShape(layers=2, kv_heads=1, head_dim=64), 1280, 1)  # 160 KiB per block: rounding shows
    room = pool.bytes(40)
    a, b = 60, 80
    slope = (pool.bytes(b) - pool.bytes(a)) / (b - a)
    straight = int(a - (pool.bytes(a) - room) / slope)
    exact = from_headroom(pool, a, room - pool.bytes(a), 100)
    assert pool.bytes(exact) <= room < pool.bytes(exact + 1)
    assert straight != exact


def test_a_debug_line_in_the_run_is_used() -> None:
    pool = plan(env(context=REBEL_RUN)).pool
    left = pool.bytes(151) - 1 - pool.bytes(200)
    found = measured(env(context=run({**REBEL, "measured.kv_probe": [200, left]})), 256)
    assert found is not None
    assert found[0] == 150
    assert measured(env(context=REBEL_RUN), 256) is None


def test_heads_are_repeated_when_there_are_more_units_than_heads() -> None:
    shape = KvShape(layers=28, kv_heads=8, head_dim=128)
    assert Pool(shape, 8192, 16).bytes(7) == Pool(shape, 8192, 8).bytes(7)


def test_a_sliding_cache_does_not_grow_with_the_pool() -> None:
    shape = KvShape(layers=0, kv_heads=4, head_dim=128, sliding_layers=2, sliding_window=1024)
    assert Pool(shape, 8192, 1).bytes(1) == Pool(shape, 8192, 1).bytes(100) > 0


def test_an_fp8_cache_needs_half() -> None:
    half = run({**REBEL, "quantization": {"kv_caches": "fp8"}})
    assert plan(env(context=half)).pool.bytes(10) * 2 == plan(env(context=REBEL_RUN)).pool.bytes(10)


def test_a_budget_cuts_the_room() -> None:
    for value in (0.5, "50%"):
        context = run({**REBEL, "memory_budget": value})
        assert plan(env(context=context)).available_bytes == 35840 * MIB // 2
    given_bytes = run({**REBEL, "memory_budget": "70GB"})
    assert plan(env(context=given_bytes)).available_bytes == 70 * GIB // 4


def test_gpu_memory_utilization_counts_from_vllm_rbln_0_12_only() -> None:
    config = {**REBEL, "memory_budget": 0.5}
    new = run(config, form="vllm-serve", versions={"vllm_rbln": "0.12.0"})
    old = run(config, form="vllm-serve", versions={"vllm_rbln": "0.11.0"})
    assert plan(env(context=new)).available_bytes == 35840 * MIB // 2
    assert plan(env(context=old)).available_bytes == 35840 * MIB


def test_what_is_missing_is_named_all_at_once() -> None:
    with pytest.raises(MissingValue) as missing:
        plan(env(context=run({"num_devices": 1}, npu=None, vlm=False)))
    names = missing.value.names
    assert {"num_hidden_layers", "hidden_size", "kvcache_partition_len", "batch_size", "npu"} <= set(names)


@pytest.mark.parametrize(
    "architecture",
    [{"num_experts": 128}, {"layer_types": ["linear_attention"] * 28}, {"kv_lora_rank": 512}],
)
def test_a_model_that_is_not_dense_is_not_estimated(architecture: dict[str, object]) -> None:
    with pytest.raises(MissingValue):
        plan(env(context=run(REBEL, architecture=architecture)))


def test_layers_with_a_window_are_counted_from_the_layer_list() -> None:
    types = ["sliding_attention", "full_attention"] * 14
    context = run(REBEL, architecture={"layer_types": types, "sliding_window": 4096})
    shape = plan(env(context=context)).pool.shape
    assert (shape.layers, shape.sliding_layers, shape.sliding_window) == (14, 14, 4096)


def test_whether_a_pool_fits_can_be_open() -> None:
    here = plan(env(context=REBEL_RUN))
    assert [fits(here, n) for n in (146, 150, 155)] == [True, None, False]


LLAMA = VllmModel(16_060_522_496, 32, 128256, 4096, 8)


@pytest.mark.parametrize(
    ("family", "devices", "gib"),
    [("ATOM", 1, 0.077), ("ATOM", 2, 14.20), ("ATOM", 4, 42.43), ("ATOM", 8, 98.9), ("REBEL", 1, 114.2)],
)
def test_the_estimate_of_the_vllm_path(family: str, devices: int, gib: float) -> None:
    hardware = family_by_name(KNOWLEDGE, family)
    assert hardware is not None
    found = vllm_estimate(LLAMA, hardware, devices=devices, share=0.93, runtimes=2)
    assert round(found.kernel / GIB, 3) == 14.041
    assert found.available / GIB == pytest.approx(gib, abs=0.06)


SHAPES = st.builds(
    KvShape,
    layers=st.integers(1, 80),
    kv_heads=st.integers(1, 16),
    head_dim=st.sampled_from([64, 96, 128, 256]),
)
POOLS = st.builds(
    Pool, SHAPES, st.sampled_from([1024, 4096, 8192, 16384]), st.sampled_from([1, 2, 4, 8, 16]), st.just(1)
)


@given(POOLS, st.integers(0, 40 * GIB), st.integers(0, 300))
def test_the_largest_pool_of_any_shape_is_the_one_a_plain_search_finds(pool: Pool, room: int, limit: int) -> None:
    plain = next((n for n in range(limit, 0, -1) if pool.bytes(n) <= room), 0)
    assert pool.largest(room, limit) == plain


@given(POOLS, st.integers(1, 200))
def test_the_cache_of_any_shape_never_shrinks_with_more_blocks(pool: Pool, blocks: int) -> None:
    assert pool.bytes(blocks) <= pool.bytes(blocks + 1)


@given(st.integers(30, 256), st.integers(300, 1400))
def test_any_message_of_this_model_bounds_the_pool_from_above(asked: int, base_mib: int) -> None:
    """Tensors allocated one after another, as the driver does: the bound is never below what really fits."""
    here = plan(env(context=REBEL_RUN))
    base = here.weight_bytes + base_mib * MIB
    tensor, capacity = here.pool.tensor_bytes(asked), here.family.unit_capacity
    needed = (capacity - base) // tensor + 1
    if needed > 2 * here.pool.shape.layers:
        return  # this pool fits
    found = from_oom(here, asked, base + needed * tensor, capacity)
    assert found is not None
    assert found.upper >= here.pool.largest(here.available_bytes - base, asked)
    assert found.upper < asked
