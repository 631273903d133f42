"""Shell scripts, command lines, compose and Kubernetes files."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.context.readers import read_text_config
from diagnose.context.readers.shell_words import commands
from diagnose.context.seen_whole import PARTLY
from diagnose.model import GivenConfig, InputError
from tests.context.log_kit import parameters


def read(text: str) -> GivenConfig:
    """What the file configures; whether that is all of it is asked with ``wholly``."""
    found = read_text_config(text, "run.sh", parameters())
    return replace(found, values={name: value for name, value in found.values.items() if name != PARTLY})


def wholly(text: str) -> bool:
    return PARTLY not in read_text_config(text, "run.sh", parameters()).values


SCRIPT = r"""#!/bin/bash
set -e
# don't start without a model
MODEL=Qwen/Qwen3-VL-2B-Instruct
LEN=${1:-4096}
export VLLM_RBLN_SUB_BLOCK_SIZE=128
cat > note.txt <<'EOF'
it isn't a command: vllm serve other --max-model-len 1
EOF
RBLN_VISIBLE_DEVICES=0,1 nohup vllm serve "$MODEL" \
  --block-size 16384 \
  --max-model-len $LEN \
  --max-num-seqs 8 \
  --rbln-num-devices-per-local-rank 8 \
  --rbln-optimum-overrides '{"device": [0, 1], "visual": {"device": [2, 3], "max_seq_len": 16384}}' \
  > server.log 2>&1 &
"""


def test_a_script_with_continuations_quotes_and_variables_is_read() -> None:
    given_ = read(SCRIPT)
    assert (given_.kind, given_.form, given_.phases) == ("shell", "vllm-serve", ("serve",))
    assert given_.model == "Qwen/Qwen3-VL-2B-Instruct"
    assert given_.values == {
        "sub_block_size": 128,
        "RBLN_VISIBLE_DEVICES": "0,1",
        "kvcache_partition_len": 16384,
        "batch_size": 8,
        "num_devices": 8,
        "device": [0, 1],
        "visual.device": [2, 3],
        "visual.max_seq_len": 16384,
    }


def test_a_variable_that_is_not_certain_gives_no_value() -> None:
    given_ = read("M=a\nM=b\nvllm serve $M --max-model-len ${LEN} --block-size 4096\n")
    assert given_.model is None
    assert given_.values == {"kvcache_partition_len": 4096}


def test_the_api_server_module_and_a_prompt_in_front_are_read() -> None:
    given_ = read("$ python3 -m vllm.entrypoints.openai.api_server --model foo/bar --max-model-len 32768\n")
    assert (given_.form, given_.model, given_.values) == ("vllm-serve", "foo/bar", {"max_seq_len": 32768})


def test_the_overrides_of_the_only_launch_are_kept_as_written() -> None:
    overrides = {"batch_size": 2, "prefill_chunk_size": 256}
    given_ = read(f"vllm serve m --additional-config '{json.dumps({'optimum_overrides': overrides})}'\n")
    assert given_.additional == {"optimum_overrides": overrides}


def test_the_compile_command_line_is_read() -> None:
    given_ = read(
        "optimum-rbln-cli --model-id Qwen/X --class RBLNQwen3VLForConditionalGeneration \\\n"
        "  --batch_size 2 --visual.max_seq_len '[3136, 16384]' --num_devices 4\n"
    )
    assert (given_.form, given_.phases, given_.model) == ("optimum-cli", ("compile",), "Qwen/X")
    assert given_.model_class == "RBLNQwen3VLForConditionalGeneration"
    assert given_.values == {"batch_size": 2, "visual.max_seq_len": [3136, 16384], "num_devices": 4}


def test_a_launch_inside_another_shell_is_found() -> None:
    given_ = read("docker run --rm -e VLLM_RBLN_TP_SIZE=4 image bash -c 'cd /srv && vllm serve m --block-size 8192'\n")
    assert given_.values["kvcache_partition_len"] == 8192
    assert given_.model == "m"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('a \'b c\' "d\\"e" f\\ g', [("a", "b c", 'd"e', "f g")]),
        ("a # b 'c\nd", [("a",), ("d",)]),
        ("a#b", [("a#b",)]),
        ("a \\\n b", [("a", "b")]),
        ("a 2>&1 >x | b && c; d", [("a",), ("b",), ("c",), ("d",)]),
        ("a <<E\nb 'c\nE\nd", [("a",), ("d",)]),
        ("a $(b c) ${D} `e f`", [("a", "$(b c)", "${D}", "`e f`")]),
        ("a --n 2 > f", [("a", "--n", "2")]),
    ],
)
def test_words_are_split_as_a_shell_splits_them(text: str, words: list[tuple[str, ...]]) -> None:
    assert [command.words for command in commands(text)] == words


@settings(max_examples=100)
@given(st.lists(st.text(st.characters(codec="ascii", min_codepoint=32), min_size=1, max_size=8), min_size=1))
def test_any_quoted_words_come_back(words: list[str]) -> None:
    assert [command.words for command in commands(shlex.join(words))] == [tuple(words)]


COMPOSE = """
x-common: &common
  environment:
    VLLM_RBLN_NUM_DEVICES_PER_LOCAL_RANK: 4
services:
  llm:
    <<: *common
    image: registry.example/vllm-rbln:0.12
    command: >
      --model Qwen/Qwen3-0.6B --max-model-len 40960
      --block-size 20480
"""


def test_a_compose_file_gives_command_and_environment() -> None:
    given_ = read(COMPOSE)
    assert (given_.kind, given_.form, given_.model) == ("compose", "vllm-serve", "Qwen/Qwen3-0.6B")
    assert given_.values == {"num_devices": 4, "max_seq_len": 40960, "kvcache_partition_len": 20480}


KUBERNETES = """
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: server
          image: registry.example/any
          command: ["/bin/bash", "-c"]
          args:
            - |
              vllm serve /models/a --max-model-len 8192 \\
                --rbln-optimum-overrides '{"device": 1}'
          env:
            - {name: VLLM_RBLN_TP_SIZE, value: "2"}
            - {name: SECRET, valueFrom: {secretKeyRef: {name: a, key: b}}}
---
kind: Service
apiVersion: v1
"""


def test_a_kubernetes_file_gives_command_and_environment() -> None:
    given_ = read(KUBERNETES)
    assert (given_.kind, given_.form, given_.model) == ("kubernetes", "vllm-serve", "/models/a")
    assert given_.values == {"num_devices": 2, "max_seq_len": 8192, "device": 1}


def test_a_list_of_words_is_a_command_too() -> None:
    given_ = read("services:\n  a:\n    command: [vllm, serve, m, --max-num-seqs, 4, --no-enable-prefix-caching]\n")
    assert given_.values == {"batch_size": 4, "enable_prefix_caching": False}


@pytest.mark.parametrize("text", ["echo vllm serve-all", 'vllm serve "a', "python other.py --flag\n"])
def test_a_script_that_launches_nothing_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read(text)


OVERRIDES = st.dictionaries(
    st.sampled_from(["device", "decoder_batch_sizes"]),
    st.integers(0, 9) | st.lists(st.integers(0, 99), min_size=1),
    min_size=1,
)


@settings(max_examples=50)
@given(st.integers(1, 2**30), OVERRIDES)
def test_any_flags_come_back(length: int, overrides: dict[str, Any]) -> None:
    line = f"vllm serve m --max-model-len {length} --rbln-optimum-overrides {shlex.quote(json.dumps(overrides))}"
    assert read(line).values == {"max_seq_len": length, **overrides}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm serve a/b --max-num-seqs 4\n", True),
        ("M=a/b\nvllm serve $M --max-num-seqs 4\n", True),
        ("vllm serve a/b --max-num-seqs 4 $EXTRA\n", False),
        ('vllm serve a/b --max-num-seqs 4 "$@"\n', False),
        ("vllm serve a/b --max-num-seqs 4 --max-model-len $LEN\n", False),
    ],
)
def test_what_only_a_run_would_know_is_marked(text: str, expected: bool) -> None:
    assert wholly(text) is expected
