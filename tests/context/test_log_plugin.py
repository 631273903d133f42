"""Lines of vllm-rbln, optimum-rbln, rebel-compiler and of the host."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.context.facts import TRIGGERS
from diagnose.model import RecordKind
from tests.context.log_kit import all_facts, parameters, raw, record, said, traceback

COMPILING = """Compiling Qwen/Q3-VL via optimum-rbln (RBLNQwen3VLForConditionalGeneration) with rbln_config:
{
  "visual": {
    "max_seq_len": 16384,
    "device": [4, 5]
  },
  "num_devices": 4,
  "batch_size": 8,
  "max_seq_len": 262144,
  "memory_budget": 0.93,
  "kvcache_partition_len": 16384,
  "attn_impl": "flash_attn",
  "prefill_chunk_size": 128,
  "create_runtimes": true,
  "sliding_window": null
}"""


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Updating scheduler_config.max_num_seqs from 256 to 4 based on rbln_config.json", "batch_size", 4),
        (
            "Updating scheduler_config.max_num_batched_tokens from 2048 to 128 based on rbln_config.json",
            "prefill_chunk_size",
            128,
        ),
        (
            "Updating model_config.max_model_len from 40960 to 8192 based on rbln_config.json",
            "max_seq_len",
            8192,
        ),
        (
            "Updating model_cache_config.block_size from None to 4096 based on rbln_config.json",
            "kvcache_partition_len",
            4096,
        ),
        ("Updating attention block_size from 128 to 4096", "kvcache_partition_len", 4096),
        (
            "Updating model_config.dtype from torch.bfloat16 to torch.float32 based on rbln_config.json",
            "dtype",
            "float32",
        ),
        ("Setting max_num_seqs to 2 based on additional_config.optimum_overrides", "batch_size", 2),
        ("Setting max_model_len to 4096 based on rbln_config in additional_config", "max_seq_len", 4096),
        (
            "Setting block_size to 1024 based on additional_config.optimum_overrides",
            "kvcache_partition_len",
            1024,
        ),
        ("Sub-block size is set to 128 based on additional_config", "sub_block_size", 128),
    ],
)
def test_a_value_the_plugin_put_in_force(text: str, name: str, value: Any) -> None:
    (fact,) = (f for f in all_facts(record(text, line=7)) if f.name == name)
    assert (fact.value, fact.line, fact.rank) == (value, 7, 70)


def test_other_lines_that_begin_alike_say_nothing() -> None:
    assert said("Setting up the tokenizer to 5") == {}
    assert said("Updating the weights") == {}
    assert said("Compiling a graph for shape 3") == {}


def test_the_compile_configuration_is_read_with_the_line_of_each_key() -> None:
    found = all_facts(record(COMPILING, line=100))
    values = {f.name: (f.value, f.line) for f in found}
    assert values["visual.max_seq_len"] == (16384, 103)
    assert values["visual.device"] == ([4, 5], 104)
    assert values["num_devices"] == (4, 106)
    assert values["batch_size"] == (8, 107)
    assert values["max_seq_len"] == (262144, 108)
    assert values["memory_budget"] == (0.93, 109)
    assert values["kvcache_partition_len"] == (16384, 110)
    assert values["attn_impl"] == ("flash_attn", 111)
    assert values["create_runtimes"] == (True, 113)
    assert "sliding_window" not in values
    assert values["model"] == ("Qwen/Q3-VL", 100)
    assert values["model_class"] == ("RBLNQwen3VLForConditionalGeneration", 100)
    assert values["phase"] == ("compile", 100)
    assert values["path"] == ("optimum", 100)


def test_a_compile_configuration_that_is_cut_off_gives_its_whole_items() -> None:
    found = said(COMPILING[: COMPILING.index(',\n  "attn_impl"') + 20])
    assert found["kvcache_partition_len"] == 16384
    assert "attn_impl" not in found


def test_an_auto_class_is_no_class() -> None:
    assert "model_class" not in said("Compiling a via optimum-rbln (RBLNAutoModelForCausalLM) with rbln_config:\n{}")


def test_the_section_line_of_the_newest_release() -> None:
    found = said("RBLN config: {'num_devices_per_local_rank': 4, 'optimum_overrides': {'device': [0, 1, 2, 3]}}")
    del found["additional"]
    assert found == {"num_devices": 4, "device": [0, 1, 2, 3], "version:vllm_rbln": "0.12.0"}
    assert said("RBLN config: all defaults") == {"version:vllm_rbln": "0.12.0"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Prepared vLLM config for compilation: batch_size=4, block_size=4096, max_model_len=16384",
            {
                "batch_size": 4,
                "kvcache_partition_len": 4096,
                "max_seq_len": 16384,
                "phase": "compile",
                "path": "optimum",
            },
        ),
        ("Loading RBLN model from /m/a b", {"artifact": "/m/a b", "phase": "load", "path": "optimum"}),
        ("Found cached compiled model at /c/x", {"artifact": "/c/x", "phase": "load", "path": "optimum"}),
        ("Local rank: 1, Selected devices: 4,5", {"num_devices": 2, "path": "vllm"}),
        (
            "Using ExponentialBucketingManager. Decode batch buckets: [1, 2, 4]",
            {"measured.decode_buckets": [1, 2, 4]},
        ),
        (
            "Sub-block prefix caching enabled: block_size=8192, sub_block_size=512",
            {"kvcache_partition_len": 8192, "sub_block_size": 512, "enable_prefix_caching": True},
        ),
        ("n_model_bytes = 1.50 GB", {"measured.model_bytes": 1610612736, "path": "vllm"}),
        ("available_memory_estimate = 1.50 GB", {"measured.available_memory": 1500000000, "path": "vllm"}),
        ("available_memory_estimate = 1.50 GiB", {"measured.available_memory": 1610612736, "path": "vllm"}),
        ("KV cache initialized: blocks=12, groups=1, tensors=56, total=3.0 GiB", {"measured.kv_blocks": 12}),
        (
            "mega-cache config_signature=ab (cfg=1 graphs=2 env=3 npu=RBLN-CR13 rebel=0.12)",
            {"npu": "RBLN-CR13", "version:rebel_compiler": "0.12", "path": "vllm"},
        ),
        (
            "[Dynamic KV] rank 0: computed_num_blocks=9 gpu_memory_utilization=0.930 per unit: "
            "0:0(total=37580963840 budget=34950296371 used=1 kv_resident=2 reserve=3 base=4 "
            "per_block=5 blocks=9)",
            {
                "path": "vllm",
                "measured.kv_blocks": 9,
                "memory_budget": 0.93,
                "measured.dynamic_kv_units": {
                    "0:0": {
                        "total": 37580963840,
                        "budget": 34950296371,
                        "used": 1,
                        "kv_resident": 2,
                        "reserve": 3,
                        "base": 4,
                        "per_block": 5,
                        "blocks": 9,
                    }
                },
            },
        ),
        (
            "[Dynamic KV] compiling with 4 KV blocks instead of 310; resized after warm-up",
            {"path": "vllm", "measured.kv_blocks_estimate": 310},
        ),
        ("dynamic KV cache: scheduler block pool resized 4 -> 77 blocks", {"measured.kv_blocks": 77}),
        (
            "[x] device memory reserved per chiplet = 32.5, 30, 30, 30.25 GiB (max 32.5, total 122.75)",
            {"measured.reserved_per_chiplet": [34896609280, 32212254720, 32212254720, 32480690176]},
        ),
        ("RBLN SDK compiler version: 0.10.1", {"version:rebel_compiler": "0.10.1", "phase": "compile"}),
        ("-- Target NPU: RBLN-CA22", {"npu": "RBLN-CA22"}),
        ("-- Tensor parallel size: 4", {"num_devices": 4}),
        ("-- Number of devices: 8", {"num_devices": 8}),
        ("|Compile(#0), mod_name=71f467, input_info_index=0|", {"phase": "compile"}),
        ("Load model completed. Elasped time: 0:00:00", {"phase": "load"}),
        (
            "[KVCache] Not enough memory for 64 blocks. Tightest chiplet headroom: -123456 B",
            {"measured.kv_probe": [64, -123456], "phase": "compile"},
        ),
        (
            "Before adjusting kvcache_num_blocks: Memory usage of compiled_model[prefill]:",
            {"phase": "compile"},
        ),
    ],
)
def test_each_line_gives_exactly_its_facts(text: str, expected: dict[str, Any]) -> None:
    assert said(text) == expected
    assert said(raw(text)) == expected, "the plugin of 0.9.4 to 0.11 can print it without any prefix"


def test_version_warnings_of_optimum() -> None:
    text = (
        "/x/i.py:179: ImportWarning: Version mismatch detected: optimum-rbln v0.11.1 and rebel-compiler "
        "v0.12.0 have different base versions. For optimal"
    )
    expected = {"version:optimum_rbln": "0.11.1", "version:rebel_compiler": "0.12.0"}
    assert said(record(text, RecordKind.WARNING)) == expected
    older = "optimum-rbln v0.9.3 is compatible to torch v2.5.0 to v2.6.1. (you are currently using v2.8.0+cpu)"
    assert said(record(older, RecordKind.WARNING)) == {
        "version:optimum_rbln": "0.9.3",
        "version:torch": "2.8.0+cpu",
    }


def test_the_path_is_told_by_the_file_of_a_record() -> None:
    assert said(record("hello", source="optimum_worker.py:12")) == {"path": "optimum"}
    assert said(record("hello", source="v1/worker/rbln_model_runner.py:12")) == {"path": "vllm"}
    assert said(record("hello", source="rbln_scheduler.py:12")) == {}


def test_the_form_of_the_date_bounds_the_plugin_release() -> None:
    dated: Any = {"writer": "vllm", "time": "2026-11-29 11:59:32,752"}
    assert said(record("Using max model len 8", **dated))["span:vllm_rbln"] == ["0.9.4", "0.11.1"]
    short: Any = {"writer": "vllm-rbln", "time": "11-29 11:59:33"}
    assert "span:vllm_rbln" not in said(record("Using max model len 8", **short))
    assert said(record("nothing of interest", **dated)) == {}


SMI = """| 0   | RBLN-CA12 | rbln0   |  0000:51:00.0 |  38C |  43.9W  | P2   |   2.4GB / 15.7GiB   |  98.7 |
| 1   | RBLN-CA12 | rbln1   |  0000:d8:00.0 |  25C |   6.1W  | P14  |    0.0B / 15.7GiB   |   0.0 |"""


def test_the_device_table_gives_name_and_count() -> None:
    assert said(raw(SMI)) == {"npu": "RBLN-CA12", "devices_available": 2}
    old = "| 0   | RBLN-CA25 | rbln0     |  0000:51:00.0 |  30C |  43.9W  |      2.4GiB / 15.7GiB    |  98.7 |"
    assert said(raw(old)) == {"npu": "RBLN-CA25", "devices_available": 1}
    head = "|                       Device Information KMD ver: 3.5.1                      |"
    assert said(raw(head)) == {"version:driver": "3.5.1"}
    assert said(raw(head.replace("3.5.1", "N/A"))) == {}


def test_a_printed_configuration_is_read() -> None:
    text = "rbln_config = {'batch_size': 2, 'visual': {'max_seq_len': 6400}, 'rbln_max_seq_len': 4096}"
    assert said(raw(text)) == {"batch_size": 2, "visual.max_seq_len": 6400, "max_seq_len": 4096, "whole": True}
    bare = '{"max_seq_len": 4096, "batch_size": 2, "create_runtimes": false}'
    assert said(raw(bare)) == {"max_seq_len": 4096, "batch_size": 2, "create_runtimes": False, "whole": True}
    assert said(raw('{"max_seq_len": 4096, "loss": 2}')) == {}, "one name alone is no configuration"
    assert said(record(text, RecordKind.EXCEPTION)) == {}


def test_installed_packages_are_read_and_requirements_are_not() -> None:
    assert said(raw("optimum-rbln==0.11.1")) == {"version:optimum_rbln": "0.11.1"}
    assert said(raw("rebel-compiler        0.12.0")) == {"version:rebel_compiler": "0.12.0"}
    assert said(raw("vllm-rbln 0.12.0 requires optimum-rbln==0.12.0, but you have 0.11.1")) == {}


def test_frames_tell_what_was_being_done() -> None:
    compile_ = traceback(
        "run.py:12 in <module>: m = RBLNQwen3VLForConditionalGeneration.from_pretrained(path, export=True)",
        "optimum/rbln/modeling_base.py:410 in _export: return cls.from_model(model)",
        "optimum/rbln/transformers/modeling_attention_utils.py:250 in check: raise ValueError(",
    )
    assert said(compile_) == {
        "phase": "compile",
        "form": "optimum-python",
        "model_class": "RBLNQwen3VLForConditionalGeneration",
    }
    load = traceback(
        "run.py:3 in main: model = RBLNLlamaForCausalLM.from_pretrained(path)",
        "optimum/rbln/modeling_base.py:320 in _from_pretrained: return cls._from_compiled_models(",
    )
    assert said(load)["phase"] == "load"
    generate = traceback("a.py:1 in <module>: out = model.generate(x)", "optimum/rbln/m.py:2 in generate: y = 1")
    assert said(generate)["phase"] == "generate"


def test_the_engine_of_a_server_is_no_script() -> None:
    frames = (
        "vllm/v1/engine/core.py:1340 in run_engine_core: engine_core = EngineCoreProc(*args)",
        "vllm_rbln/model_executor/models/optimum/model_base.py:260 in init_model: cls.from_pretrained(",
        "optimum/rbln/modeling_base.py:410 in _export: return cls.from_model(model)",
    )
    assert said(traceback(*frames, process="EngineCore", pid=4)) == {"phase": "compile"}


def test_a_python_llm_script_and_a_server_are_told_apart() -> None:
    script = traceback("mine.py:9 in <module>: llm = LLM(model=m)", "vllm/entrypoints/llm.py:1 in __init__: x")
    assert said(script)["form"] == "python-llm"
    server = traceback("vllm/entrypoints/openai/api_server.py:9 in run_server: x", process="APIServer", pid=3)
    assert said(server)["form"] == "vllm-serve"


def test_every_trigger_is_rare_enough_to_look_for() -> None:
    assert len(set(TRIGGERS)) == len(TRIGGERS)
    assert min(len(t.encode()) for t in TRIGGERS) >= 7
    assert not [t for t in TRIGGERS if t.strip().lower() in ("updating", "setting", "compiling", "info", "error")]


def test_the_parameters_of_this_test_are_the_projects_own() -> None:
    assert parameters()["max_seq_len"].vllm == "max_model_len"
