"""Lines of vLLM: banners of every version, arguments, engine configuration."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.literals import read_dict, read_pairs, split_top
from diagnose.model import RecordKind
from tests.context.log_kit import all_facts, raw, record, said

LOGO = (
    "\n       █     █     █▄   ▄█\n ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.30.0\n"
    "  █▄█▀ █     █     █     █  model   Qwen/Qwen3-0.6B\n   ▀▀  ▀▀▀▀▀ ▀▀▀▀▀ ▀     ▀"
)
NEW_FIELDS = (
    "skip_tokenizer_init=False, dtype=torch.float32, max_seq_len=32768, download_dir=None, load_format=auto, "
    "tensor_parallel_size=2, pipeline_parallel_size=1, data_parallel_size=3, "
)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("vLLM API server version 0.9.1", "0.9.1"),
        ("vLLM API server version 0.10.2", "0.10.2"),
        ("vLLM API server version 0.13.0", "0.13.0"),
        (LOGO, "0.30.0"),
        (LOGO.replace("0.30.0", "0.18.0+cpu"), "0.18.0+cpu"),
        (" ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.22.0", "0.22.0"),
        ("vLLM server version 0.22.0+cpu, serving model /models/a b", "0.22.0+cpu"),
        ("Initializing a V1 LLM engine (v0.9.1) with config: model='a', dtype=torch.float16", "0.9.1"),
        ("Initializing a V1 LLM engine (v0.30.0) with config: model='a'", "0.30.0"),
        ("Dumping input data for V1 LLM engine (v0.10.2) with config: model='a', ", "0.10.2"),
        ("V1 LLM engine (v0.9.1) with config: model='a', ", "0.9.1"),
    ],
)
def test_every_banner_gives_the_vllm_version(text: str, version: str) -> None:
    assert said(text)["version:vllm"] == version


def test_the_logo_and_the_line_that_replaces_it_give_the_model() -> None:
    assert said(LOGO)["model"] == "Qwen/Qwen3-0.6B"
    assert said("  █▄█▀ █     █     █     █  model   a/b")["model"] == "a/b"
    found = said("vLLM server version 0.30.0, serving model /models/a b")
    assert (found["model"], found["form"]) == ("/models/a b", "vllm-serve")


def test_a_prompt_that_quotes_a_banner_says_nothing() -> None:
    assert said("Received request x: prompt: 'vLLM API server version 0.9.1 Using max model len 5'") == {}


@pytest.mark.parametrize(
    ("source", "text", "version"),
    [
        ("core.py:70", "Initializing a V1 LLM engine", "0.9.1"),
        ("core.py:76", "Initializing a V1 LLM engine", "0.10.2"),
        ("core.py:94", "Initializing a V1 LLM engine", "0.13.0"),
        ("v1/engine/core.py:104", "Initializing a V1 LLM engine", "0.18.0"),
        ("core.py:113", "Initializing a V1 LLM engine", "0.22.0"),
        ("core.py:124", "Initializing a V1 LLM engine", "0.30.0"),
        ("cli_args.py:309", "non-default args: {", "0.9.1"),
        ("api_utils.py:286", "non-default args: {", "0.30.0"),
    ],
)
def test_the_file_number_gives_the_version_when_the_banner_is_missing(source: str, text: str, version: str) -> None:
    (fact,) = (f for f in all_facts(record(text, source=source)) if f.name == "version:vllm")
    assert (fact.value, "inferred" in fact.origin) == (version, True)


def test_arguments_are_read_under_canonical_names() -> None:
    found = said(
        "non-default args: {'model_tag': 'a/b', 'port': 3456, 'model': 'a/b', 'max_model_len': 32768, "
        "'block_size': 8192, 'max_num_seqs': 4, 'num_gpu_blocks_override': 17, "
        "'gpu_memory_utilization': 0.8, "
        "'max_num_batched_tokens': 256, 'tensor_parallel_size': 1, 'model_impl': 'vllm', 'dtype': 'auto'}"
    )
    assert found == {
        "model": "a/b",
        "form": "vllm-serve",
        "path": "vllm",
        "port": 3456,
        "max_seq_len": 32768,
        "kvcache_partition_len": 8192,
        "batch_size": 4,
        "kvcache_num_blocks": 17,
        "memory_budget": 0.8,
        "prefill_chunk_size": 256,
        "tensor_parallel_size": 1,
        "model_impl": "vllm",
        "dtype": "auto",
    }


def test_a_block_as_long_as_the_sequence_is_eager_attention() -> None:
    found = said("non-default args: {'model': 'a', 'max_model_len': 8192, 'block_size': 8192}")
    assert found["kvcache_block_size"] == 8192
    assert found["attn_impl"] == "eager"
    assert "kvcache_partition_len" not in found


def test_sections_of_the_arguments_are_opened() -> None:
    found = said(
        "non-default args: {'model': 'a', 'additional_config': {'num_devices_per_local_rank': 4, "
        "'use_custom_sampler': False, 'optimum_overrides': {'visual': {'max_seq_lens': [6400], 'device': 8}, "
        "'language_model': {'tensor_parallel_size': 2}, 'decoder_batch_sizes': [4, 1]}}, "
        "'mm_processor_kwargs': {'max_pixels': 802816, 'size': {'longest_edge': 9}}}"
    )
    del found["model"], found["additional"]
    assert found == {
        "num_devices": 4,
        "use_custom_sampler": False,
        "visual.max_seq_len": [6400],
        "visual.device": 8,
        "language_model.num_devices": 2,
        "decoder_batch_sizes": [4, 1],
        "processor.max_pixels": 802816,
        "processor.size.longest_edge": 9,
    }


def test_the_older_name_of_the_overrides_is_known() -> None:
    found = said("non-default args: {'additional_config': {'rbln_config': {'max_seq_len': 4096}}}")
    assert found == {"max_seq_len": 4096, "additional": {"rbln_config": {"max_seq_len": 4096}}}


def test_arguments_that_are_no_literal_do_not_hide_the_others() -> None:
    found = said(
        "non-default args: {'model': 'a', 'dtype': torch.float16, 'load_format': <Fmt: 'x, y'>, "
        "'compilation_config': CompilationConfig(level=3, sizes=[1, 2], name='}'), 'max_model_len': 4096}"
    )
    assert (found["dtype"], found["max_seq_len"]) == ("float16", 4096)
    assert found["compilation_config"].startswith("CompilationConfig(level=3")


def test_a_cut_off_line_gives_its_whole_items() -> None:
    found = said("non-default args: {'model': 'a', 'max_model_len': 4096, 'block_size': 10")
    assert found == {"model": "a", "max_seq_len": 4096}


def test_secrets_are_not_kept() -> None:
    text = "non-default args: {'api_key': ['sk-1'], 'hf_token': 'hf_x', 'max_num_seqs': 2}"
    assert said(text) == {"batch_size": 2}


@pytest.mark.parametrize(
    ("text", "chunked"),
    [
        (
            "Initializing a V1 LLM engine (v0.9.1) with config: model='m', speculative_config=None, "
            "override_neuron_config={}, dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=1, "
            "kv_cache_dtype=auto,  device_config=cpu, num_scheduler_steps=1, served_model_name=s/n, "
            "enable_prefix_caching=True, chunked_prefill_enabled=False, compilation_config={'level':3}",
            False,
        ),
        (
            "Initializing a V1 LLM engine (v0.13.0) with config: model='m', dtype=torch.bfloat16, "
            "max_seq_len=32768, tensor_parallel_size=1, kv_cache_dtype=auto, served_model_name=s/n, "
            "structured_outputs_config=StructuredOutputsConfig(backend='auto', x=False), "
            "enable_prefix_caching=True, enable_chunked_prefill=True, pooler_config=None",
            True,
        ),
    ],
)
def test_the_engine_line_is_read_in_old_and_new_wording(text: str, chunked: bool) -> None:
    found = said(text)
    del found["version:vllm"]
    assert found == {
        "model": "m",
        "max_seq_len": 32768,
        "tensor_parallel_size": 1,
        "enable_prefix_caching": True,
        "enable_chunked_prefill": chunked,
        "dtype": "bfloat16",
        "served_model_name": "s/n",
        "kv_cache_dtype": "auto",
    }


def test_the_parallel_sizes_of_the_engine_line() -> None:
    found = said(f"Initializing a V1 LLM engine (v0.30.0) with config: model='m', {NEW_FIELDS}kernel_config=K(a=1)")
    assert found["tensor_parallel_size"] == 2
    assert found["data_parallel_size"] == 3


def test_single_values_of_the_start() -> None:
    assert said("Using max model len 131072") == {"max_seq_len": 131072}
    assert said("Chunked prefill is enabled with max_num_batched_tokens=2048.") == {"prefill_chunk_size": 2048}
    assert said("Resolved architecture: Qwen3VLForConditionalGeneration") == {
        "model_class": "RBLNQwen3VLForConditionalGeneration"
    }
    assert said("Resolved architecture:") == {}


def test_kv_size_tells_the_path_and_the_length() -> None:
    new = said("CPU KV cache size: 65,536 tokens, Maximum concurrency for 32,768 tokens per request: 2.00x")
    assert new == {
        "measured.kv_cache_tokens": 65536,
        "path": "optimum",
        "max_seq_len": 32768,
        "measured.max_concurrency": 2.0,
    }
    assert said("RBLN KV cache size: 1,024 tokens")["path"] == "vllm"
    old = said("GPU KV cache size: 9 tokens (num_blocks=7, after the dynamic KV resize)")
    assert old == {"measured.kv_cache_tokens": 9, "measured.kv_blocks": 7}


def test_a_ready_server_has_served_and_is_not_known_to_be_vllms() -> None:
    assert said(record("Application startup complete.", writer="uvicorn")) == {"phase": "serve"}
    assert said("Starting vLLM API server 0 on http://0.0.0.0:8000") == {"form": "vllm-serve"}


def test_the_arguments_of_a_python_llm_are_told_from_a_servers() -> None:
    text = "non-default args: {'model': 'a', 'disable_log_stats': True}"
    assert said(text)["form"] == "python-llm"
    assert said(record(text, process="APIServer", pid=1))["form"] == "vllm-serve"
    assert "form" not in said("non-default args: {'model': 'a'}")


def test_vllms_quantization_is_not_the_section_of_rbln_config() -> None:
    found = said(
        "non-default args: {'quantization': 'fp8', 'additional_config': "
        "{'optimum_overrides': {'quantization': {'weights': 'int4'}}}}"
    )
    del found["additional"]
    assert found == {"vllm.quantization": "fp8", "quantization": {"weights": "int4"}}


def test_a_dict_of_any_depth_is_read_without_recursion_trouble() -> None:
    text = "{'a': " * 5000 + "torch.x" + "}" * 5000
    assert said(f"non-default args: {text}") != {}


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6), JSONISH, max_size=5), st.text(max_size=10))
def test_every_printed_dict_is_read_back(value: dict[str, object], after: str) -> None:
    assert read_dict(repr(value)) == value
    assert read_dict(repr(value) + " " + after.replace("\n", "")) == value


@given(st.lists(st.from_regex(r"[a-z]{1,4}", fullmatch=True), max_size=5, unique=True), JSONISH)
def test_every_pair_list_is_read_back(keys: list[str], value: object) -> None:
    text = ", ".join(f"{key}={value!r}" for key in keys)
    assert read_pairs(text) == dict.fromkeys(keys, value)


@given(st.lists(st.from_regex(r"[a-z]{1,3}(\([a-z,]{0,4}\))?", fullmatch=True), min_size=1, max_size=6))
def test_any_list_is_split_outside_its_brackets_only(parts: list[str]) -> None:
    assert split_top(", ".join(parts)) == parts


@given(st.text(max_size=80), st.sampled_from(list(RecordKind)))
def test_any_text_behind_any_beginning_raises_nothing(text: str, kind: RecordKind) -> None:
    for begin in (
        "non-default args: ",
        "Initializing a V1 LLM engine (v1) with config: ",
        "RBLN config: ",
        "$ vllm serve ",
    ):
        said(record(begin + text, kind))
    said(raw(text))
