"""The configuration in force: precedence, places, what was overruled, defaults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.book import FactBook
from diagnose.context.effective import effective
from diagnose.context.in_force import in_force
from diagnose.model import Fact, GivenConfig, Overruled, Record, RunContext, Setting
from tests.context.log_kit import all_facts, parameters, raw, record, traceback, values

ENGINE = "Initializing a V1 LLM engine (v0.30.0) with config: model='m', max_seq_len={0}, dtype=torch.float32"
SOURCES: tuple[tuple[str, str], ...] = (
    ("files", ""),
    ("command", "$ vllm serve m --max-model-len {0}"),
    ("asked", "non-default args: {{'model': 'm', 'max_model_len': {0}}}"),
    ("section", "RBLN config: {{'optimum_overrides': {{'max_seq_len': {0}}}}}"),
    ("resolved", "Using max model len {0}"),
    ("engine", ENGINE),
    (
        "compiling",
        'Compiling m via optimum-rbln (RBLNLlamaForCausalLM) with rbln_config:\n{{\n  "max_seq_len": {0}\n}}',
    ),
    ("synced", "Updating model_config.max_model_len from 1 to {0} based on rbln_config.json"),
    ("set", ""),
)
"""Lowest first. A value of its own for each, so that the winner is known by its value."""


def context(*records: Record, **more: Any) -> RunContext:
    return in_force(all_facts(*records), parameters=parameters(), **more)


@given(st.lists(st.sampled_from(range(len(SOURCES))), min_size=1, unique=True))
def test_the_order_of_precedence_holds_for_any_sources_in_any_order(chosen: list[int]) -> None:
    records = [
        (raw if SOURCES[i][0] == "command" else record)(SOURCES[i][1].format(1000 + i), line=line)
        for line, i in enumerate(chosen, 1)
        if SOURCES[i][1]
    ]
    given_ = [GivenConfig("a.json", "rbln_config.json", {"max_seq_len": 1000})] if 0 in chosen else []
    sets = {"max_seq_len": 1000 + len(SOURCES) - 1} if len(SOURCES) - 1 in chosen else {}
    found = context(*records, given=given_, sets=sets)
    assert found.get("max_seq_len") == 1000 + max(chosen)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_within_one_rank_the_later_line_wins(numbers: list[int]) -> None:
    records = [
        record(f"Updating scheduler_config.max_num_seqs from 0 to {n} based on rbln_config.json", line=line)
        for line, n in enumerate(numbers, 1)
    ]
    setting = context(*records).setting("batch_size")
    assert setting is not None
    assert (setting.value, setting.line) == (numbers[-1], len(numbers))


def test_a_value_keeps_the_line_it_came_from() -> None:
    found = context(record("Using max model len 4096", line=12), sets={"batch_size": 3})
    assert found.config["max_seq_len"] == Setting(4096, 12, "Using max model len")
    assert found.config["batch_size"] == Setting(3, None, "--set")


def test_a_later_file_wins_over_an_earlier_one() -> None:
    files = [GivenConfig(f"{n}.json", "rbln_config.json", {"batch_size": n}) for n in (1, 2)]
    assert context(given=files).config["batch_size"] == Setting(2, None, "2.json")


def test_nothing_is_put_in_by_default() -> None:
    assert context().config == {}
    assert context() == RunContext()


def test_a_disagreement_is_reported() -> None:
    found = context(
        record("non-default args: {'model': 'm', 'max_num_seqs': 8, 'max_model_len': 4096}", line=3),
        record("Updating scheduler_config.max_num_seqs from 8 to 4 based on rbln_config.json", line=9),
        record("Using max model len 4096", line=5),
    )
    assert found.overruled == (
        Overruled("batch_size", Setting(8, 3, "non-default args"), Setting(4, 9, "Updating … to")),
    )


def test_what_a_launch_file_asked_for_can_be_overruled_and_an_artifact_asks_nothing() -> None:
    line = record("Updating scheduler_config.max_num_seqs from 8 to 4 based on rbln_config.json")
    launch = GivenConfig("run.sh", "shell", {"batch_size": 8}, form="vllm-serve")
    artifact = GivenConfig("rbln_config.json", "rbln_config.json", {"batch_size": 8})
    assert [o.asked.origin for o in context(line, given=[launch]).overruled] == ["run.sh"]
    assert context(line, given=[artifact]).overruled == ()


def test_another_word_for_the_same_value_is_no_disagreement() -> None:
    engine = record("Initializing a V1 LLM engine (v0.30.0) with config: model='m', dtype=torch.float16", line=9)
    for word in ("half", "auto", "float16"):
        assert context(record(f"non-default args: {{'model': 'm', 'dtype': '{word}'}}"), engine).overruled == ()
    assert len(context(record("non-default args: {'model': 'm', 'dtype': 'float32'}"), engine).overruled) == 1


def test_the_architecture_of_a_draft_model_is_not_the_models() -> None:
    lines = ("LlamaForCausalLM", "EagleLlamaForCausalLM")
    found = context(*(record(f"Resolved architecture: {c}", line=n) for n, c in enumerate(lines, 1)))
    assert found.model_class == "RBLNLlamaForCausalLM"


def test_a_value_set_by_hand_is_no_disagreement() -> None:
    asked = record("non-default args: {'model': 'm', 'max_num_seqs': 8}")
    assert context(asked, sets={"batch_size": 2}).overruled == ()


# --------------------------------------------------------------------------- attention blocks and chunks


def test_a_block_size_becomes_eager_when_the_length_in_force_is_the_same() -> None:
    found = context(
        record("non-default args: {'model': 'm', 'block_size': 8192}", line=1),
        record("Using max model len 8192", line=2),
    )
    assert values(found) == {"max_seq_len": 8192, "kvcache_block_size": 8192, "attn_impl": "eager"}


def test_a_partition_as_long_as_the_sequence_in_an_rbln_config_stays_what_it_is() -> None:
    found = context(sets={}, given=[GivenConfig("a", "python", {"kvcache_partition_len": 8, "max_seq_len": 8})])
    assert values(found) == {"kvcache_partition_len": 8, "max_seq_len": 8}


def test_the_scheduler_budget_of_older_plugins_is_no_prefill_chunk() -> None:
    asked = "non-default args: {'model': 'm', 'max_num_batched_tokens': 256}"
    new = context(record(asked), record("vLLM server version 0.30.0, serving model m"), npu="RBLN-CR13")
    assert values(new) == {"prefill_chunk_size": 256}
    old = context(
        record(asked),
        record("vLLM API server version 0.13.0"),
        record("Updating scheduler_config.max_num_seqs from 1 to 2 based on rbln_config.json"),
    )
    assert values(old) == {"max_num_batched_tokens": 256, "batch_size": 2}


def test_the_default_of_vllm_is_not_taken_for_a_prefill_chunk() -> None:
    chunk = record("Chunked prefill is enabled with max_num_batched_tokens=2048.", line=4)
    assert values(context(chunk)) == {"max_num_batched_tokens": 2048}
    asked = record("non-default args: {'model': 'm', 'max_num_batched_tokens': 2048}")
    assert values(context(asked, chunk)) == {"prefill_chunk_size": 2048}


# --------------------------------------------------------------------------- places


def test_fields_are_placed_where_the_class_keeps_them() -> None:
    found = context(
        record("Resolved architecture: Gemma3ForConditionalGeneration"),
        record("non-default args: {'model': 'g', 'max_model_len': 4096, 'max_num_seqs': 2}"),
        sets={"visual.device": 4},
    )
    assert (found.lm_prefix, found.vision_prefix) == ("language_model", "vision_tower")
    assert values(found) == {"language_model.max_seq_len": 4096, "batch_size": 2, "vision_tower.device": 4}
    assert (found.get("max_seq_len"), found.get("visual.device")) == (4096, 4)


def test_one_value_under_two_names_is_weighed_as_one() -> None:
    found = context(
        record(
            "Compiling g via optimum-rbln (RBLNGemma3ForConditionalGeneration) with rbln_config:\n"
            '{"language_model": {"max_seq_len": 8192}}'
        ),
        record("non-default args: {'model': 'g', 'max_model_len': 4096}", line=9),
    )
    assert values(found) == {"language_model.max_seq_len": 8192}
    assert [o.parameter for o in found.overruled] == ["language_model.max_seq_len"]


@pytest.mark.parametrize(
    ("cls", "lm", "vision"),
    [
        ("Qwen2VLForConditionalGeneration", "", "visual"),
        ("Qwen2_5_VLForConditionalGeneration", "", "visual"),
        ("Qwen3VLForConditionalGeneration", "", "visual"),
        ("Qwen3VLMoeForConditionalGeneration", "", "visual"),
        ("Qwen3_5ForConditionalGeneration", "", "visual"),
        ("Exaone4_5_ForConditionalGeneration", "", "visual"),
        ("Qwen3ASRForConditionalGeneration", "", None),
        ("LlavaForConditionalGeneration", "language_model", "vision_tower"),
        ("LlavaNextForConditionalGeneration", "language_model", "vision_tower"),
        ("Gemma4ForConditionalGeneration", "language_model", "vision_tower"),
        ("PaliGemmaForConditionalGeneration", "language_model", "vision_tower"),
        ("Idefics3ForConditionalGeneration", "text_model", "vision_model"),
        ("Blip2ForConditionalGeneration", "language_model", "vision_model"),
        ("ColPaliForRetrieval", "vlm.language_model", "vlm.vision_tower"),
        ("ColQwen2ForRetrieval", "vlm", "vlm.visual"),
        ("Gemma3ForCausalLM", "", None),
        ("LlamaForCausalLM", "", None),
    ],
)
def test_every_class_has_its_layout(cls: str, lm: str, vision: str | None) -> None:
    found = context(record(f"Resolved architecture: {cls}"))
    assert (found.model_class, found.lm_prefix, found.vision_prefix) == (f"RBLN{cls}", lm, vision)


def test_without_a_class_the_keys_and_then_the_name_decide() -> None:
    keys = context(sets={"language_model.max_seq_len": 8, "vision_tower.max_soft_tokens": 70})
    assert (keys.lm_prefix, keys.vision_prefix, keys.model_class) == ("language_model", "vision_tower", None)
    name = context(record("non-default args: {'model': 'Qwen/Qwen3-VL-2B-Instruct', 'port': 1}"))
    assert (name.lm_prefix, name.vision_prefix, name.model_class) == ("", "visual", None)
    text = context(record("non-default args: {'model': 'google/gemma-3-1b-it', 'port': 1}"))
    assert (text.lm_prefix, text.vision_prefix) == ("", None)


def test_the_number_of_devices_is_inferred_from_a_list_only_when_nothing_says_it() -> None:
    listed = context(sets={"device": [0, 1, 2, 3]})
    assert listed.config["num_devices"] == Setting(4, None, "--set, device list (inferred)")
    assert context(sets={"device": [0, 1], "num_devices": 8}).get("num_devices") == 8
    assert "num_devices" not in context(sets={"device": 3}).config


# --------------------------------------------------------------------------- the run itself


def test_npu_by_hand_then_log_then_file() -> None:
    line = record("-- Target NPU: RBLN-CA22")
    file = GivenConfig("a", "python", npu="RBLN-CA25")
    assert context(line, given=[file], npu="RBLN-CR13").npu == "RBLN-CR13"
    assert context(line, given=[file]).npu == "RBLN-CA22"
    assert context(given=[file]).npu == "RBLN-CA25"


def test_the_device_table_counts() -> None:
    row = "| {0}   | RBLN-CA25 | rbln{0}   | 0000:51:00.0 | 38C | 43.9W | P2 | 2.4GB / 15.7GiB | 98.7 |"
    found = context(raw(row.format(0)), raw(row.format(3), line=2), raw(row.format(1), line=3))
    assert found.config["devices_available"] == Setting(4, 2, "rbln-smi")


@pytest.mark.parametrize(
    ("banner", "expected"),
    [
        ("0.9.1", {"vllm_rbln_min": "0.8.1", "vllm_rbln_max": "0.9.1"}),
        ("0.10.2", {"vllm_rbln_min": "0.9.2", "vllm_rbln_max": "0.10.0"}),
        ("0.13.0", {"vllm_rbln_min": "0.10.1", "vllm_rbln_max": "0.10.2"}),
        ("0.18.0+cpu", {"vllm_rbln_min": "0.10.3", "vllm_rbln_max": "0.10.5"}),
        ("0.22.0+cpu", {"vllm_rbln_min": "0.11.0", "vllm_rbln_max": "0.11.1"}),
        ("0.30.0+cpu", {"vllm_rbln": "0.12.0", "optimum_rbln": "0.12.0"}),
    ],
)
def test_the_pins_give_the_plugin_release(banner: str, expected: dict[str, str]) -> None:
    found = context(record(f"vLLM API server version {banner}"), record("-- Target NPU: RBLN-CA22"))
    assert found.versions == {"vllm": banner, **expected}
    assert found.inferred == tuple(sorted(expected))


def test_a_version_that_a_line_states_or_a_person_gives_is_not_inferred() -> None:
    lines = [record("vLLM API server version 0.30.0"), record("-- Target NPU: RBLN-CA22")]
    assert context(*lines, sets={"version:vllm_rbln": "0.12.0"}).inferred == ("optimum_rbln",)
    stated = context(*lines, record("RBLN SDK compiler version: 0.12.0"))
    assert "rebel_compiler" not in stated.inferred


def test_a_foreign_run_gets_no_plugin_release() -> None:
    assert context(record("vLLM API server version 0.30.0")).versions == {"vllm": "0.30.0"}


def test_the_date_form_narrows_the_plugin_release() -> None:
    tagged = record("Using max model len 8", writer="vllm", time="2026-11-29 11:59:32,752")
    both = context(tagged, record("vLLM API server version 0.10.2"))
    assert both.versions == {"vllm": "0.10.2", "vllm_rbln_min": "0.9.4", "vllm_rbln_max": "0.10.0"}


def test_a_stated_version_beats_a_concluded_one() -> None:
    found = context(
        record("RBLN SDK compiler version: 0.12.0.post1"),
        record("mega-cache config_signature=a (npu=RBLN-CR13 rebel=0.12)", line=9),
    )
    assert found.versions["rebel_compiler"] == "0.12.0.post1"


def test_form_phases_and_path_of_a_server() -> None:
    found = context(
        record("non-default args: {'model_tag': 'm', 'model': 'm'}"),
        record("Found cached compiled model at /c"),
        record("Application startup complete."),
    )
    assert (found.form, found.path, found.phases, found.model) == (
        "vllm-serve",
        "optimum",
        frozenset({"load", "serve"}),
        "m",
    )


def test_files_fill_what_the_log_does_not_say() -> None:
    file = GivenConfig(
        "run.py",
        "python",
        {"model_impl": "vllm", "processor.image_sizes": [[448, 672], [448, 672]]},
        model="x",
        model_class="RBLNLlamaForCausalLM",
        versions={"optimum_rbln": "0.11.1"},
        architecture={"head_dim": 64},
        form="python-llm",
        phases=("compile",),
    )
    found = context(given=[file])
    assert (found.model, found.model_class, found.path, found.form) == (
        "x",
        "RBLNLlamaForCausalLM",
        "vllm",
        "python-llm",
    )
    assert (found.versions, found.architecture) == ({"optimum_rbln": "0.11.1"}, {"head_dim": 64})
    assert (found.phases, found.image_sizes) == (frozenset({"compile"}), ((448, 672),))
    assert values(found) == {"model_impl": "vllm"}


def test_values_by_hand_that_are_no_settings_go_where_they_belong() -> None:
    file = GivenConfig("c", "hf-config", architecture={"head_dim": 64, "vocab_size": 9})
    by_hand = {
        "npu": "RBLN-CR13",
        "architecture.head_dim": 128,
        "image_sizes": [[1080, 1920]],
        "batch_size": None,
    }
    found = context(record("-- Target NPU: RBLN-CA22"), given=[file], sets=by_hand)
    assert (found.npu, found.config) == ("RBLN-CR13", {})
    assert found.architecture == {"head_dim": 128, "vocab_size": 9}
    assert found.image_sizes == ((1080, 1920),)


def test_none_by_hand_takes_a_value_away() -> None:
    line = record("Setting max_num_seqs to 2 based on additional_config.optimum_overrides")
    assert context(line, sets={"batch_size": None}).config == {}


# --------------------------------------------------------------------------- defaults


def filled(npu: str | None = None, versions: dict[str, str] | None = None, **sets: Any) -> dict[str, Any]:
    file = GivenConfig("v", "python", versions=versions or {})
    found = effective(context(sets=sets, npu=npu, given=[file]), parameters())
    return {name: setting.value for name, setting in found.items()}


def test_defaults_of_flash_attention_by_npu_and_release() -> None:
    flash: Any = {"attn_impl": "flash_attn", "max_seq_len": 65536}
    assert filled("RBLN-CA25", **flash)["kvcache_partition_len"] == 16384
    assert filled("RBLN-CR13", **flash)["kvcache_partition_len"] == 8192
    assert filled("RBLN-CR13", {"optimum_rbln": "0.11.2"}, **flash)["kvcache_partition_len"] == 16384
    assert "kvcache_partition_len" not in filled(None, **flash), "the NPU decides and is not known"
    assert filled("RBLN-CR13", **flash)["kvcache_block_size"] == 8192


def test_defaults_of_eager_attention() -> None:
    found = filled("RBLN-CA25", max_seq_len=4096)
    assert (found["attn_impl"], found["kvcache_block_size"]) == ("eager", 4096)
    assert "kvcache_partition_len" not in found
    assert filled(kvcache_partition_len=1024)["attn_impl"] == "flash_attn"


def test_defaults_of_the_prefill_chunk() -> None:
    assert filled("RBLN-CA25")["prefill_chunk_size"] == 128
    assert filled("RBLN-CR13")["prefill_chunk_size"] == 512
    assert filled("RBLN-CR13", {"optimum_rbln": "0.11.0"})["prefill_chunk_size"] == 128
    assert "prefill_chunk_size" not in filled()


def test_defaults_are_marked_and_never_replace_a_value() -> None:
    found = effective(context(sets={"batch_size": 4}, npu="RBLN-CA25"), parameters())
    assert found["batch_size"] == Setting(4, None, "--set")
    assert found["decoder_batch_sizes"].value == [4]
    assert found["num_devices"] == Setting(1, None, "default of optimum-rbln (release unknown, 0.12.0 assumed)")
    known = effective(
        context(record("vLLM API server version 0.30.0"), record("-- Target NPU: RBLN-CA22")), parameters()
    )
    assert known["num_devices"].origin == "default of optimum-rbln 0.12.0"
    assert known["memory_budget"] == Setting(0.93, None, "default of vllm-rbln 0.12.0")


def test_a_nested_value_is_found_under_its_canonical_name_too() -> None:
    nested = context(record("Resolved architecture: Gemma3ForConditionalGeneration"), sets={"max_seq_len": 8192})
    found = effective(nested, parameters())
    assert found["max_seq_len"] == found["language_model.max_seq_len"] == Setting(8192, None, "--set")
    assert found["prefill_chunk_size"].value == 256
    assert found["visual.create_runtimes"].value is True
    assert "visual.create_runtimes" not in filled(), "a text model has no vision submodule"


# --------------------------------------------------------------------------- keeping facts small


NAMES = st.sampled_from(["batch_size", "max_seq_len"])
FACTS = st.lists(st.tuples(NAMES, st.integers(1, 3), st.sampled_from([20, 70])), max_size=30)


@given(FACTS)
def test_leaving_out_repeated_facts_changes_nothing_in_any_run(told: list[tuple[str, int, int]]) -> None:
    facts = [Fact(name, value, line, 0, f"o{rank}", rank) for line, (name, value, rank) in enumerate(told, 1)]
    book = FactBook()
    book.add(facts)
    assert values(in_force(book, parameters=parameters())) == values(in_force(facts, parameters=parameters()))
    assert len(book) <= len(facts)


def test_an_error_storm_is_one_fact_and_a_new_start_says_it_again() -> None:
    book = FactBook()
    storm = [Fact("path", "vllm", line, 0, "file of the record", 50) for line in range(1000)]
    book.add(storm)
    assert len(book) == 1
    book.new_start()
    book.add(storm)
    assert len(book) == 2


def test_what_another_engine_says_again_is_kept_once_and_what_a_worker_does_is_not() -> None:
    for process, kept in (("EngineCore_DP0", 2), ("APIServer", 2), ("Worker_TP0", 1), ("RayWorkerWrapper", 1)):
        book = FactBook()
        book.add(Fact("batch_size", 8, line, 0, "o", 50, (process, 100 + line % 2)) for line in range(1000))
        assert len(book) == kept


# --------------------------------------------------------------------------- the batch of a nested language model

GEMMA = "rbln_config = {'language_model': {'batch_size': 8, 'max_seq_len': 131072}, 'vision_tower': {}}"


def test_the_batch_of_the_language_models_own_section_wins() -> None:
    found = context(raw(GEMMA))
    assert (found.get("batch_size"), found.get("language_model.batch_size")) == (8, 8)
    both = "rbln_config = {'batch_size': 1, 'language_model': {'batch_size': 8, 'max_seq_len': 131072}}"
    assert context(raw(both)).get("batch_size") == 8
    artifact = {"batch_size": 1, "language_model.batch_size": 4, "vision_tower.batch_size": 1}
    assert context(given=[GivenConfig("a", "rbln_config.json", artifact)]).get("batch_size") == 4
    assert context(raw(GEMMA), sets={"batch_size": 2}).get("batch_size") == 2
    synced = record("Updating scheduler_config.max_num_seqs from 8 to 4 based on rbln_config.json", line=9)
    assert context(raw(GEMMA), synced).get("batch_size") == 4


def test_a_batch_of_the_vision_tower_is_not_the_models() -> None:
    text = "rbln_config = {'vision_tower': {'batch_size': 8}, 'language_model': {'max_seq_len': 4096}}"
    assert context(raw(text)).get("batch_size") is None


# --------------------------------------------------------------------------- what an rbln_config's names mean


@pytest.mark.parametrize(
    "line",
    [
        raw("rbln_config = {'kvcache_partition_len': 16384, 'max_seq_len': 16384, 'batch_size': 4}"),
        raw("$ optimum-rbln-cli --model-id m --kvcache_partition_len 16384 --max_seq_len 16384"),
    ],
)
def test_a_partition_as_long_as_the_sequence_is_no_eager_attention(line: Record) -> None:
    found = values(context(line))
    assert found["kvcache_partition_len"] == found["max_seq_len"] == 16384
    assert not {"attn_impl", "kvcache_block_size"} & found.keys()


# --------------------------------------------------------------------------- devices


def test_a_submodules_list_does_not_overrule_its_parents_number() -> None:
    text = "rbln_config = {'visual': {'device': [8, 9, 10, 11]}, 'num_devices': 8, 'max_seq_len': 4096}"
    assert context(raw(text)).get("visual.num_devices") is None
    alone = context(raw("rbln_config = {'visual': {'device': [8, 9]}, 'max_seq_len': 4096}"))
    assert alone.get("visual.num_devices") == 2
    args = "{'num_devices_per_local_rank': 8, 'optimum_overrides': {'visual': {'device': [8, 9]}}}"
    served = f"non-default args: {{'model': 'Qwen/Qwen3-VL-2B-Instruct', 'port': 1, 'additional_config': {args}}}"
    assert context(record(served)).get("visual.num_devices") == 2, "vllm-rbln takes the number from the list"


@pytest.mark.parametrize(
    ("value", "count"),
    [("0,1,2,3", 4), ("0-7", 8), ("3", 1), ("rbln:0,rbln:1", 2), ("0,0", 1), ("all", None), ("", None)],
)
def test_exported_devices_are_the_ones_there_are(value: str, count: int | None) -> None:
    given_ = GivenConfig("run.sh", "shell", {"RBLN_VISIBLE_DEVICES": value})
    assert context(given=[given_]).get("devices_available") == count
    if count is not None:
        row = raw("| 9   | RBLN-CA25 | rbln9   | 0000:51:00.0 | 38C | 43.9W | P2 | 2.4GB / 15.7GiB | 98.7 |")
        assert context(row, given=[given_]).get("devices_available") == count, "the process sees no others"


def test_devices_exported_in_the_log_count() -> None:
    assert context(raw("$ RBLN_DEVICES=0,1,2,3 vllm serve m --max-model-len 4096")).get("devices_available") == 4


# --------------------------------------------------------------------------- a compiled artifact

ARTIFACT = GivenConfig(
    "rbln_config.json", "rbln_config.json", {"kvcache_num_blocks": 9, "visual.max_seq_len": 16384, "num_devices": 4}
)
OVERRIDES = "{'device': [4, 5], 'kvcache_num_blocks': 40, 'visual': {'max_seq_len': 3136, 'device': [8, 9]}}"
SERVED = f"non-default args: {{'model': '/m/a', 'additional_config': {{'optimum_overrides': {OVERRIDES}}}}}"
LOADED = record("Loading RBLN model from /m/a", line=4)


def test_a_loaded_artifact_keeps_what_was_compiled_into_it() -> None:
    found = context(record(SERVED), LOADED, given=[ARTIFACT])
    assert (found.get("kvcache_num_blocks"), found.get("visual.max_seq_len")) == (9, 16384)
    assert (found.get("device"), found.get("visual.device")) == ([4, 5], [8, 9])
    assert {o.parameter for o in found.overruled} == {"kvcache_num_blocks", "visual.max_seq_len"}
    compiled = context(record(SERVED), given=[ARTIFACT])
    assert compiled.get("kvcache_num_blocks") == 40, "without a load, the log is believed first"


# --------------------------------------------------------------------------- releases by old names


def test_old_names_bound_the_release_until_something_tells_it() -> None:
    old = raw("rbln_config = {'tensor_parallel_size': 4, 'max_seq_len': 6144}")
    assert context(old).versions == {"optimum_rbln_max": "0.10.4"}
    older = raw("rbln_config = {'tensor_parallel_size': 4, 'visual': {'max_seq_lens': 6400}}")
    assert context(older).versions == {"optimum_rbln_max": "0.10.3"}
    known = record("RBLN SDK compiler version: 0.12.0", line=2)
    assert context(old, known).versions == {"rebel_compiler": "0.12.0"}
    warning = record("`tensor_parallel_size` is deprecated and will be removed in version 0.13.0 for `X`.", line=2)
    assert context(old, warning).versions == {}
    assert context(raw("rbln_config = {'num_devices': 4, 'max_seq_len': 6144}")).versions == {}


# --------------------------------------------------------------------------- was all of it seen?

PRINTED = raw("rbln_config = {'max_seq_len': 4096}")
COMPILED = record('Compiling m via optimum-rbln (RBLNLlamaForCausalLM) with rbln_config:\n{\n  "max_seq_len": 4096\n}')
CUT = record('Compiling m via optimum-rbln (RBLNLlamaForCausalLM) with rbln_config:\n{\n  "max_seq_len": 4096,')


@pytest.mark.parametrize(
    ("lines", "files", "known"),
    [
        ([], [], False),
        ([PRINTED], [], True),
        ([PRINTED, LOADED], [], False),
        ([COMPILED], [], True),
        ([CUT], [], False),
        ([raw("rbln_config = {'visual': {'device': 3}}")], [], False),
        ([raw("rbln_config = {'max_seq_len': 4096, 'batch_size': ")], [], False),
        ([record(SERVED)], [], False),
        ([LOADED], [ARTIFACT], False),
        ([LOADED], [GivenConfig("a", "rbln_config.json", {"num_devices": 4, "batch_size": 1})], True),
        ([], [GivenConfig("a.py", "python", {"max_seq_len": 4096}, form="optimum-python")], True),
        ([], [GivenConfig("a.py", "python", {"max_seq_len": 8, "seen:partly": True}, form="optimum-python")], False),
        ([LOADED], [GivenConfig("a.py", "python", {"max_seq_len": 4096}, form="optimum-python")], False),
        ([], [GivenConfig("a.sh", "shell", {"batch_size": 4}, model="o/m", form="vllm-serve")], True),
        ([], [GivenConfig("a.sh", "shell", {"batch_size": 4}, model="/m/a", form="vllm-serve")], False),
        ([], [GivenConfig("a.sh", "shell", {"max_seq_len": 4096}, model="o/m", form="vllm-serve")], False),
        ([], [GivenConfig("config.json", "hf-config")], False),
    ],
)
def test_a_missing_key_is_a_default_only_where_all_was_seen(
    lines: list[Record], files: list[GivenConfig], known: bool
) -> None:
    assert context(*lines, given=files).defaults_known is known


# --------------------------------------------------------------------------- the class by its package


@pytest.mark.parametrize(
    ("package", "cls"),
    [
        ("qwen2_vl", "RBLNQwen2VLForConditionalGeneration"),
        ("qwen2_5_vl", "RBLNQwen2_5_VLForConditionalGeneration"),
        ("qwen3_vl", "RBLNQwen3VLForConditionalGeneration"),
        ("gemma3", None),
        ("decoderonly", None),
    ],
)
def test_the_package_of_a_frame_tells_the_class_where_nothing_else_does(package: str, cls: str | None) -> None:
    frame = f"optimum/rbln/transformers/models/{package}/modeling_{package}.py:219 in forward: raise ValueError("
    found = context(traceback("infer.py:30 in <module>: out = model.generate(**inputs)", frame))
    assert found.model_class == cls
    named = context(traceback(frame), sets={"model": "LGAI-EXAONE/EXAONE-4.5-33B"})
    assert named.model_class is None, "the name decides"
    stated = record("Resolved architecture: LlamaForCausalLM", line=9)
    assert context(traceback(frame), stated).model_class == "RBLNLlamaForCausalLM"


def test_the_package_shared_with_a_text_model_needs_a_vision_field() -> None:
    frame = traceback("optimum/rbln/transformers/models/qwen3_5/modeling_qwen3_5.py:400 in forward: x")
    assert context(frame).model_class is None
    seen = context(raw("rbln_config = {'visual': {'max_seq_len': 16384}}"), frame)
    assert seen.model_class == "RBLNQwen3_5ForConditionalGeneration"
