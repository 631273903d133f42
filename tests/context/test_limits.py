"""What is too long, too large or nested too deep is unknown: never its beginning taken for the whole."""

from __future__ import annotations

import ast
import shlex
from functools import partial

import pytest

from diagnose import diagnose_bytes
from diagnose.context import log_command, printed_lines, sets
from diagnose.context.readers import python_calls, python_found, python_values, read_text_config, shell
from diagnose.context.readers.python_values import MAX_DEPTH, MAX_ITEMS, MAX_NUMBER, MAX_TEXT, UNKNOWN, evaluate
from diagnose.context.seen_whole import PARTLY
from diagnose.context.sets import parse_set
from diagnose.model import InputError, Value
from tests.context.log_kit import parameters

script = partial(read_text_config, name="compile.py", parameters=parameters())


def value(source: str) -> Value:
    return evaluate(ast.parse(source, mode="eval").body, {})


def config_of(log: str) -> dict[str, Value]:
    return {name: setting.value for name, setting in diagnose_bytes(log.encode()).run.config.items()}


@pytest.mark.parametrize("straddling", [False, True])
def test_a_command_longer_than_is_read_gives_no_half_value(straddling: bool) -> None:
    def command(length: int) -> str:
        head, tail = "vllm serve m --served-model-name ", " --max-model-len 32768" + " --seed 7" * straddling
        return head + "x" * (length - len(head) - len(tail)) + tail

    longest = log_command._LONGEST
    assert config_of(f"$ {command(longest)}\n")["max_seq_len"] == 32768
    assert config_of(f"$ {command(longest + (9 if straddling else 2))}\n") == {}


def printed(lines: int, wide: int = 60) -> str:
    filler = "".join(f'  "other_{n}": "{"x" * (wide - 20)}",\n' for n in range(lines))
    return f'rbln_config = {{\n{filler}  "max_seq_len": 8192,\n  "batch_size": 4\n}}\n'


def test_a_printed_configuration_is_read_up_to_a_length() -> None:
    wide = 250
    most = printed_lines._LONGEST // wide
    assert config_of(printed(most - 2, wide))["max_seq_len"] == 8192
    assert config_of(printed(most + 1, wide)) == {}


def test_a_line_of_a_printed_configuration_is_so_long() -> None:
    assert config_of(printed(1, printed_lines._LONGEST_LINE - 10))["max_seq_len"] == 8192
    assert config_of(printed(1, printed_lines._LONGEST_LINE + 20)) == {}


def test_values_of_a_script_have_limits() -> None:
    assert value(str(MAX_NUMBER - 1)) == MAX_NUMBER - 1
    assert value(str(MAX_NUMBER)) is value(f"{MAX_NUMBER - 1} + 1") is UNKNOWN
    assert value(f"[0] * {MAX_ITEMS}") == [0] * MAX_ITEMS
    assert value(f"[0] * {MAX_ITEMS + 1}") is value(f"list(range({MAX_ITEMS + 1}))") is UNKNOWN
    assert value(f"'a' + '{'x' * (MAX_TEXT - 1)}'") == "a" + "x" * (MAX_TEXT - 1)
    assert value(f"'a' + '{'x' * MAX_TEXT}'") is UNKNOWN
    most = python_values._MAX_EXPONENT
    assert (value(f"1 ** {most}"), value(f"1 << {most}")) == (1, 1 << most)
    assert value(f"1 ** {most + 1}") is value(f"0 << {most + 1}") is UNKNOWN
    assert value("not " * (MAX_DEPTH - MAX_DEPTH % 2) + "True") is True
    assert value("not " * (MAX_DEPTH + 2) + "True") is UNKNOWN


def test_a_script_with_too_many_values_is_refused_in_one_line() -> None:
    rows = python_found.MAX_NODES // MAX_ITEMS
    assert script(f"from vllm import LLM\nLLM(model='m', max_num_seqs=8, x=[[0] * {MAX_ITEMS - 9}] * {rows})\n").values
    with pytest.raises(InputError) as refused:
        script(f"from vllm import LLM\nLLM(model='m', max_num_seqs=8, x=[[0] * {MAX_ITEMS}] * {rows + 1})\n")
    assert "\n" not in refused.value.message.ko


def test_a_side_no_image_has_is_no_image() -> None:
    def sizes(side: int) -> Value:
        return script(f"from vllm import LLM\nLLM(model='m')\nImage.new('RGB', ({side}, 64))\n").values.get(
            "processor.image_sizes"
        )

    assert sizes(python_calls._MAX_SIDE - 1) == [[64, python_calls._MAX_SIDE - 1]]
    assert sizes(python_calls._MAX_SIDE) is None


def test_a_launch_in_shells_nested_too_deep_is_known_to_be_missed() -> None:
    def nested(depth: int) -> str:
        text = "vllm serve m --max-num-seqs 8"
        for _ in range(depth):
            text = f"bash -c {shlex.quote(text)}"
        return text

    read = partial(read_text_config, name="run.sh", parameters=parameters())
    assert read(nested(shell._MAX_NESTING)).values["batch_size"] == 8
    with pytest.raises(InputError):
        read(nested(shell._MAX_NESTING + 1))
    both = read("vllm serve m --max-num-seqs 4\n" + nested(shell._MAX_NESTING + 1)).values
    assert both["batch_size"] == 4
    assert PARTLY in both


def test_a_value_given_by_hand_is_so_long() -> None:
    room = sets._MAX_TEXT - len("model=")
    assert parse_set("model=" + "x" * room, parameters()) == ("model", "x" * room)
    with pytest.raises(InputError) as refused:
        parse_set("model=" + "x" * (room + 1), parameters())
    assert len(refused.value.message.en) < 200
