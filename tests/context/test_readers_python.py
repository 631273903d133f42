"""A Python script is read by its syntax tree and never run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.context.readers import read_text_config
from diagnose.context.seen_whole import PARTLY
from diagnose.model import GivenConfig, InputError
from tests.context.log_kit import parameters


def read(text: str) -> GivenConfig:
    """What the file configures; whether that is all of it is asked with ``wholly``."""
    found = read_text_config(text, "compile.py", parameters())
    return replace(found, values={name: value for name, value in found.values.items() if name != PARTLY})


def wholly(text: str) -> bool:
    return PARTLY not in read_text_config(text, "compile.py", parameters()).values


COMPILE = """
import os
from optimum.rbln import RBLNQwen3VLForConditionalGeneration

model_id = "Qwen/Qwen3-VL-2B-Instruct"
DEVICES = 8


def main():
    model = RBLNQwen3VLForConditionalGeneration.from_pretrained(
        model_id,
        export=True,
        rbln_config={
            "visual": {"max_seq_len": 16_384, "num_devices": DEVICES},
            "num_devices": DEVICES,
            "max_seq_len": 256 * 1024,
            "batch_size": 8,
        },
        rbln_create_runtimes=False,
    )
    model.save_pretrained(os.path.basename(model_id))


if __name__ == "__main__":
    main()
"""


def test_a_compile_script_gives_model_class_phase_and_every_literal() -> None:
    given_ = read(COMPILE)
    assert given_.kind == "python"
    assert given_.form == "optimum-python"
    assert given_.phases == ("compile",)
    assert given_.model == "Qwen/Qwen3-VL-2B-Instruct"
    assert given_.model_class == "RBLNQwen3VLForConditionalGeneration"
    assert given_.values == {
        "visual.max_seq_len": 16384,
        "visual.num_devices": 8,
        "num_devices": 8,
        "max_seq_len": 262144,
        "batch_size": 8,
        "create_runtimes": False,
    }


def test_a_load_script_gives_the_devices_and_the_artifact() -> None:
    given_ = read(
        "model = RBLNAutoModelForImageTextToText.from_pretrained(\n"
        "    model_id='Qwen3-VL-2B-Instruct', export=False,\n"
        "    rbln_config={'visual': {'device': list(range(8, 16))}, 'device': [*range(8)]})\n"
    )
    assert given_.phases == ("load",)
    assert given_.values["artifact"] == "Qwen3-VL-2B-Instruct"
    assert given_.values["visual.device"] == list(range(8, 16))
    assert given_.values["device"] == list(range(8))
    assert given_.model_class is None  # an Auto class does not say which


def test_an_llm_script_is_read_under_canonical_names() -> None:
    given_ = read(
        "from vllm import LLM\n"
        "llm = LLM(model='Qwen/Qwen3-VL-2B-Instruct', block_size=16_384, max_model_len=262_144,\n"
        "    max_num_seqs=8, mm_processor_kwargs={'max_pixels': 896 * 896},\n"
        "    additional_config={'num_devices_per_local_rank': 8,\n"
        "        'optimum_overrides': {'device': [0, 1],\n"
        "                              'visual': {'device': [2, 3], 'max_seq_len': 3136}}})\n"
    )
    assert (given_.form, given_.phases) == ("python-llm", ("serve",))
    assert given_.model == "Qwen/Qwen3-VL-2B-Instruct"
    assert given_.values == {
        "kvcache_partition_len": 16384,
        "max_seq_len": 262144,
        "batch_size": 8,
        "processor.max_pixels": 802816,
        "num_devices": 8,
        "device": [0, 1],
        "visual.device": [2, 3],
        "visual.max_seq_len": 3136,
    }


def test_a_block_as_long_as_the_sequence_is_eager() -> None:
    values = read("LLM('m', block_size=4096, max_model_len=4096)").values
    assert values["attn_impl"] == "eager"
    assert values["kvcache_block_size"] == 4096
    assert "kvcache_partition_len" not in values


def test_a_processor_gives_pixel_limits_and_images_give_sizes() -> None:
    values = read(
        "p = AutoProcessor.from_pretrained('m', min_pixels=256*16*16, max_pixels=896*896)\n"
        "q = AutoProcessor.from_pretrained('m', max_soft_tokens=560)\n"
        "p.video_processor.size = {'longest_edge': 4 * 2**20, 'shortest_edge': 4096}\n"
        "image = Image.open('a.png').resize((1000, 896))\n"
        "message = {'type': 'image', 'resized_height': 448, 'resized_width': 640}\n"
        "model = RBLNX.from_pretrained('m', export=True)\n"
        "model.generate(**inputs, max_new_tokens=512)\n"
    ).values
    assert values["processor.max_pixels"] == 802816
    assert values["processor.min_pixels"] == 65536
    assert values["processor.max_soft_tokens"] == 560
    assert values["processor.size.longest_edge"] == 4194304
    assert values["processor.image_sizes"] == [[896, 1000], [448, 640]]
    assert values["max_new_tokens"] == 512


def test_later_changes_of_the_dict_are_seen() -> None:
    values = read(
        "base = {'batch_size': 1, 'visual': {'max_seq_len': 16384}}\n"
        "cfg = {**base, 'max_seq_len': 32_768}\n"
        "cfg['visual']['device'] = 1\n"
        "cfg.update({'device': 0}, batch_size=4)\n"
        "cfg |= {'num_devices': 1 << 2}\n"
        "del cfg['max_seq_len']\n"
        "RBLNX.from_pretrained('m', export=True, rbln_config=cfg)\n"
    ).values
    assert values == {
        "batch_size": 4,
        "visual.max_seq_len": 16384,
        "visual.device": 1,
        "device": 0,
        "num_devices": 4,
    }


def test_configuration_objects_are_read_like_dicts() -> None:
    values = read(
        "vision = RBLNQwen3VLVisionModelConfig(max_seq_len=[3136, 16384])\n"
        "cfg = RBLNQwen3VLForConditionalGenerationConfig(visual=vision, tensor_parallel_size=8)\n"
        "cfg.batch_size = 2\n"
        "RBLNX.from_pretrained('m', export=True, rbln_config=cfg)\n"
    ).values
    assert values == {"visual.max_seq_len": [3136, 16384], "num_devices": 8, "batch_size": 2}


def test_a_file_with_nothing_but_the_dict_is_read() -> None:
    given_ = read("rbln_config = {\n    'visual': {...},\n    'kvcache_num_blocks': 150,\n    'batch_size': 8,\n}\n")
    assert given_.form == "optimum-python"
    assert given_.phases == ()
    assert given_.values == {"kvcache_num_blocks": 150, "batch_size": 8}


def test_environment_and_context_manager_count() -> None:
    values = read(
        "import os\n"
        "os.environ['VLLM_RBLN_TP_SIZE'] = '4'\n"
        "with ContextRblnConfig(create_runtimes=False):\n"
        "    RBLNX.from_pretrained('m', export=True)\n"
    ).values
    assert values == {"num_devices": 4, "create_runtimes": False}


@pytest.mark.parametrize(
    "line",
    [
        "n = int(input())",
        "n = len(open('x').read())",
        "n = args.n",
        "n = 2 ** 10_000",
        "n = 10 ** 9 ** 9",
        "n = [0] * 10**9",
        "for n in sizes: pass",
        "if flag:\n    n = 4\nelse:\n    n = 8",
    ],
)
def test_a_value_that_only_a_run_gives_is_left_out(line: str) -> None:
    values = read(
        f"{line}\nRBLNX.from_pretrained('m', export=True, rbln_config={{'batch_size': n, 'device': 0}})"
    ).values
    assert values == {"device": 0}


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ("n = 896 * 896 // 16 ** 2", 3136),
        ("n = int('8') - 1", 7),
        ("n = max(1, 2)", None),
        ("a, b = 4, 8\nn = b", 8),
        ("a, b = f()\nn = b", None),
        ("n = [1, 2, 4][-1]", 4),
        ("n = {'a': {'b': 3}}['a']['b']", 3),
        ("n = 1 if True else 2", 1),
        ("n = 4 if x else 4", 4),
        ("n = 4 if x else 5", None),
        ("n: int = 6", 6),
        ("n = 2\nn += 1", 3),
        ("n = 2\nn *= x", None),
        ("n = 2\nfor i in y:\n    n = n * 2", None),
        ("for i in y:\n    n = 2", 2),
        ("while x:\n    n = 5", 5),
        ("try:\n    n = 3\nexcept E:\n    n = 4", None),
        ("try:\n    n = 3\nexcept E:\n    pass\nfinally:\n    m = 1", 3),
        ("n = 3\nmatch x:\n    case 1:\n        n = 4", None),
        ("with open('x') as n:\n    pass", None),
        ("n = 3\nfrom a import n", None),
        ("n = 3\ndel n", None),
        ("d = {'n': 1}\nd.setdefault('n', 2)\nn = d['n']", 1),
        ("d = {'n': 1}\nd.update(x)\nn = d['n']", None),
        ("d = {'n': 1}\nd = {**d, **x}\nn = d['n']", None),
        ("d = dict({'n': 1}, m=2)\nn = d['n'] + d['m']", 3),
        ("d = {'n': 1}\nd.pop('n')\nn = d['n']", None),
        ("d = {'n': 1}\nif x:\n    d['n'] = 2\nn = d['n']", None),
        ("l = [1, 2]\nl[0] = 5\nn = l[0]", 5),
        ("n = not 1", None),
        ("n = -(-3)", 3),
        ("n = 1 << 70", None),
        ("n = 7 / 0", None),
        ("n = len('abc')", None),
    ],
)
def test_names_are_followed_as_far_as_they_are_certain(lines: str, value: int | None) -> None:
    values = read(f"{lines}\nRBLNX.from_pretrained('m', export=True, rbln_batch_size=n)").values
    assert values.get("batch_size") == value


@pytest.mark.parametrize(
    ("expression", "model"),
    [
        ("f'Qwen/{size}-VL'", "Qwen/3-VL"),
        ("'Qwen/' + 'a'", "Qwen/a"),
        ("os.path.join('models', 'a')", "models/a"),
        ("Path('models/a')", "models/a"),
        ("os.path.basename('models/a')", "a"),
        ("f'{size:>10}'", None),
        ("args.model", None),
    ],
)
def test_the_model_may_be_put_together_from_literals(expression: str, model: str | None) -> None:
    given_ = read(f"size = '3'\nRBLNX.from_pretrained({expression}, export=True)")
    assert given_.model == model


@pytest.mark.parametrize(
    "text",
    ["1" + "+1" * 200_000, "a" + ".b" * 100_000, "-" * 5000 + "1", "not " * 100_000 + "1", "(" * 5000],
)
def test_a_bottomless_expression_is_refused_before_it_is_parsed(text: str) -> None:
    with pytest.raises(InputError):
        read(f"LLM({text})")
    chain = "if a:\n    pass\n" + "elif a:\n    pass\n" * 5000
    with pytest.raises(InputError):
        read(f"{chain}LLM(1)")


def test_branches_that_agree_keep_their_value_and_others_do_not() -> None:
    values = read(
        "cfg = {'num_devices': 1}\n"
        "if rebel:\n    cfg['kvcache_partition_len'] = 8192\n    cfg['batch_size'] = 8\n"
        "else:\n    cfg['kvcache_partition_len'] = 16384\n    cfg['batch_size'] = 8\n"
        "RBLNX.from_pretrained('m', export=True, rbln_config=cfg)\n"
    ).values
    assert values == {"num_devices": 1, "batch_size": 8}


def test_two_models_of_one_script_do_not_mix() -> None:
    values = read(
        "RBLNA.from_pretrained('a', export=True, rbln_config={'batch_size': 4, 'max_seq_len': 4096})\n"
        "RBLNB.from_pretrained('b', export=True, rbln_config={'batch_size': 4, 'max_seq_len': 8192})\n"
    ).values
    assert values == {"batch_size": 4}


def test_a_parameter_of_a_function_is_unknown() -> None:
    values = read(
        "batch = 8\ndef build(batch=2):\n"
        "    return RBLNX.from_pretrained('m', export=True, rbln_config={'batch_size': batch, 'device': 0})\n"
    ).values
    assert values == {"device": 0}


def test_nothing_in_the_script_runs(tmp_path: Any) -> None:
    proof = tmp_path / "ran"
    read(f"open({str(proof)!r}, 'w').close()\nRBLNX.from_pretrained('m', export=True)\n")
    assert not proof.exists()


@pytest.mark.parametrize("text", ["LLM(", "def f(:\n  LLM(x)", "x = 'from_pretrained(1)'", "'''LLM(x)'''"])
def test_broken_or_unrelated_python_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert "\n" not in caught.value.message.en + caught.value.message.ko
    assert "rbln_config.json" in caught.value.message.en
    assert "rbln_config.json" in caught.value.message.ko


def test_a_value_shared_many_times_over_is_refused_quickly() -> None:
    lines = ["a = [1, 2, 3, 4]"] + [f"a = [{', '.join('a' * 9)}]" for _ in range(12)]
    with pytest.raises(InputError):
        read("\n".join([*lines, "LLM('m', foo=a)"]))


NAMES = st.sampled_from(["max_seq_len", "batch_size", "kvcache_num_blocks", "attn_impl", "decoder_batch_sizes"])
LEAVES = st.one_of(
    st.integers(0, 2**40),
    st.booleans(),
    st.text("abc_/-", max_size=8),
    st.lists(st.integers(0, 99), max_size=5),
)
CONFIGS = st.dictionaries(NAMES, LEAVES, max_size=5)


@settings(max_examples=60)
@given(CONFIGS, CONFIGS, st.booleans())
def test_any_literal_dict_comes_back(own: dict[str, Any], visual: dict[str, Any], bound: bool) -> None:
    config = {**own, "visual": visual}
    shown = "cfg" if bound else repr(config)
    values = read(f"cfg = {config!r}\nRBLNX.from_pretrained('m', export=True, rbln_config={shown})").values
    expected = {**own, **{f"visual.{name}": value for name, value in visual.items()}}
    assert values == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RBLNX.from_pretrained('m', export=True, rbln_config={'batch_size': 4})", True),
        ("RBLNX.from_pretrained('m', export=True, rbln_batch_size=4)", True),
        ("RBLNX.from_pretrained('m', export=True, rbln_config={'batch_size': args.n})", False),
        ("RBLNX.from_pretrained('m', export=True, rbln_config=make(), rbln_batch_size=4)", False),
        ("RBLNX.from_pretrained('m', export=True, rbln_batch_size=4, **more)", False),
        ("LLM('a/b', max_num_seqs=4, block_size=args.b)", False),
        ("LLM('a/b', max_num_seqs=4)", True),
        ("c = {'batch_size': 4}\nif x:\n    c['num_devices'] = 4\nRBLNX.from_pretrained('m', rbln_config=c)", False),
    ],
)
def test_what_only_a_run_would_know_is_marked(text: str, expected: bool) -> None:
    assert wholly(text) is expected
