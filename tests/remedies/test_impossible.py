"""Damaged and made-up numbers: no solver and no expression fails on them, and nothing impossible is offered."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnose.knowledge import load
from diagnose.knowledge.schema import Entry, Knowledge
from diagnose.model import RunContext, Value
from diagnose.remedies import prescribe
from diagnose.remedies.plausible import outside
from diagnose.remedies.solvers import SOLVERS
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, run, solve

STRANGE = (-5, 0, 1, 7, 10**12, 10**25)
NAMES = (
    *("available_blocks", "required_blocks", "batch_size", "blocks_set", "blocks_min", "blocks_full", "seq_len"),
    *("requested_bytes", "capacity_bytes", "required_patches", "partition_len", "partition_lo", "partition_hi"),
    *("chunk", "soft_tokens", "decoder_batch", "runtime_batch", "devices_given", "num_devices", "limit", "block_size"),
    *("request_tokens", "max_seq_len", "kvcache_num_blocks", "devices_available"),
)
LISTS = ("available_patches", "chunks", "image_prefill_chunk_size", "decoder_batch_sizes")
VALUE = st.sampled_from(STRANGE)
NUMBERS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(NAMES, VALUE),
        **dict.fromkeys(LISTS, st.lists(VALUE, min_size=1, max_size=3)),
    },
)
GEMMA = run({"visual.max_soft_tokens": [280, 1120]}, vlm=False, model_class="RBLNGemma4ForConditionalGeneration")
RUNS = (
    RunContext(),
    run(REBEL),
    run({**ATOM, "kvcache_num_blocks": 128}, npu="RBLN-CA25"),
    run({"max_seq_len": 32768}, npu="RBLN-CA25", vlm=False),
    GEMMA,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(SOLVERS)), NUMBERS, st.sampled_from(RUNS))
def test_no_solver_fails_on_any_number(name: str, numbers: dict[str, Any], context: RunContext) -> None:
    solve(name, numbers, context)


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_no_solver_fails_on_one_number_everywhere(name: str, value: int) -> None:
    numbers: dict[str, Value] = {**dict.fromkeys(NAMES, value), **{n: [value] for n in LISTS}}
    for context in RUNS:
        solve(name, numbers, context)
        for one in (*NAMES, *LISTS):
            solve(name, {one: numbers[one]}, context)


@pytest.mark.parametrize("value", ["auto", "\x82262144", [4096], ["x"]], ids=repr)
@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_no_solver_fails_on_a_setting_that_is_no_number(name: str, value: Value) -> None:
    """As a log with damaged bytes shows it."""
    for kept in (REBEL, {**ATOM, "kvcache_num_blocks": 128}):
        for one in kept:
            solve(name, {}, run({**kept, one: value}))
        solve(name, {}, run(dict.fromkeys(kept, value)))


@cache
def knowledge() -> Knowledge:
    return load()


def captured(entry: Entry) -> dict[str, str]:
    return dict(chain.from_iterable(s.types.items() for s in entry.signatures))


def offered(entry: Entry, numbers: dict[str, Any], context: RunContext) -> None:
    for remedy in prescribe(entry, numbers, context, knowledge()):
        for change in remedy.changes:
            assert outside(KNOWLEDGE.parameters, {change.parameter: change.to}) is None, (entry.id, remedy.id, change)
            for number in change.to if isinstance(change.to, list) else [change.to]:
                small = isinstance(number, int) and number < (10**11 if change.parameter != "memory_budget" else 2**50)
                assert small or not isinstance(number, int), (entry.id, change)


@pytest.mark.parametrize("value", STRANGE)
def test_no_entry_offers_what_cannot_be(value: int) -> None:
    for entry in knowledge().entries.values():
        if not any(r.set or r.solver for r in entry.remedies):
            continue
        types = captured(entry)
        numbers: dict[str, Value] = {n: value for n, t in types.items() if t in ("int", "bytes", "float")}
        numbers |= {n: [value] for n, t in types.items() if t in ("ints", "shape")}
        for context in RUNS[:3]:
            offered(entry, numbers, context)


@pytest.mark.parametrize(
    ("id_", "numbers"),
    [
        ("serve.image-above-bucket", {"run_tokens": 0}),
        ("gemma4.chunk-too-small", {"chunk": 0, "soft_tokens": 0}),
        ("block.sub-block-invalid-vllm-path", {"batched_tokens": 0}),
        ("kv-cache.more-blocks-possible", {"blocks_suggested": 0}),
        ("kv-cache.more-blocks-possible", {"blocks_suggested": -7}),
        ("sequence.input-too-long", {"input_len": 10**25}),
        ("serve.generated-past-context", {"tokens": 10**25}),
        ("server.port-in-use", {"used_port": 65535}),
        ("server.port-in-use", {"used_port": -7}),
    ],
)
def test_an_impossible_value_is_not_called_computed(id_: str, numbers: dict[str, Any]) -> None:
    entry = knowledge().entries[id_]
    for remedy in prescribe(entry, numbers, run(REBEL), knowledge()):
        assert not any(isinstance(c.to, (int, list)) for c in remedy.changes if not isinstance(c.to, bool)), remedy
        assert str(10**25) not in remedy.arithmetic


def test_a_partition_of_zero_gives_a_partition_and_no_length() -> None:
    numbers = {"seq_len": 32768, "partition_len": 0}
    assert solve("seq_to_multiple", numbers, run({}, npu=None), direction="up") is None
    found = solve("partition_for_seq", numbers, run({}, npu="RBLN-CA25"))
    assert found is not None
    assert found.changes == {"kvcache_partition_len": 16384}
