"""``--set name=value``."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.sets import parse_set
from diagnose.model import InputError
from tests.context.log_kit import parameters


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("max_seq_len=32768", "max_seq_len", 32768),
        ("--max-model-len=262_144", "max_seq_len", 262144),
        ("max_model_len=262,144", "max_seq_len", 262144),
        ("rbln_batch_size=8", "batch_size", 8),
        (" max-num-seqs = 4 ", "batch_size", 4),
        ("block_size=16384", "kvcache_partition_len", 16384),
        ("--block-size=16384", "kvcache_partition_len", 16384),
        ("--rbln-num-devices-per-local-rank=8", "num_devices", 8),
        ("VLLM_RBLN_TP_SIZE=8", "num_devices", 8),
        ("tensor_parallel_size=4", "tensor_parallel_size", 4),
        ("rbln_tensor_parallel_size=4", "num_devices", 4),
        ("rbln_config.visual.max_seq_len=[3136,8192]", "visual.max_seq_len", [3136, 8192]),
        ("visual.max_seq_len=3136,8192,16384", "visual.max_seq_len", [3136, 8192, 16384]),
        ("visual.max_seq_lens=16_384", "visual.max_seq_len", 16384),
        ("vision_tower.max_soft_tokens=70,140,280", "vision_tower.max_soft_tokens", [70, 140, 280]),
        ("language_model.max_seq_len=262144", "language_model.max_seq_len", 262144),
        ("decoder_batch_sizes=8,4,1", "decoder_batch_sizes", [8, 4, 1]),
        ("decoder_batch_sizes=[1_024, 1]", "decoder_batch_sizes", [1024, 1]),
        ("device=0-7", "device", list(range(8))),
        ("device=0,1", "device", [0, 1]),
        ("visual.device=8", "visual.device", 8),
        ("create_runtimes=False", "create_runtimes", False),
        ("memory_budget=0.8", "memory_budget", 0.8),
        ("memory_budget=10GB", "memory_budget", "10GB"),
        ("memory_budget=80%", "memory_budget", "80%"),
        ("gpu_memory_utilization=1", "memory_budget", 1.0),
        ("npu=RBLN-CR13", "npu", "RBLN-CR13"),
        ("kvcache_num_blocks=0", "kvcache_num_blocks", 0),
        ("kvcache_num_blocks=none", "kvcache_num_blocks", None),
        ('quantization={"format": "rbln"}', "quantization", {"format": "rbln"}),
        ("processor.max_pixels=802816", "processor.max_pixels", 802816),
        ("max_pixels=802816", "processor.max_pixels", 802816),
        ("num_hidden_layers=28", "architecture.num_hidden_layers", 28),
        ("patch_size=16", "architecture.patch_size", 16),
        ("tie_word_embeddings=true", "architecture.tie_word_embeddings", True),
        ("image=1920x1080", "image_sizes", [[1080, 1920]]),
        ("image=1000x1000,896X448", "image_sizes", [[1000, 1000], [448, 896]]),
    ],
)
def test_every_name_and_spelling_reaches_the_canonical_value(text: str, name: str, value: Any) -> None:
    got = parse_set(text, parameters())
    assert got == (name, value)
    assert type(got[1]) is type(value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("foo", "name=value"),
        ("=5", "name=value"),
        ("--=5", "name=value"),
        ("max_seq_len=", "name=value"),
        ("max_seq_len=abc", "whole number"),
        ("max_seq_len=1e5", "whole number"),
        ("max_seq_len=1,23", "whole number"),
        ("max_seq_len=-4", "negative"),
        ("max_seq_len=0", "at least 1"),
        ("max_seq_len=32k", "32768"),
        ("batch_size=true", "whole number"),
        ("create_runtimes=maybe", "true or false"),
        ("visual.max_seq_len=16,384", "16384 or [16,384]"),
        ("visual.max_seq_len=[]", "list"),
        ("visual.max_seq_len=[1.5]", "list"),
        ("device=7-0", "upwards"),
        ("device=[-1]", "device ids"),
        ("memory_budget=1.5", "share"),
        ("memory_budget=1", "1.0"),
        ("memory_budget=120%", "100%"),
        ("quantization={oops", "JSON"),
        ("image=big", "width x height"),
        ("image=0x10", "width x height"),
        ("patch_size=-2", "negative"),
        ("max_seq_lenn=5", "max_seq_len"),
        ("visual.max_seq=5", "visual.max_seq_len"),
        ("max_soft_tokens=70", "visual.max_soft_tokens"),
    ],
)
def test_a_mistake_is_named_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_set(text, parameters())
    message = caught.value.message
    assert says in message.en
    assert message.ko != message.en
    assert "\n" not in message.en + message.ko


INTEGERS = [name for name, parameter in parameters().items() if parameter.type == "int"]


@given(st.sampled_from(INTEGERS), st.integers(1, 10**15), st.sampled_from(["{}", "{:_}", "{:,}"]))
def test_any_spelling_of_a_number_gives_the_number(name: str, number: int, spelling: str) -> None:
    assert parse_set(f"--{name.replace('_', '-')}={spelling.format(number)}", parameters()) == (name, number)


@given(st.text(max_size=30) | st.builds("{}={}".format, st.sampled_from(list(parameters())), st.text(max_size=20)))
def test_any_text_is_a_setting_or_a_refusal(text: str) -> None:
    try:
        name, _ = parse_set(text, parameters())
    except InputError as error:
        assert "\n" not in error.message.en
    else:
        assert name


def test_the_model_and_a_release_may_be_given_by_hand() -> None:
    assert parse_set("model=Qwen/Qwen3-VL-2B-Instruct", parameters()) == ("model", "Qwen/Qwen3-VL-2B-Instruct")
    assert parse_set("optimum-rbln=0.11.1", parameters()) == ("version:optimum_rbln", "0.11.1")
