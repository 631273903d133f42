"""Artifacts, model and processor configurations, and everything that must be refused."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from diagnose.context.readers import read_config, read_text_config
from diagnose.model import GivenConfig, InputError
from tests.context.log_kit import parameters


def meta(layer: int, kind: str = "full_attention") -> list[dict[str, Any]]:
    shape = [128, 8, 16384, 128] if kind == "full_attention" else [1, 4, 64, 32]
    return [
        {"name": f"past_key_values_{2 * layer + n}", "layer_index": layer, "shape": shape, "layer_type": kind,
         "is_auto": True, "dtype": "float16"}
        for n in (0, 1)
    ]  # fmt: skip


ARTIFACT: dict[str, Any] = {
    "cls_name": "RBLNQwen3VLForConditionalGenerationConfig",
    "dtype": "float32",
    "optimum_rbln_version": "0.12.0",
    "_compile_cfgs": [{"compiled_model_name": "prefill", "npu": "RBLN-CA25", "num_devices": 8}],
    "batch_size": 8,
    "max_seq_len": 262144,
    "attn_impl": "flash_attn",
    "kvcache_partition_len": 16384,
    "kvcache_num_blocks": 69,
    "cache_metas": [*meta(0), *meta(1)],
    "visual": {
        "cls_name": "RBLNQwen3VLVisionModelConfig",
        "max_seq_len": [3136, 16384],
        "_compile_cfgs": [{"compiled_model_name": "visual", "npu": None, "num_devices": 4}],
    },
}
HF = {
    "architectures": ["Qwen3VLForConditionalGeneration"],
    "model_type": "qwen3_vl",
    "tie_word_embeddings": True,
    "text_config": {
        "num_hidden_layers": 28,
        "hidden_size": 2048,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "intermediate_size": 6144,
        "vocab_size": 151936,
    },
    "vision_config": {"patch_size": 16, "spatial_merge_size": 2, "depth": 24, "hidden_size": 1024},
}


def read(value: object, name: str = "config.json") -> GivenConfig:
    text = value if isinstance(value, str) else json.dumps(value)
    return read_text_config(text, name, parameters())


def test_an_artifact_tells_values_class_npu_release_and_cache_shape() -> None:
    given_ = read(ARTIFACT)
    assert given_.kind == "rbln_config.json"
    assert given_.model_class == "RBLNQwen3VLForConditionalGeneration"
    assert given_.npu == "RBLN-CA25"
    assert given_.versions == {"optimum_rbln": "0.12.0"}
    assert given_.phases == ("load",)
    assert given_.values["num_devices"] == 8
    assert given_.values["visual.num_devices"] == 4
    assert given_.values["visual.max_seq_len"] == [3136, 16384]
    assert given_.values["kvcache_num_blocks"] == 69
    assert given_.architecture == {
        "num_hidden_layers": 2,
        "cache_is_auto": True,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "kv_dtype": "float16",
    }


def test_the_names_of_older_releases_are_brought_up_to_date() -> None:
    old = {
        "cls_name": "RBLNQwen2_5_VLForConditionalGenerationConfig",
        "optimum_rbln_version": "0.10.2",
        "_compile_cfgs": [{"tensor_parallel_size": 8, "npu": "RBLN-CA22"}],
        "max_seq_len": 114688,
        "kvcache_metas": [{"name": f"past_key_values_{n}", "shape": [7, 4, 16384, 128]} for n in range(6)],
        "visual": {"max_seq_lens": 6400, "_compile_cfgs": [{"tensor_parallel_size": 8}]},
    }
    given_ = read(old)
    assert given_.values == {
        "max_seq_len": 114688,
        "visual.max_seq_len": 6400,
        "num_devices": 8,
        "visual.num_devices": 8,
    }
    assert given_.architecture["num_hidden_layers"] == 3
    assert given_.architecture["num_key_value_heads"] == 4


def test_a_resized_artifact_does_not_say_one_device() -> None:
    resized = {**ARTIFACT, "_compile_cfgs": [{"npu": None, "num_devices": None}]}
    assert "num_devices" not in read(resized).values
    assert read(resized).npu is None


def test_mixed_layers_give_the_shape_of_full_attention() -> None:
    mixed = {
        **ARTIFACT,
        "cache_metas": [*meta(0, "linear_attention"), *meta(1), *meta(2, "linear_attention")],
    }
    found = read(mixed).architecture
    assert (found["num_hidden_layers"], found["num_full_attention_layers"]) == (3, 1)
    assert (found["num_key_value_heads"], found["head_dim"]) == (8, 128)


def test_a_vision_submodule_alone_is_not_taken_for_the_language_model() -> None:
    given_ = read(ARTIFACT["visual"])
    assert given_.values == {"visual.max_seq_len": [3136, 16384], "visual.num_devices": 4}
    assert given_.model_class is None


def test_a_nested_language_model_keeps_its_real_place() -> None:
    given_ = read(
        {
            "cls_name": "RBLNGemma4ForConditionalGenerationConfig",
            "_compile_cfgs": [],
            "language_model": {
                "max_seq_len": 262144,
                "_compile_cfgs": [{"num_devices": 1, "npu": "RBLN-CR13"}],
            },
            "vision_tower": {"max_soft_tokens": [70, 280]},
        }
    )
    assert given_.npu == "RBLN-CR13"
    assert given_.values == {
        "language_model.max_seq_len": 262144,
        "language_model.num_devices": 1,
        "vision_tower.max_soft_tokens": [70, 280],
    }


def test_a_model_configuration_gives_its_numbers() -> None:
    given_ = read(HF)
    assert given_.kind == "hf-config"
    assert given_.model_class == "RBLNQwen3VLForConditionalGeneration"
    assert given_.values == {}
    for name, value in {
        "num_hidden_layers": 28,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 151936,
        "tie_word_embeddings": True,
        "patch_size": 16,
        "spatial_merge_size": 2,
        "hidden_size": 2048,
    }.items():
        assert given_.architecture[name] == value


def test_missing_head_numbers_are_derived() -> None:
    found = read({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32}).architecture
    assert (found["head_dim"], found["num_key_value_heads"]) == (128, 32)


def test_an_unused_sliding_window_is_not_reported() -> None:
    found = read({"model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": False}).architecture
    assert "sliding_window" not in found


@pytest.mark.parametrize(
    ("config", "values"),
    [
        (
            {"image_processor_type": "Qwen2VLImageProcessor", "min_pixels": 3136, "max_pixels": 12845056},
            {"processor.min_pixels": 3136, "processor.max_pixels": 12845056},
        ),
        (
            {"image_processor_type": "Qwen2VLImageProcessorFast", "size": {"longest_edge": 16777216}},
            {"processor.max_pixels": 16777216},
        ),
        (
            {"video_processor_type": "Qwen3VLVideoProcessor", "size": {"longest_edge": 25165824}},
            {"processor.size.longest_edge": 25165824},
        ),
        # Elsewhere the longest edge is a length, not an area.
        ({"image_processor_type": "Idefics3ImageProcessor", "size": {"longest_edge": 1456}}, {}),
    ],
)
def test_a_processor_configuration_gives_pixel_limits(config: dict[str, Any], values: dict[str, int]) -> None:
    given_ = read({**config, "patch_size": 16, "merge_size": 2})
    assert given_.kind == "processor"
    assert given_.values == values
    assert given_.architecture == {"patch_size": 16, "spatial_merge_size": 2}


def test_an_artifact_directory_is_read_as_a_whole(tmp_path: Path) -> None:
    outer = {key: value for key, value in ARTIFACT.items() if key != "visual"}
    (tmp_path / "visual").mkdir()
    (tmp_path / "visual" / "rbln_config.json").write_text(json.dumps(ARTIFACT["visual"]))
    (tmp_path / "rbln_config.json").write_text(json.dumps(outer))
    (tmp_path / "config.json").write_text(json.dumps({**HF, "_name_or_path": "Qwen/Qwen3-VL-2B-Instruct"}))
    (tmp_path / "preprocessor_config.json").write_text(json.dumps({"max_pixels": 802816, "patch_size": 16}))
    given_ = read_config(str(tmp_path), parameters())
    assert given_.kind == "rbln_config.json"
    assert given_.values["visual.max_seq_len"] == [3136, 16384]
    assert given_.values["processor.max_pixels"] == 802816
    assert given_.values["artifact"] == str(tmp_path)
    assert given_.model == "Qwen/Qwen3-VL-2B-Instruct"
    assert given_.architecture["num_hidden_layers"] == 28  # the model's own number wins over the cache's
    assert given_.architecture["kv_dtype"] == "float16"


# ---------------------------------------------------------------- refusals


def refused(action: Any) -> str:
    with pytest.raises(InputError) as caught:
        action()
    message = caught.value.message
    assert "\n" not in message.en + message.ko
    for text in (message.en, message.ko):
        assert "vllm serve" in text
        assert "rbln_config.json" in text
    return message.en


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\xff\xff\x00a", "UTF-8"),
        (b"\xff\xfea", "UTF-8"),
        (b"PK\x03\x04\x00\x00", "binary"),
        (b'{"cls_name": ', "JSON in line 1"),
        (b'{\n"a": 1,\n}', "JSON in line 3"),
        (b'{"a": 1}', "no known kind"),
        (b"[1, 2]", "no configuration"),
        (b"hello", "no configuration"),
        (b"services:\n  a:\n   - b\n  c", "YAML in line"),
        (b"services: {a: {image: x}}", "no container"),
        (b"kind: Pod\nx: &a [*a]", "nested or repeated"),
        (b"vllm serve 'a", "unclosed quote in line 1"),
        (b"{" * 100_000, "JSON"),
        (b'{"a":' * 100_000, "JSON"),
    ],
)
def test_a_file_that_tells_nothing_is_refused_with_the_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "given"
    path.write_bytes(data)
    assert reason in refused(lambda: read_config(str(path), parameters()))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_is_read_in_the_encodings_editors_and_shells_write(tmp_path: Path, encoding: str) -> None:
    text = "vllm serve 모델 --max-model-len 32768\r\n"
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    path = tmp_path / "start.sh"
    path.write_bytes((mark + text).encode(encoding))
    found = read_config(str(path), parameters())
    assert found.values == {"max_seq_len": 32768}
    assert found.model == "모델"


def test_a_missing_file_a_bad_path_and_a_bare_directory_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refused(lambda: read_config(str(tmp_path / "nothing"), parameters()))
    refused(lambda: read_config("a\0b", parameters()))
    refused(lambda: read_config("a" * 5000, parameters()))
    assert "without rbln_config.json" in refused(lambda: read_config(str(tmp_path), parameters()))


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as stream:
        stream.truncate(64 * 1024 * 1024)
    assert "8 MiB" in refused(lambda: read_config(str(path), parameters()))


def test_a_yaml_bomb_is_refused_before_it_grows() -> None:
    lines = ["kind: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "nested or repeated" in refused(lambda: read("\n".join(lines)))
    merges = ["x-0: &m0 {a: 1, b: 2}"]
    merges += [f"x-{n}: &m{n}\n  <<: [{', '.join([f'*m{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "nested or repeated" in refused(lambda: read("\n".join(merges)))


SEEDS = st.sampled_from(
    [
        json.dumps(ARTIFACT),
        json.dumps(HF),
        "from vllm import LLM\nllm = LLM(model='a', max_model_len=4096)\n",
        "vllm serve a --max-model-len 4096 --rbln-optimum-overrides '{\"device\": 0}' > log 2>&1\n",
        "services:\n  a:\n    image: vllm\n    command: vllm serve a --block-size 4096\n",
        "apiVersion: v1\nspec:\n  args: [vllm, serve, a]\n  env: [{name: A, value: 1}]\n",
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(SEEDS).encode())
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.integers(0, 9))] = draw(
            st.binary(max_size=5) | st.sampled_from([b"{", b"'", b"&a", b"*a"])
        )
    return bytes(data)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300) | damaged())
@example(data=b"kind: !!python/object/apply:os.system [ls]")
@example(data=b"kind: \x01")
@example(data=b"kind: !!timestamp 2001-99-99")
@example(data=b"kind: {[1]: 2}")
@example(data=b"LLM(" + b"-" * 5000 + b"1)")
@example(data=b"LLM(" + b"(" * 5000)
@example(data=b"LLM(1" + b"+1" * 20000 + b")")
def test_for_any_bytes_nothing_but_a_refusal_is_raised(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "given"
    path.write_bytes(data)
    try:
        assert isinstance(read_config(str(path), parameters()), GivenConfig)
    except InputError as error:
        assert "\n" not in error.message.en + error.message.ko


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ARTIFACT, *HF, "size", "shape"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([*ARTIFACT, *HF, "size", "max_pixels", "video_processor"]), VALUES, max_size=6))
def test_any_json_object_is_read_or_refused(config: dict[str, Any]) -> None:
    for name in ({}, {"cls_name": "RBLNXConfig"}, {"model_type": "x"}, {"image_processor_type": "Qwen2VL"}):
        with contextlib.suppress(InputError):
            read({**config, **name})
