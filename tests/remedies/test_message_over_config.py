"""The numbers of a message are newer than a configuration that was printed: what is computed passes the check that
failed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diagnose
from diagnose.model import Remedy, Value
from diagnose.remedies.stated import checked
from tests.remedies.kit import run

MULTIPLE = (
    "`max_seq_len` ({seq}) must be a multiple of `kvcache_partition_len` ({part}) when using 'flash_attn'. "
    "Please adjust either value to meet this requirement."
)
EAGER = (
    "`max_seq_len` is set to {seq}, which exceeds the {family} limit of {limit} for 'eager' attention. Please reduce "
    "the `max_seq_len` to {limit} or lower"
)
COUNT = "The number of devices ({given}) does not match `num_devices` ({count})."
ABOVE = "Decoder batch size ({size}) must be less than or equal to the runtime batch size ({batch})."


def remedies(config: dict[str, Any], message: str) -> tuple[Remedy, ...]:
    log = f"$ python compile.py\nrbln_config = {config!r}\nValueError: {message}\n"
    return diagnose.diagnose_bytes(log.encode()).findings[0].remedies


def after(remedy: Remedy, before: dict[str, Value]) -> dict[str, Value]:
    return {**before, **{c.parameter: c.to for c in remedy.changes}}


def computed(found: tuple[Remedy, ...]) -> list[Remedy]:
    return [r for r in found if r.applicability == "exact" and r.changes]


def passes(state: dict[str, Value], limit: int) -> bool:
    """The check of optimum-rbln 0.12.0 ``validate_attention_method``."""
    seq, part = state["max_seq_len"], state["kvcache_partition_len"]
    assert isinstance(seq, int)
    if part is None:
        return seq <= limit
    assert isinstance(part, int)
    return seq % part == 0 and seq // part >= 2


LENGTHS = st.one_of(
    st.integers(1, 128).map(lambda n: n * 1024), st.integers(64, 300_000), st.sampled_from([24576, 40960, 131072])
)
PARTITIONS = st.one_of(st.integers(1, 8).map(lambda n: n * 4096), st.integers(1, 512).map(lambda n: n * 64))
NPUS = st.sampled_from([("RBLN-CA25", "ATOM", 32768), ("RBLN-CR13", "REBEL", 16384)])
FEW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def printed(draw: st.DrawFn) -> dict[str, Any]:
    config: dict[str, Any] = {"batch_size": draw(st.sampled_from([1, 2, 8]))}
    config |= draw(st.fixed_dictionaries({}, optional={"max_seq_len": LENGTHS, "kvcache_partition_len": PARTITIONS}))
    if draw(st.booleans()) and "kvcache_partition_len" in config:
        config["kvcache_block_size"] = config["kvcache_partition_len"]
    return config


@given(printed(), LENGTHS, PARTITIONS, NPUS)
@FEW
def test_any_change_computed_for_a_length_passes_the_check_whatever_configuration_was_printed(
    config: dict[str, Any], seq: int, part: int, npu: tuple[str, str, int]
) -> None:
    if seq % part == 0 and seq // part >= 2:
        seq += 1
    found = remedies({**config, "npu": npu[0]}, MULTIPLE.format(seq=seq, part=part))
    for remedy in computed(found):
        assert passes(after(remedy, {"max_seq_len": seq, "kvcache_partition_len": part}), npu[2]), remedy


@given(printed(), st.one_of(st.integers(1, 300_000), st.integers(1, 64).map(lambda n: n * 4096)), NPUS)
@FEW
def test_any_change_computed_for_eager_attention_passes_the_check_whatever_configuration_was_printed(
    config: dict[str, Any], more: int, npu: tuple[str, str, int]
) -> None:
    seq = npu[2] + more
    found = remedies({**config, "npu": npu[0]}, EAGER.format(seq=seq, family=npu[1], limit=npu[2]))
    for remedy in computed(found):
        state = after(remedy, {"max_seq_len": seq, "kvcache_partition_len": None})
        assert passes(state, npu[2]), remedy


@given(
    st.lists(st.integers(1, 32), min_size=1, max_size=4, unique=True),
    st.integers(1, 32),
    st.integers(1, 31),
    st.integers(1, 8),
)
@FEW
def test_any_change_computed_for_decoder_sizes_passes_the_check_whatever_list_was_printed(
    listed: list[int], batch: int, said: int, more: int
) -> None:
    size = said + more
    found = remedies({"batch_size": batch, "decoder_batch_sizes": listed}, ABOVE.format(size=size, batch=said))
    for remedy in computed(found):
        state = after(remedy, {"batch_size": said, "decoder_batch_sizes": [size]})
        sizes = state["decoder_batch_sizes"]
        assert max(sizes if isinstance(sizes, list) else [sizes]) == state["batch_size"], remedy


def shown(found: tuple[Remedy, ...]) -> list[tuple[str, Value, Value]]:
    return [(c.parameter, c.from_, c.to) for r in computed(found) for c in r.changes]


def test_a_partition_divides_the_length_of_the_message_and_not_the_printed_one() -> None:
    config = {"max_seq_len": 40960, "kvcache_partition_len": 16384, "npu": "RBLN-CA25"}
    found = remedies(config, MULTIPLE.format(seq=24576, part=16384))
    assert ("kvcache_partition_len", 16384, 12288) in shown(found)
    pasted = "\n".join(text for r in found for text in r.commands.values())
    assert "40_960" not in pasted
    assert "24_576" in pasted


def test_a_list_that_the_message_contradicts_is_neither_changed_nor_shown() -> None:
    config = {"max_seq_len": 98304, "kvcache_partition_len": 16384, "batch_size": 4, "decoder_batch_sizes": [1, 2, 4]}
    found = remedies(config, ABOVE.format(size=16, batch=8))
    assert shown(found) == [("batch_size", 8, 16)]
    assert not any("decoder_batch_sizes" in text for r in found for text in r.commands.values())
    assert ("decoder_batch_sizes",) in [r.missing for r in found]


def test_a_device_list_the_message_is_not_about_is_in_doubt() -> None:
    found = remedies({"num_devices": 8, "device": [0, 1, 2, 3], "npu": "RBLN-CA25"}, COUNT.format(given=8, count=4))
    assert [(r.changes, r.missing) for r in found] == [((), ("device",))]
    assert found[0].doubt is not None
    assert "8 devices" in found[0].doubt.en
    assert "8개" in found[0].doubt.ko


OOM = (
    "$ vllm serve Qwen/Qwen3-VL-2B-Instruct --model-impl transformers --max-model-len 262144 --block-size 8192 "
    "--max-num-seqs 8\n"
    "rbln_config = {{'max_seq_len': 262144, 'kvcache_partition_len': 8192, 'batch_size': 8, 'num_devices': 1, "
    "'kvcache_num_blocks': 256, 'npu': 'RBLN-CR13'}}\n"
    "RBLNCompileError: DRAM OOM: requested {requested} bytes, capacity {capacity} bytes\n"
)


@pytest.mark.parametrize(
    ("requested", "capacity"), [(39163045120, 16000000000), (39163045120, 1), (1, 38654705664), (38654705664,) * 2]
)
def test_no_pool_is_computed_for_an_allocation_that_cannot_have_failed_on_this_npu(
    requested: int, capacity: int
) -> None:
    found = diagnose.diagnose_bytes(OOM.format(requested=requested, capacity=capacity).encode()).findings[0].remedies
    assert not any(c.parameter == "kvcache_num_blocks" and c.to == 150 for r in found for c in r.changes)
    assert any(r.doubt is not None for r in found)


def test_a_pool_is_computed_for_the_capacity_of_the_npu_also_where_it_is_rounded() -> None:
    for requested, capacity in ((39163045120, 38654705664), (39163045120, 38600000000), (38000000000, 37580963840)):
        found = diagnose.diagnose_bytes(OOM.format(requested=requested, capacity=capacity).encode()).findings[0]
        assert not any(r.doubt is not None for r in found.remedies), (requested, capacity)


def test_a_window_of_the_vision_submodule_says_nothing_of_the_language_model() -> None:
    context = run({"max_seq_len": 4096, "kvcache_partition_len": 16384})
    assert checked(context, {"seq_len": 5000, "window": 64}) is context
    assert checked(context, {"seq_len": 4096, "partition_len": 16384}) is context
