"""Launch commands: words of a command line, and commands that stand in a log."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.argv import as_type, guess, parse_argv
from diagnose.model import GivenConfig
from tests.context.log_kit import all_facts, parameters, raw, record, said


def parsed(*argv: str) -> GivenConfig:
    found = parse_argv(argv, parameters())
    assert found is not None
    return found


def test_a_serve_command_with_every_way_to_write_an_option() -> None:
    found = parsed(
        *(
            "vllm",
            "serve",
            "a/b",
            "--max-model-len=32K",
            "--max_num_seqs",
            "4",
            "--block-size",
            "8192",
            "-tp",
            "1",
        ),
        *(
            "--rbln-num-devices-per-local-rank",
            "4",
            "--no-enable-prefix-caching",
            "--gpu-memory-utilization",
            "0.8",
        ),
        *(
            "--rbln-optimum-overrides",
            '{"visual": {"max_seq_len": 6400}, "device": [0, 1]}',
            "--port",
            "8001",
        ),
        *("--additional-config.optimum_overrides.create_runtimes", "false", "--trust-remote-code"),
    )
    assert (found.model, found.form, found.phases) == ("a/b", "vllm-serve", ("serve",))
    assert found.values == {
        "max_seq_len": 32768,
        "batch_size": 4,
        "kvcache_partition_len": 8192,
        "tensor_parallel_size": 1,
        "enable_prefix_caching": False,
        "memory_budget": 0.8,
        "port": 8001,
        "trust_remote_code": True,
        "num_devices": 4,
        "visual.max_seq_len": 6400,
        "device": [0, 1],
        "create_runtimes": False,
    }


def test_a_block_as_long_as_the_sequence_is_eager() -> None:
    found = parsed("vllm", "serve", "m", "--block-size", "4096", "--max-model-len", "4096")
    assert found.values == {"max_seq_len": 4096, "kvcache_block_size": 4096, "attn_impl": "eager"}


@pytest.mark.parametrize(
    "argv",
    [
        ["python", "-m", "vllm.entrypoints.openai.api_server", "--model", "m", "--max-model-len", "8"],
        ["/opt/venv/bin/vllm", "serve", "m", "--max-model-len", "8"],
        [
            "sudo",
            "-E",
            "uv",
            "run",
            "vllm",
            "serve",
            "m",
            "--max-model-len",
            "8",
            "2>&1",
            "|",
            "tee",
            "a.log",
        ],
        ["vllm", "serve", "--max-model-len", "8", "--model", "m"],
        ["docker", "run", "-it", "image:1", "vllm", "serve", "m", "--max-model-len", "8", "&"],
    ],
)
def test_wrappers_modules_and_pipes_do_not_hide_the_command(argv: list[str]) -> None:
    found = parsed(*argv)
    assert (found.model, found.form) == ("m", "vllm-serve")
    assert found.values["max_seq_len"] == 8
    assert "tee" not in str(found.values)


def test_the_environment_counts_and_an_option_overrides_it() -> None:
    found = parsed("VLLM_RBLN_TP_SIZE=4", "RBLN_DEVICES=0,1", "VLLM_RBLN_USE_VLLM_MODEL=1", "vllm", "serve", "m")
    assert found.values == {"num_devices": 4, "RBLN_VISIBLE_DEVICES": "0,1", "model_impl": "vllm"}
    both = parsed("VLLM_RBLN_TP_SIZE=4", "vllm", "serve", "m", "--rbln-num-devices-per-local-rank", "8")
    assert both.values == {"num_devices": 8}
    alone = parsed("export", "VLLM_RBLN_NUM_DEVICES_PER_LOCAL_RANK=8")
    assert (alone.values, alone.form) == ({"num_devices": 8}, None)


def test_the_compile_command_of_optimum() -> None:
    found = parsed(
        *(
            "optimum-rbln-cli",
            "--model-id",
            "Qwen/Qwen3-VL-2B",
            "--class",
            "RBLNQwen3VLForConditionalGeneration",
        ),
        *("-o", "out", "--batch_size", "2", "--visual.max_seq_len", "16384", "--tensor-parallel-size", "4"),
        *("--decoder-batch-sizes", "2,1", "--hf-token", "hf_x", "--visual.device", "[4, 5]"),
    )
    assert found.values == {
        "batch_size": 2,
        "visual.max_seq_len": 16384,
        "num_devices": 4,
        "decoder_batch_sizes": [2, 1],
        "visual.device": [4, 5],
    }
    assert (found.model, found.form, found.phases) == ("Qwen/Qwen3-VL-2B", "optimum-cli", ("compile",))
    assert found.model_class == "RBLNQwen3VLForConditionalGeneration"


def test_an_edit_of_an_artifact_compiles_nothing() -> None:
    found = parsed("optimum-rbln-cli", "--model-id", "dir", "--set-kvcache-num-blocks", "40")
    assert (found.values, found.phases) == ({"kvcache_num_blocks": 40}, ("load",))


def test_a_compile_script_and_any_other_script() -> None:
    found = parsed("python3", "compile.py", "--max_seq_len", "32768", "--epochs", "3")
    assert (found.values, found.form, found.phases) == (
        {"max_seq_len": 32768},
        "optimum-python",
        ("compile",),
    )
    assert parse_argv(["python", "tools/train.py", "--epochs", "3"], parameters()) is None
    assert parse_argv(["grep", "vllm", "serve", "x.log"], parameters()) is None
    assert parse_argv([], parameters()) is None


def test_a_placeholder_is_no_value() -> None:
    assert parsed("vllm", "serve", "m", "--max-model-len", "MAX_MODEL_LEN", "--block-size", "$B").values == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("32k", 32000),
        ("32K", 32768),
        ("1.5k", 1500),
        ("0.9", 0.9),
        ("true", True),
        ("False", False),
        ("1,2", [1, 2]),
        ("[1]", [1]),
        ("auto", "auto"),
        ("10GB", "10GB"),
    ],
)
def test_words_become_values(text: str, value: Any) -> None:
    assert guess(text) == value


@pytest.mark.parametrize(
    ("value", "kind", "typed"),
    [
        ("4", "int", 4),
        ("4.0", "int", 4),
        (True, "int", None),
        ("x", "int", None),
        ("0.5", "float", 0.5),
        ("1", "bool", True),
        ("2", "bool", None),
        ("80%", "budget", "80%"),
        ("10GB", "budget", "10GB"),
        (0.9, "budget", 0.9),
        ("all", "budget", None),
        ("[1, 2]", "ints", [1, 2]),
        ("8", "devices", 8),
        ("a,b", "ints", None),
        ("17", "str", "17"),
    ],
)
def test_a_value_has_its_parameters_type_or_is_left_out(value: Any, kind: Any, typed: Any) -> None:
    found = as_type(value, kind)
    assert (found, type(found)) == (typed, type(typed)) or (kind == "budget" and value == "80%")


@pytest.mark.parametrize(
    "prompt",
    [
        "$ ",
        "# ",
        "+ ",
        "++ ",
        "user@npu-01:~/work$ ",
        "(venv) user@npu:/srv$ ",
        "[root@host ~]# ",
        "Run ",
        "Command: ",
        "",
    ],
)
def test_a_command_is_recognised_behind_any_prompt(prompt: str) -> None:
    found = said(raw(f"{prompt}vllm serve a/b --max-model-len 4096 --max-num-seqs 2"))
    assert found == {"max_seq_len": 4096, "batch_size": 2, "model": "a/b", "form": "vllm-serve"}


def test_a_sentence_about_a_command_is_no_command() -> None:
    assert said(raw("Please start it with vllm serve a/b --max-model-len 4096")) == {}
    assert said(record("$ vllm serve a/b --max-model-len 4096")) == {}, "a logger's text is not a shell"


def test_a_wrapped_command_is_read_whole_or_line_by_line() -> None:
    whole = said(raw("$ vllm serve a/b \\\n    --max-model-len 4096 \\\n    --block-size 1024"))
    assert (whole["max_seq_len"], whole["kvcache_partition_len"], whole["model"]) == (4096, 1024, "a/b")
    lines = ("$ vllm serve a/b \\", "    --max-model-len 4096 \\", "    --block-size 1024")
    apart = {f.name: (f.value, f.line) for f in all_facts(*(raw(t, line=n) for n, t in enumerate(lines, 1)))}
    assert apart["max_seq_len"] == (4096, 2)
    assert apart["kvcache_partition_len"] == (1024, 3)


def test_help_text_is_no_continuation() -> None:
    assert said(raw("  --max-model-len MAX_MODEL_LEN")) == {}
    assert said(raw("  [--max-model-len 4096]")) == {}


def test_exported_variables_in_a_trace() -> None:
    assert said(raw("+ export VLLM_RBLN_NUM_DEVICES_PER_LOCAL_RANK=4")) == {"num_devices": 4}
    assert said(raw("+ export RBLN_FORCE_NPU_NAME=RBLN-CR13")) == {"npu": "RBLN-CR13"}


@given(st.lists(st.text(max_size=12), max_size=8))
def test_any_words_behind_a_command_raise_nothing(words: list[str]) -> None:
    for start in (["vllm", "serve"], ["optimum-rbln-cli"], ["python", "compile.py"]):
        parse_argv([*start, *words], parameters())


@given(
    st.dictionaries(
        st.sampled_from(["max_model_len", "max_num_seqs", "num_gpu_blocks_override", "max_num_batched_tokens"]),
        st.integers(1, 10**6),
    ),
    st.booleans(),
    st.booleans(),
)
def test_every_spelling_of_an_option_is_the_same(options: dict[str, int], dashes: bool, equals: bool) -> None:
    argv = ["vllm", "serve", "m"]
    for name, value in options.items():
        flag = "--" + (name.replace("_", "-") if dashes else name)
        argv += [f"{flag}={value}"] if equals else [flag, str(value)]
    names = {p.vllm: p.name for p in parameters().values() if p.vllm}
    assert parsed(*argv).values == {names[name]: value for name, value in options.items()}


NUMBERS = {"--max-model-len": "max_seq_len", "--max-num-seqs": "batch_size", "--block-size": "kvcache_partition_len"}


@given(st.data())
def test_a_number_that_a_terminal_broke_anywhere_is_never_read_by_half(data: st.DataObject) -> None:
    given_ = {option: data.draw(st.integers(10, 300_000)) for option in data.draw(st.permutations(list(NUMBERS)))}
    line = "$ vllm serve a/b " + " ".join(f"{option} {number}" for option, number in given_.items())
    width = data.draw(st.integers(20, len(line)))
    text = "\n".join(line[i : i + width] for i in range(0, len(line), width))
    found = said(raw(text))
    for option, number in given_.items():
        assert found.get(NUMBERS[option], number) == number


def test_a_broken_number_with_options_behind_it_is_whole() -> None:
    found = said(raw("$ vllm serve a/b --max-model-len 26214\n4 --max-num-seqs 1\n28 --block-size 4096"))
    assert (found["max_seq_len"], found["batch_size"], found["kvcache_partition_len"]) == (262144, 128, 4096)


def test_what_a_command_printed_is_not_put_behind_its_last_number() -> None:
    assert said(raw("$ vllm serve a/b --max-num-seqs 4\n100")).get("batch_size") is None


def test_a_line_of_the_server_without_its_head_is_no_part_of_the_command_before_it() -> None:
    rest = ":43 [launcher.py:98] /opt/venv/bin/python3 -m vllm.entrypoints.openai.api_server --model c/d --port 9"
    found = said(raw(f"python -m vllm.entrypoints.openai.api_server --model a/b --port 8000 {rest}"))
    assert (found["model"], found["port"]) == ("a/b", 8000)
