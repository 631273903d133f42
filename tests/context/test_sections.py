"""A file with several launches: the run's own is taken, or nothing of what they do not have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.context.clues import Clues
from diagnose.context.in_force import in_force
from diagnose.context.readers import read_config, read_text_config
from diagnose.context.sections import _MOST_NAMED
from diagnose.context.seen_whole import PARTLY
from diagnose.model import Fact, InputError, RunContext
from tests.context.log_kit import all_facts, parameters, record, values

LLAMA = "vllm serve org/llama --max-model-len 131072 --block-size 16384 --max-num-seqs 8"
QWEN = "vllm serve org/qwen --max-model-len 65536 --block-size 8192 --max-num-seqs 8"
LLAMA_IS = {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 8}
QWEN_IS = {"max_seq_len": 65536, "kvcache_partition_len": 8192, "batch_size": 8}


def compose(**services: str) -> str:
    return "services:\n" + "".join(
        f"  {name}:\n    image: vllm\n    command: {command}\n" for name, command in services.items()
    )


def deployment(name: str, command: str) -> str:
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\n"
        "spec:\n  template:\n    spec:\n      containers:\n"
        f"        - {{name: server, image: any, command: [bash, -c, '{command}']}}\n"
        "        - {name: proxy, image: any, command: [envoy]}\n"
    )


TWO = compose(llama=LLAMA, qwen=QWEN)


def taken(text: str, *servers: str, facts: list[Fact] | None = None, **stated: int) -> RunContext:
    clues = Clues(servers, {name: [value] for name, value in stated.items()})
    given_ = read_text_config(text, "f", parameters())
    return in_force(facts or [], given=[given_], clues=clues, parameters=parameters())


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("llama-1", LLAMA_IS),
        ("qwen-1", QWEN_IS),
        ("demo-qwen-1", QWEN_IS),
        ("demo_llama_1", LLAMA_IS),
        ("llama", LLAMA_IS),
        ("qwen.1", QWEN_IS),
        ("llama.log", LLAMA_IS),
    ],
)
def test_the_service_the_lines_name_is_taken(server: str, expected: dict[str, int]) -> None:
    found = taken(TWO, server)
    assert values(found) == expected
    assert found.noted == ()


def test_the_longest_of_the_names_that_fit_is_the_one() -> None:
    text = compose(**{"llama": LLAMA, "big-llama": QWEN})
    assert values(taken(text, "demo-big-llama-1")) == QWEN_IS
    assert values(taken(text, "demo-llama-1")) == LLAMA_IS


def test_a_container_name_of_compose_counts() -> None:
    text = TWO.replace("  qwen:\n", "  qwen:\n    container_name: chat\n")
    assert values(taken(text, "chat")) == QWEN_IS


@pytest.mark.parametrize("server", ["pod/qwen-6f7c9d8b5-x2x4z/server", "pod/qwen/server", "qwen server", "qwen-0"])
def test_the_pod_of_a_deployment_is_found_among_the_documents_of_a_manifest(server: str) -> None:
    text = "---\n".join(deployment(name, command) for name, command in (("llama", LLAMA), ("qwen", QWEN)))
    assert values(taken(text, server)) == QWEN_IS


def test_where_no_name_tells_the_model_does() -> None:
    facts = all_facts(record("Initializing a V1 LLM engine (v0.30.0) with config: model='org/llama', dtype=auto"))
    assert taken(TWO, "server-1", facts=facts).get("max_seq_len") == 131072


@pytest.mark.parametrize(("length", "expected"), [(131072, 16384), (65536, 8192)])
def test_where_no_name_tells_the_values_do(length: int, expected: int) -> None:
    facts = all_facts(record(f"Using max model len {length}"))
    assert taken(TWO, facts=facts).get("kvcache_partition_len") == expected


def test_a_number_of_the_message_tells_too() -> None:
    text = compose(llama=LLAMA, qwen=QWEN.replace("--max-num-seqs 8", "--max-num-seqs 2"))
    assert values(taken(text, batch_size=8)) == LLAMA_IS
    assert taken(text, batch_size=2).get("max_seq_len") == 65536


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (TWO, ("llama", "qwen")),
        (f"export RBLN_DEVICES=0\n{LLAMA} &\n{QWEN} &\n", ("2", "3")),
        ("---\n".join((deployment("llama", LLAMA), deployment("qwen", QWEN))), ("llama/server", "qwen/server")),
        (compose(both=f'bash -c "{LLAMA} & {QWEN}"'), ("both", "both:2")),
    ],
)
def test_where_several_are_left_nothing_of_what_differs_is_used_and_it_is_said(
    text: str, names: tuple[str, ...]
) -> None:
    found = taken(text)
    kept = values(found)
    assert kept.pop("batch_size") == 8
    assert not set(kept) & set(LLAMA_IS)
    assert found.model is None
    assert not found.defaults_known
    (note,) = found.noted
    assert note.entry == "config.which-section"
    assert note.numbers["sections"] == ", ".join(f"#{name}" for name in names)
    assert note.numbers["unlike"] == "model, max_seq_len, kvcache_partition_len"
    assert note.numbers["example"] == f"--config f#{names[0]}"


def test_what_the_log_or_the_person_says_anyway_needs_no_choice() -> None:
    facts = all_facts(
        record("Initializing a V1 LLM engine (v0.30.0) with config: model='org/other', max_seq_len=4096, dtype=auto")
    )
    given_ = read_text_config(TWO, "f", parameters())
    found = in_force(facts, given=[given_], sets={"kvcache_partition_len": 4096}, parameters=parameters())
    assert values(found)["max_seq_len"] == 4096
    assert found.noted == ()


@pytest.mark.parametrize(("section", "expected"), [("llama", LLAMA_IS), ("qwen", QWEN_IS)])
def test_a_person_names_the_section_behind_a_hash(tmp_path: Path, section: str, expected: dict[str, int]) -> None:
    file = tmp_path / "compose.yml"
    file.write_text(TWO)
    found = in_force([], given=[read_config(f"{file}#{section}", parameters())], parameters=parameters())
    assert values(found) == expected
    assert {setting.origin for setting in found.config.values()} == {f"{file}#{section}"}


def test_a_section_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    file = tmp_path / "compose.yml"
    file.write_text(TWO)
    with pytest.raises(InputError) as refusal:
        read_config(f"{file}#mistral", parameters())
    assert "#mistral" in refusal.value.message.en
    assert "#llama, #qwen" in refusal.value.message.en
    assert "#llama, #qwen" in refusal.value.message.ko


def test_the_only_launch_of_a_file_may_be_named_too(tmp_path: Path) -> None:
    file = tmp_path / "compose.yml"
    file.write_text(compose(llama=LLAMA, proxy="envoy"))
    assert read_config(f"{file}#llama", parameters()).values == LLAMA_IS


def test_a_file_with_a_hash_in_its_name_is_still_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a#b.sh"
    file.write_text(LLAMA)
    assert read_config(str(file), parameters()).values == LLAMA_IS


def test_a_compile_and_the_server_after_it_are_one_run() -> None:
    found = read_text_config(
        "optimum-rbln-cli --model-id org/llama --batch_size 4 --num_devices 2\nvllm serve ./out --max-num-seqs 2\n",
        "run.sh",
        parameters(),
    )
    assert (found.sections, found.values) == ((), {"batch_size": 2, "num_devices": 2})


def test_launches_that_are_alike_are_one() -> None:
    found = taken(compose(a=LLAMA, b=LLAMA))
    assert values(found) == LLAMA_IS
    assert found.noted == ()


def test_a_template_of_compose_is_no_service() -> None:
    text = f"x-vllm: &base\n  image: vllm\n  command: {LLAMA}\nservices:\n  a:\n    <<: *base\n    command: {QWEN}\n"
    assert values(taken(text)) == QWEN_IS


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from([4096, 8192]), st.sampled_from([1, 2, 4])).map(
            lambda pair: f"vllm serve org/m --max-model-len {pair[0]} --max-num-seqs {pair[1]}"
        ),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_is_used_of_any_services_is_what_all_of_them_say(commands: list[str]) -> None:
    text = compose(**{f"s{number}x": command for number, command in enumerate(commands)})
    each = [read_text_config(command, "f", parameters()).values for command in commands]
    found = values(taken(text))
    found.pop(PARTLY, None)
    expected = {name: value for name, value in each[0].items() if all(one[name] == value for one in each)}
    assert found == expected


def test_of_very_many_services_the_first_are_named() -> None:
    many = {
        f"s{number}x": f"vllm serve org/m --max-model-len {4096 * (number + 1)}" for number in range(_MOST_NAMED + 3)
    }
    (note,) = taken(compose(**many)).noted
    assert note.numbers["sections"].endswith(f"#s{_MOST_NAMED - 1}x …")
