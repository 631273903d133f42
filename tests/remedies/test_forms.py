"""How a change is shown in each form, and that what is shown says exactly the change."""

from __future__ import annotations

import ast
import json
import shlex
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.model import Change, RunContext, Setting
from diagnose.remedies.forms import commands, serve_command
from tests.context.log_kit import parameters

MODEL = "Qwen/Qwen3-VL-2B-Instruct"
REBEL = {
    "visual.max_seq_len": 16384,
    "visual.num_devices": 1,
    "num_devices": 1,
    "kvcache_partition_len": 8192,
    "max_seq_len": 262144,
    "batch_size": 8,
}


def run(config: dict[str, Any] | None = None, *, origin: str = "non-default args", **more: Any) -> RunContext:
    settings_ = {name: Setting(value, 1, origin) for name, value in (config or {}).items()}
    more.setdefault("vision_prefix", "visual")
    return RunContext(config=settings_, **more)


def shown(*changes: Change, context: RunContext | None = None) -> dict[str, str]:
    return commands(changes, context or run(), parameters())


def flags(text: str) -> dict[str, Any]:
    """The flags of a command line as a shell and vLLM would read them."""
    words = shlex.split(text, comments=True)
    found: dict[str, Any] = {}
    for index, word in enumerate(words):
        if word.startswith("--"):
            value = words[index + 1] if index + 1 < len(words) and not words[index + 1].startswith("--") else None
            found[word] = value
    return found


def snippet(text: str, keep: str = "+ ") -> ast.Module:
    """The Python after (or before) the change: markers off, the other side's lines left out."""
    return ast.parse("\n".join(line[2:] for line in text.split("\n") if line[:2] in ("  ", keep) or not line))


def after(text: str) -> dict[str, Any]:
    module = snippet(text)
    (assigned,) = [node for node in module.body if isinstance(node, ast.Assign)]
    found = ast.literal_eval(assigned.value)
    assert isinstance(found, dict)
    return found


# ---------------------------------------------------------------- exact texts


def test_a_shorter_context_is_one_flag_and_one_changed_line() -> None:
    got = shown(Change("max_seq_len", 262144, 180224), context=run(REBEL, form="vllm-serve", model=MODEL))
    assert list(got) == ["vllm", "python", "llm", "cli"]
    assert got["vllm"] == "--max-model-len 180224"
    assert got["cli"] == "--max_seq_len 180224"
    assert got["python"] == (
        "  rbln_config = {\n"
        '      "visual": {\n'
        '          "num_devices": 1,\n'
        '          "max_seq_len": 16_384,\n'
        "      },\n"
        '      "num_devices": 1,\n'
        '      "kvcache_partition_len": 8_192,\n'
        '-     "max_seq_len": 262_144,\n'
        '+     "max_seq_len": 180_224,\n'
        '      "batch_size": 8,\n'
        "  }"
    )
    assert got["llm"] == (
        "  llm = LLM(\n"
        '      model="Qwen/Qwen3-VL-2B-Instruct",\n'
        "      block_size=8_192,\n"
        "-     max_model_len=262_144,\n"
        "+     max_model_len=180_224,\n"
        "      max_num_seqs=8,\n"
        "  )"
    )


@pytest.mark.parametrize(
    ("form", "first"),
    [
        ("vllm-serve", "vllm"),
        ("python-llm", "llm"),
        ("optimum-python", "python"),
        ("optimum-cli", "cli"),
        (None, "python"),
    ],
)
def test_the_persons_own_form_stands_first(form: Any, first: str) -> None:
    got = shown(Change("max_seq_len", 4096, 2048), context=run(form=form))
    assert next(iter(got)) == first
    assert {"python", "vllm"} <= set(got)


def test_runtimes_are_switched_off_in_python_and_on_the_command_line_only() -> None:
    got = shown(
        Change("create_runtimes", None, False),
        Change("visual.create_runtimes", None, False),
        context=run(REBEL, form="optimum-python", phases=frozenset({"compile"})),
    )
    assert set(got) == {"python", "cli"}
    assert after(got["python"])["create_runtimes"] is False
    assert after(got["python"])["visual"]["create_runtimes"] is False


def test_devices_of_a_loaded_artifact_stand_alone() -> None:
    got = shown(
        Change("device", None, 0),
        Change("visual.device", None, 1),
        context=run(REBEL | {"artifact": "out"}, form="optimum-python", phases=frozenset({"load"}), model="out"),
    )
    assert after(got["python"]) == {"visual": {"device": 1}, "device": 0}
    assert "again" not in got["python"]
    assert got["vllm"] == '--rbln-optimum-overrides \'{"device": 0, "visual": {"device": 1}}\''
    assert "cli" not in got


def test_compile_time_values_of_an_artifact_ask_for_a_recompile() -> None:
    got = shown(
        Change("max_seq_len", 262144, 32768),
        context=run(REBEL, form="vllm-serve", phases=frozenset({"load", "serve"}), model="rbln-model"),
    )
    first, second = got["vllm"].split("\n")
    assert first.startswith("# ")
    assert "recompile" in first
    assert second == "--max-model-len 32768"
    assert "compile it again" in got["python"]
    # A model of the hub is compiled anew by the server itself.
    hub = run(REBEL, form="vllm-serve", phases=frozenset({"load", "serve"}), model=MODEL)
    assert shown(Change("max_seq_len", 262144, 32768), context=hub)["vllm"] == "--max-model-len 32768"


def test_the_overrides_repeat_what_the_flag_would_otherwise_drop() -> None:
    got = shown(Change("visual.device", None, [2, 3]), context=run(REBEL | {"device": [0, 1]}, form="vllm-serve"))
    assert json.loads(flags(got["vllm"])["--rbln-optimum-overrides"]) == {
        "device": [0, 1],
        "visual": {"max_seq_len": 16384, "num_devices": 1, "device": [2, 3]},
    }


def test_an_old_device_list_is_not_repeated_beside_a_new_number() -> None:
    got = shown(
        Change("visual.num_devices", 2, 4),
        context=run({"visual.device": [0, 1], "visual.num_devices": 2}, form="vllm-serve"),
    )
    assert json.loads(flags(got["vllm"])["--rbln-optimum-overrides"]) == {"visual": {"num_devices": 4}}
    assert 'device": [' not in got["python"]


def test_a_nested_language_model_is_written_where_it_lives() -> None:
    context = run(
        {"language_model.max_seq_len": 262144, "language_model.kvcache_partition_len": 8192, "batch_size": 1},
        lm_prefix="language_model",
        vision_prefix="vision_tower",
        form="optimum-python",
    )
    got = shown(
        Change("language_model.max_seq_len", 262144, 131072),
        Change("image_prefill_chunk_size", None, [384, 640, 1152]),
        Change("visual.max_soft_tokens", None, [70, 1120]),
        context=context,
    )
    assert after(got["python"]) == {
        "language_model": {
            "kvcache_partition_len": 8192,
            "max_seq_len": 131072,
            "image_prefill_chunk_size": [384, 640, 1152],
        },
        "vision_tower": {"max_soft_tokens": [70, 1120]},
        "batch_size": 1,
    }
    found = flags(got["vllm"])
    assert found["--max-model-len"] == "131072"
    assert json.loads(found["--rbln-optimum-overrides"]) == {
        "language_model": {"image_prefill_chunk_size": [384, 640, 1152]},
        "vision_tower": {"max_soft_tokens": [70, 1120]},
    }
    assert "--vision_tower.max_soft_tokens '[70, 1120]'" in got["cli"]


def test_a_removed_parameter_is_a_comment_and_a_minus_line() -> None:
    got = shown(Change("kvcache_partition_len", 8192, None), context=run(REBEL, form="vllm-serve"))
    assert "vllm" not in got, "the plugin demands a block_size"
    assert '-     "kvcache_partition_len": 8_192,' in got["python"]
    assert "kvcache_partition_len" not in after(got["python"])
    got = shown(Change("decoder_batch_sizes", None, None), context=run(REBEL | {"device": 3}, form="vllm-serve"))
    assert '# remove "decoder_batch_sizes" from --rbln-optimum-overrides' in got["vllm"]
    assert json.loads(flags(got["vllm"])["--rbln-optimum-overrides"])["device"] == 3


def test_vllms_own_parameters_have_no_python_form_for_optimum() -> None:
    got = shown(
        Change("tensor_parallel_size", 4, None, "vllm"),
        Change("num_devices", None, 4),
        context=run(form="vllm-serve"),
    )
    assert got["vllm"] == "# remove --tensor-parallel-size\n--rbln-num-devices-per-local-rank 4"
    assert set(got) == {"vllm", "llm"}


@pytest.mark.parametrize(
    ("version", "line"),
    [
        ("0.12.0", "--rbln-num-devices-per-local-rank 8"),
        ("0.11.2", "export VLLM_RBLN_NUM_DEVICES_PER_LOCAL_RANK=8"),
        ("0.10.4", "export VLLM_RBLN_TP_SIZE=8"),
    ],
)
def test_the_number_of_devices_is_written_for_the_release(version: str, line: str) -> None:
    context = run(form="vllm-serve", versions={"vllm_rbln": version})
    assert shown(Change("num_devices", 4, 8), context=context)["vllm"] == line


def test_older_releases_get_their_own_names() -> None:
    change = Change("visual.max_seq_len", 16384, [3136, 16384])
    old = run(REBEL, form="vllm-serve", versions={"vllm_rbln": "0.11.0", "optimum_rbln": "0.11.0"})
    found = json.loads(flags(shown(change, context=old)["vllm"])["--additional-config"])
    visual = {"num_devices": 1, "max_seq_len": [3136, 16384]}
    assert found == {"rbln_config": {"visual": visual, "num_devices": 1}}
    older = run(REBEL, form="vllm-serve", versions={"vllm_rbln": "0.10.3", "optimum_rbln": "0.10.3"})
    got = shown(change, context=older)
    assert "vllm" not in got  # that plugin could not hand it on
    assert after(got["python"])["visual"] == {"tensor_parallel_size": 1, "max_seq_lens": [3136, 16384]}


def test_a_share_of_memory_is_a_flag_and_bytes_are_not() -> None:
    assert shown(Change("memory_budget", None, 0.8))["vllm"] == "--gpu-memory-utilization 0.8"
    assert shown(Change("memory_budget", None, "80%"))["vllm"] == "--gpu-memory-utilization 0.8"
    got = shown(Change("memory_budget", None, "10GB"))
    assert "vllm" not in got
    assert got["cli"] == "--memory_budget 10GB"


def test_attention_is_said_to_vllm_as_a_block_size() -> None:
    eager = shown(Change("attn_impl", "flash_attn", "eager"), context=run({"max_seq_len": 4096}))
    assert eager["vllm"] == "--block-size 4096"
    flash = shown(Change("attn_impl", None, "flash_attn"), Change("kvcache_partition_len", None, 16384))
    assert flash["vllm"] == "--block-size 16384"
    assert "vllm" not in shown(Change("attn_impl", None, "eager"))


def test_the_pool_of_a_finished_artifact_is_resized_without_compiling() -> None:
    context = run(REBEL, form="optimum-cli", phases=frozenset({"load"}), model="out")
    got = shown(Change("kvcache_num_blocks", 150, 60), context=context)
    assert got["cli"] == "optimum-rbln-cli --model-id <ARTIFACT> --set-kvcache-num-blocks 60"
    assert "scheduler only" in got["vllm"]


def test_processor_limits_have_their_own_forms() -> None:
    got = shown(Change("processor.max_pixels", None, 4194304), context=run({"processor.min_pixels": 65536}))
    assert got["processor"] == "AutoProcessor.from_pretrained(model_id, min_pixels=65536, max_pixels=4194304)"
    assert json.loads(flags(got["vllm"])["--mm-processor-kwargs"]) == {
        "min_pixels": 65536,
        "max_pixels": 4194304,
    }
    assert "python" not in got
    video = shown(Change("processor.size.longest_edge", None, 12845056))
    assert video["processor"] == 'processor.video_processor.size["longest_edge"] = 12845056'
    ast.parse(got["processor"])


def test_environment_and_requests_are_said_too() -> None:
    got = shown(Change("VLLM_RPC_TIMEOUT", None, 600000, "environment"))
    assert got["vllm"] == "export VLLM_RPC_TIMEOUT=600000"
    assert got["python"] == 'os.environ["VLLM_RPC_TIMEOUT"] = "600000"'
    request = shown(Change("max_new_tokens", None, 512))
    assert request["vllm"] == '# in the request: "max_tokens": 512'
    assert request["python"] == "model.generate(**inputs, max_new_tokens=512)"


def test_no_change_gives_no_command() -> None:
    assert shown() == {}


# ---------------------------------------------------------------- the whole serve line


def test_the_serve_line_holds_the_same_configuration() -> None:
    line = serve_command(run(REBEL | {"visual.device": 1, "device": 0}, model=MODEL), parameters())
    assert line.startswith(f"vllm serve {MODEL} --max-model-len 262144 --block-size 8192 --max-num-seqs 8")
    assert "--rbln-num-devices-per-local-rank 1" in line
    assert json.loads(flags(line)["--rbln-optimum-overrides"]) == {
        "device": 0,
        "visual": {"max_seq_len": 16384, "num_devices": 1, "device": 1},
    }


def test_an_artifact_is_served_with_its_devices_only() -> None:
    context = run(REBEL | {"artifact": "out dir", "device": [0, 1]}, model=MODEL, phases=frozenset({"load"}))
    assert serve_command(context, parameters()) == (
        "vllm serve 'out dir' --rbln-optimum-overrides '{\"device\": [0, 1]}'"
    )


def test_what_is_not_known_is_a_placeholder() -> None:
    assert serve_command(run(), parameters()) == (
        "vllm serve <MODEL> --max-model-len <MAX_MODEL_LEN> --block-size <BLOCK_SIZE>"
    )
    eager = run({"max_seq_len": 4096, "attn_impl": "eager"}, phases=frozenset({"load"}))
    assert "--block-size 4096" in serve_command(eager, parameters())


# ---------------------------------------------------------------- for any change

COUNTS = st.integers(1, 2**40)
LISTS = st.lists(st.integers(0, 2**20), min_size=1, max_size=5)
DEVICES = st.integers(0, 63) | st.lists(st.integers(0, 63), min_size=1, max_size=16)
ARGUMENTS = {
    "max_seq_len": ("--max-model-len", COUNTS),
    "batch_size": ("--max-num-seqs", COUNTS),
    "kvcache_partition_len": ("--block-size", COUNTS),
    "kvcache_num_blocks": ("--num-gpu-blocks-override", COUNTS),
    "prefill_chunk_size": ("--max-num-batched-tokens", COUNTS),
    "num_devices": ("--rbln-num-devices-per-local-rank", COUNTS),
}
OVERRIDES = {
    "device": DEVICES,
    "decoder_batch_sizes": LISTS,
    "image_prefill_chunk_size": LISTS,
    "visual.max_seq_len": COUNTS | LISTS,
    "visual.num_devices": COUNTS,
    "visual.device": DEVICES,
    "quantization": st.dictionaries(st.text("abc'\" $\\{é", max_size=4), st.text("x'\"\\ é$#", max_size=4), max_size=3),
}


@st.composite
def change_sets(draw: st.DrawFn) -> dict[str, Any]:
    strategies = {name: values for name, (_, values) in ARGUMENTS.items()} | OVERRIDES
    names = draw(st.lists(st.sampled_from(sorted(strategies)), min_size=1, unique=True))
    return {name: draw(strategies[name]) for name in names}


LAYOUTS = st.sampled_from([("", "visual"), ("language_model", "vision_tower"), ("text_model", "vision_model")])


def at(tree: Any, path: str) -> Any:
    for key in path.split("."):
        tree = tree[key]
    return tree


@settings(max_examples=150)
@given(
    change_sets(),
    change_sets(),
    LAYOUTS,
    st.sampled_from([None, "vllm-serve", "python-llm", "optimum-python"]),
)
def test_for_any_changes_every_form_says_exactly_them(
    changes: dict[str, Any], known: dict[str, Any], layout: tuple[str, str], form: Any
) -> None:
    lm, vision = layout
    bare = RunContext(lm_prefix=lm, vision_prefix=vision)
    context = run({bare.place(n): v for n, v in known.items()}, lm_prefix=lm, vision_prefix=vision, form=form)
    got = shown(*(Change(bare.place(n), known.get(n), v) for n, v in changes.items()), context=context)
    found = flags(got["vllm"])
    overrides = json.loads(found.get("--rbln-optimum-overrides") or "{}")
    python = after(got["python"])
    before = snippet(got["python"], "- ")
    keywords = {k.arg: k.value for n in ast.walk(snippet(got["llm"])) if isinstance(n, ast.Call) for k in n.keywords}
    for name, value in changes.items():
        placed = bare.place(name)
        assert at(python, placed) == value
        if name in ARGUMENTS:
            assert int(found[ARGUMENTS[name][0]]) == value
        else:
            assert at(overrides, placed) == value
            assert at(ast.literal_eval(keywords["additional_config"])["optimum_overrides"], placed) == value
    assert isinstance(before, ast.Module)
    words = shlex.split(got["cli"], comments=True)
    assert len(words) == 2 * len(changes)
    assert dict(zip(words[::2], words[1::2], strict=True)).keys() == {f"--{bare.place(n)}" for n in changes}


@settings(max_examples=80)
@given(change_sets(), st.sampled_from(["0.12.0", "0.11.1", "0.10.4", "0.9.3"]), st.booleans())
def test_for_any_removal_every_form_is_still_valid(changes: dict[str, Any], version: str, loaded: bool) -> None:
    context = run(
        changes,
        versions={"vllm_rbln": version, "optimum_rbln": version},
        form="vllm-serve",
        phases=frozenset({"load"} if loaded else {"serve"}),
        model="out",
    )
    got = shown(*(Change(name, value, None) for name, value in changes.items()), context=context)
    if "vllm" in got:
        assert set(flags(got["vllm"])) <= {"--rbln-optimum-overrides", "--additional-config"}
    python = after(got["python"])
    for name in changes:
        old = name == "num_devices" and version in ("0.10.4", "0.9.3")
        field = "tensor_parallel_size" if old else name
        assert field not in python


@settings(max_examples=80)
@given(change_sets(), st.text("ab/ '$<", min_size=1, max_size=8), st.booleans())
def test_any_serve_line_survives_a_shell(known: dict[str, Any], model: str, loaded: bool) -> None:
    context = run(known, model=model, phases=frozenset({"load"} if loaded else set()))
    words = shlex.split(serve_command(context, parameters()))
    assert words[:2] == ["vllm", "serve"]
    assert words[2] == model
    overrides = json.loads(flags(serve_command(context, parameters())).get("--rbln-optimum-overrides") or "{}")
    if "device" in known:
        assert overrides["device"] == known["device"]


# ---------------------------------------------------------------- what vLLM demands


@pytest.mark.parametrize("turned", [False, True])
def test_flash_attention_from_eager_keeps_a_block_size(turned: bool) -> None:
    changes = [
        Change("kvcache_partition_len", None, 16384),
        Change("attn_impl", "eager", "flash_attn"),
        Change("kvcache_block_size", 131072, None),
    ]
    context = run({"attn_impl": "eager", "kvcache_block_size": 131072, "max_seq_len": 131072}, form="vllm-serve")
    got = shown(*(changes[::-1] if turned else changes), context=context)
    assert got["vllm"] == "--block-size 16384"
    assert "-     block_size=131_072,\n+     block_size=16_384," in got["llm"]


def test_a_removed_partition_leaves_the_block_of_eager_attention() -> None:
    eager = shown(
        Change("kvcache_partition_len", 8192, None),
        Change("attn_impl", None, "eager"),
        context=run({"max_seq_len": 16384, "kvcache_partition_len": 8192}, form="vllm-serve"),
    )
    assert eager["vllm"] == "--block-size 16384"


# ---------------------------------------------------------------- releases before 0.12

OLD = {"vllm_rbln_min": "0.11.0", "vllm_rbln_max": "0.11.1"}


def test_the_pool_of_an_older_plugin_is_an_override() -> None:
    context = run(
        {"kvcache_num_blocks": 128, "num_devices": 8, "visual.max_seq_len": 16384}, form="vllm-serve", versions=OLD
    )
    got = shown(Change("kvcache_num_blocks", 128, 69), context=context)
    flag = json.loads(flags(got["vllm"])["--additional-config"])
    assert flag == {"rbln_config": {"kvcache_num_blocks": 69, "num_devices": 8, "visual": {"max_seq_len": 16384}}}
    assert "--num-gpu-blocks-override" not in flags(got["vllm"])
    assert "num_gpu_blocks_override=69" not in got["llm"]


def test_a_pool_that_stands_among_the_overrides_is_removed_there() -> None:
    for versions, flag in ((OLD, "--additional-config"), ({"vllm_rbln": "0.12.0"}, "--rbln-optimum-overrides")):
        context = run(
            {"kvcache_num_blocks": 128}, origin="non-default args, overrides", form="vllm-serve", versions=versions
        )
        got = shown(Change("kvcache_num_blocks", 128, None), context=context)
        assert got["vllm"] == f'# remove "kvcache_num_blocks" from {flag}'
        assert "num_gpu_blocks_override" not in got["llm"]


def test_the_pool_is_said_to_be_compiled_unless_the_path_is_known() -> None:
    for path, said in ((None, True), ("vllm", False)):
        context = replace(run({}, form="vllm-serve", versions={"vllm_rbln": "0.12.0"}), path=path)
        text = shown(Change("kvcache_num_blocks", None, 69), context=context)["vllm"]
        assert "--num-gpu-blocks-override 69" in text
        assert ("limits the scheduler only" in text) is said


def test_a_server_that_compiles_takes_no_size_of_the_pool() -> None:
    context = replace(run({}, form="vllm-serve", versions={"vllm_rbln": "0.12.0"}), path="optimum")
    alone = shown(Change("kvcache_num_blocks", 256, 150), context=context)
    assert "vllm" not in alone
    assert '"kvcache_num_blocks": 150' in alone["python"]
    shorter = shown(Change("max_seq_len", 262144, 32768), Change("kvcache_num_blocks", 256, 32), context=context)
    assert "--max-model-len 32768" in shorter["vllm"]
    assert "leave kvcache_num_blocks out" in shorter["vllm"]
    assert "--num-gpu-blocks-override" not in shorter["vllm"]


def test_a_pool_nobody_asked_for_is_no_argument_to_remove() -> None:
    context = run({"kvcache_num_blocks": 128}, origin="rbln_config.json", form="vllm-serve", model="/m/a")
    assert "num_gpu_blocks_override" not in str(shown(Change("kvcache_num_blocks", 128, None), context=context))


def test_a_range_of_releases_is_shown_without_newer_flags() -> None:
    chosen = run({"num_devices": 4}, origin="run.sh", form="vllm-serve", versions=OLD)
    assert shown(Change("num_devices", 4, 8), context=chosen)["vllm"] == "export VLLM_RBLN_NUM_DEVICES_PER_LOCAL_RANK=8"
    among = run({"num_devices": 4}, form="vllm-serve", versions=OLD)
    got = shown(Change("num_devices", 4, 8), context=among)["vllm"]
    assert json.loads(flags(got)["--additional-config"]) == {"rbln_config": {"num_devices": 8}}


@pytest.mark.parametrize(
    ("versions", "name", "vision"),
    [
        ({"rebel_compiler": "0.9.3"}, "tensor_parallel_size", "max_seq_lens"),
        ({"rebel_compiler": "0.10.4"}, "tensor_parallel_size", "max_seq_len"),
        ({"optimum_rbln_max": "0.10.4"}, "tensor_parallel_size", "max_seq_len"),
        ({"rebel_compiler": "0.10"}, "tensor_parallel_size", "max_seq_len"),
        ({"rebel_compiler": "0.11.0"}, "num_devices", "max_seq_len"),
        ({}, "num_devices", "max_seq_len"),
    ],
)
def test_names_of_the_release_by_any_package(versions: dict[str, str], name: str, vision: str) -> None:
    context = run({}, form="optimum-python", versions=versions)
    got = after(shown(Change("num_devices", 4, 8), Change("visual.max_seq_len", 64, 128), context=context)["python"])
    assert got == {"visual": {vision: 128}, name: 8}


# ---------------------------------------------------------------- nested batch, video size


def test_a_nested_batch_is_changed_where_it_stands() -> None:
    nested = {"batch_size": 8, "language_model.batch_size": 8, "language_model.max_seq_len": 131072}
    context = run(nested, lm_prefix="language_model", vision_prefix="vision_tower", form="optimum-python")
    got = shown(Change("batch_size", 8, 4), context=context)
    assert after(got["python"]) == {"language_model": {"batch_size": 4, "max_seq_len": 131072}}
    assert got["cli"] == "--language_model.batch_size 4"
    assert "--max-num-seqs 8" in serve_command(context, parameters())


def test_the_size_of_the_video_processor_has_both_edges() -> None:
    change = Change("processor.size.longest_edge", None, 802816, "processor")
    got = shown(change, context=run({}, form="vllm-serve"))["vllm"]
    found = json.loads(flags(got)["--mm-processor-kwargs"])
    assert found == {"size": {"longest_edge": 802816, "shortest_edge": 4096}}
    known = shown(change, context=run({"processor.min_pixels": 3136}, form="vllm-serve"))["vllm"]
    assert json.loads(flags(known)["--mm-processor-kwargs"])["size"]["shortest_edge"] == 3136
