"""What the failure's message says outranks what was assumed, and no computed change goes against it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diagnose
from diagnose.model import Value
from diagnose.remedies import prescribe
from diagnose.remedies.solvers import SOLVERS
from diagnose.remedies.stated import against
from tests.remedies.kit import KNOWLEDGE, entry, run, spec

MINIMUM = "ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks (33).\n"
ABOVE = "ValueError: Decoder batch size (8) must be less than or equal to the runtime batch size (4).\n"
SMALL = (
    "ValueError: The largest image-prefill chunk size (640) is smaller than the vision tower's largest max_soft_tokens "
    "(1120); those images cannot be image-prefilled by any bucket. Provide an image-prefill chunk size of at least "
    "1152.\n"
)


def offered(config: str, message: str, parameter: str) -> list[Value]:
    log = f"$ python compile.py\nrbln_config = {{{config}}}\n{message}".encode()
    return [
        c.to for r in diagnose.diagnose_bytes(log).findings[0].remedies for c in r.changes if c.parameter == parameter
    ]


def test_the_minimum_of_the_message_stands_where_the_batch_size_was_only_assumed() -> None:
    config = '"max_seq_len": 262144, "kvcache_partition_len": 8192, "kvcache_num_blocks": 10, "npu": "RBLN-CR13"'
    assert offered(config, MINIMUM, "kvcache_num_blocks") == [33, None]


def test_the_batch_size_of_the_message_stands_where_the_batch_size_was_only_assumed() -> None:
    config = '"max_seq_len": 32768, "kvcache_partition_len": 8192, "decoder_batch_sizes": [1, 2, 4, 8]'
    assert offered(config, ABOVE, "decoder_batch_sizes") == [[1, 2, 4]]


TOWER = '"batch_size": 1, "language_model": {"max_seq_len": 262144, "image_prefill_chunk_size": [384, 640]}, '


@pytest.mark.parametrize("tower", ['"vision_tower": {"num_devices": 1}', '"vision_tower": {"max_soft_tokens": [280]}'])
def test_buckets_are_not_computed_from_soft_tokens_that_are_not_those_of_the_message(tower: str) -> None:
    name = "language_model.image_prefill_chunk_size"
    assert offered(f"{TOWER}{tower}", SMALL, name) == []
    seen = '"vision_tower": {"max_soft_tokens": [280, 560, 1120]}'
    assert offered(f"{TOWER}{seen}", SMALL, name) == [[384, 640, 1152]]


def test_a_list_whose_without_the_size_of_the_message_is_not_cut() -> None:
    config = '"max_seq_len": 32768, "kvcache_partition_len": 8192, "batch_size": 4, "decoder_batch_sizes": [1, 2]'
    assert [1, 2, 4] not in offered(config, ABOVE, "decoder_batch_sizes")


# --------------------------------------------------------------------------- every solver, any numbers

SIZES = st.sampled_from([1, 2, 4, 8, 33])
TOKENS = st.sampled_from([70, 140, 280, 560, 1120])
BUCKETS = st.sampled_from([128, 256, 384, 640, 1152])
BLOCKS = st.integers(1, 300)
NUMBERS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("blocks_min", "blocks_full", "required_blocks", "available_blocks", "blocks_set"), BLOCKS),
        **dict.fromkeys(("runtime_batch", "decoder_batch", "batch_size", "batch_given"), SIZES),
        "compiled_batches": st.lists(SIZES, min_size=1, max_size=3),
        **dict.fromkeys(("chunk", "chunk_min"), BUCKETS),
        "soft_tokens": st.one_of(TOKENS, st.lists(TOKENS, min_size=1, max_size=3)),
        "unused_chunks": st.lists(BUCKETS, min_size=1, max_size=2),
        **dict.fromkeys(("partition_lo", "partition_hi"), st.sampled_from([4096, 8192, 16384, 32768])),
        "seq_len": st.sampled_from([32768, 40960, 262144]),
        "partition_len": st.sampled_from([4096, 16384, 50000]),
        "required_patches": st.integers(1000, 40_000),
        "available_patches": st.lists(st.integers(1000, 40_000), min_size=1, max_size=2),
    },
)
CONFIG = st.fixed_dictionaries(
    {},
    optional={
        "max_seq_len": st.sampled_from([32768, 65536, 262144]),
        "kvcache_partition_len": st.sampled_from([4096, 8192, 16384]),
        "batch_size": SIZES,
        "decoder_batch_sizes": st.lists(SIZES, min_size=1, max_size=4, unique=True),
        "kvcache_num_blocks": BLOCKS,
        "image_prefill_chunk_size": st.lists(BUCKETS, min_size=1, max_size=3, unique=True),
        "visual.max_soft_tokens": st.lists(TOKENS, min_size=1, max_size=3, unique=True),
        "visual.max_seq_len": st.sampled_from([6400, 16384]),
    },
)
OPTIONS: tuple[dict[str, Value], ...] = ({}, {"direction": "up"}, {"change": "length"})


def most(value: Any) -> Any:
    return max(value) if isinstance(value, (list, tuple)) else value


KEPT: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("blocks_min", "kvcache_num_blocks", lambda to, said: to >= said),
    ("required_blocks", "kvcache_num_blocks", lambda to, said: to >= said),
    ("blocks_full", "kvcache_num_blocks", lambda to, said: to <= said),
    ("runtime_batch", "decoder_batch_sizes", lambda to, said: most(to) == said),
    ("chunk_min", "image_prefill_chunk_size", lambda to, said: most(to) >= said),
    ("soft_tokens", "image_prefill_chunk_size", lambda to, said: most(to) >= most(said)),
    (
        "unused_chunks",
        "image_prefill_chunk_size",
        lambda to, said: not set(to if isinstance(to, list) else [to]) & {*said},
    ),
    ("partition_lo", "kvcache_partition_len", lambda to, said: to >= said),
    ("partition_hi", "kvcache_partition_len", lambda to, said: to <= said),
    ("required_patches", "visual.max_seq_len", lambda to, said: most(to) >= said),
)
"""Number of a message, parameter, and what the check that printed the number asks of it."""
FREE = {"max_seq_len", "kvcache_partition_len", "batch_size", "visual.max_soft_tokens"}
"""With a change of one of these the limits of a pool or of the buckets are others."""


@pytest.mark.parametrize("solver", sorted(SOLVERS))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(NUMBERS, CONFIG, st.booleans(), st.sampled_from(OPTIONS), st.sampled_from(["RBLN-CA25", "RBLN-CR13"]))
def test_no_solver_goes_against_a_number_of_the_message(
    solver: str, numbers: dict[str, Any], config: dict[str, Any], whole: bool, options: dict[str, Value], npu: str
) -> None:
    gemma = "image_prefill_chunk_size" in config
    model_class = "RBLNGemma4ForConditionalGeneration" if gemma else "RBLNQwen3VLForConditionalGeneration"
    context = run(config, npu=npu, vlm=False, model_class=model_class, vision_prefix="visual", defaults_known=whole)
    made = entry(spec(solver=solver, options=options))
    for remedy in prescribe(made, numbers, context, KNOWLEDGE):
        to = {c.parameter: c.to for c in remedy.changes}
        for number, parameter, holds in KEPT:
            if number in numbers and to.get(parameter) is not None and not FREE & (set(to) - {parameter}):
                assert holds(to[parameter], numbers[number]), (remedy, number, numbers[number])


def test_a_change_against_the_message_is_told_as_in_doubt_in_both_languages() -> None:
    made = entry(spec(set={"kvcache_num_blocks": "20"}))
    [remedy] = prescribe(made, {"blocks_min": 33}, run({"kvcache_num_blocks": 10}, vlm=False), KNOWLEDGE)
    assert (remedy.changes, remedy.applicability, remedy.missing) == ((), "needs-value", ("kvcache_num_blocks",))
    assert remedy.doubt is not None
    assert "blocks_min = 33" in remedy.doubt.en and "blocks_min = 33" in remedy.doubt.ko


def test_a_limit_says_nothing_of_a_run_whose_sizes_change_too() -> None:
    assert against({"kvcache_num_blocks": 20}, {"blocks_min": 33}) is not None
    assert against({"kvcache_num_blocks": 20, "max_seq_len": 131072}, {"blocks_min": 33}) is None
