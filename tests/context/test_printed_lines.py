"""A configuration printed over several lines is read as one."""

from __future__ import annotations

import copy
import json
import pprint
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.book import FactBook
from diagnose.context.facts import facts
from diagnose.context.in_force import in_force
from diagnose.model import RunContext
from tests.context.log_kit import parameters, raw, record, values

CONFIG: dict[str, Any] = {
    "visual": {"max_seq_len": [3136, 16384], "device": [8, 9]},
    "batch_size": 8,
    "decoder_batch_sizes": [1, 8],
    "create_runtimes": False,
    "kvcache_partition_len": 16384,
    "max_seq_len": 262144,
    "num_devices": 8,
}
EXPECTED = {
    "visual.max_seq_len": [3136, 16384],
    "visual.device": [8, 9],
    **{name: value for name, value in CONFIG.items() if name != "visual"},
}


def read(text: str, first: int = 1) -> RunContext:
    book = FactBook()
    for number, line in enumerate(text.split("\n"), first):
        book.add(facts(raw(line, line=number), parameters()))
    return in_force(book, parameters=parameters())


def test_json_with_an_indent_and_pprint_are_read() -> None:
    for text in (json.dumps(CONFIG, indent=2), json.dumps(CONFIG, indent=4), pprint.pformat(CONFIG, width=40)):
        for head in ("rbln_config:\n", "rbln_config = ", "설정:\n", ""):
            found = read(head + text)
            assert values(found) == EXPECTED
            assert found.defaults_known


def test_each_value_is_on_its_own_line() -> None:
    found = read(
        "rbln_config:\n" + json.dumps({"num_devices": 4, "max_seq_len": 8, "visual": {"max_seq_len": 9}}, indent=2)
    )
    assert {name: setting.line for name, setting in found.config.items()} == {
        "num_devices": 3,
        "max_seq_len": 4,
        "visual.max_seq_len": 6,
    }


def test_lines_that_are_no_configuration_give_nothing() -> None:
    assert values(read('{\n  "loss": 1,\n  "step": 2\n}')) == {}
    assert values(read('{\n  "max_seq_len": 4096\n}')) == {}, "one name alone"
    assert values(read('{\n  "max_seq_len": 4096,\n  "batch_size": 1,')) == {}, "never closed"
    assert values(read('  "max_seq_len": 4096,\n  "batch_size": 1\n}')) == {}, "never opened"
    assert values(read('{\n  "max_seq_len": 4096,\nsomething else\n  "batch_size": 1\n}')) == {}
    long = "".join(f'  "k{n}": {n},\n' for n in range(2000))
    assert values(read("{\n" + long + '  "max_seq_len": 4096,\n  "batch_size": 1\n}')) == {}


def test_the_book_does_not_grow_with_such_lines() -> None:
    book = FactBook()
    for number in range(1000):
        book.add(facts(raw('  "batch_size": 1,', line=number), parameters()))
    assert len(book) == 0


def test_a_copy_of_the_book_does_not_share_the_open_block() -> None:
    lines = json.dumps({"max_seq_len": 4096, "batch_size": 1}, indent=2).split("\n")
    book = FactBook()
    for number, line in enumerate(lines[:2], 1):
        book.add(facts(raw(line, line=number), parameters()))
    twin = copy.copy(book)
    vars(twin).update({name: copy.copy(value) for name, value in vars(book).items()})
    for one in (twin, book):
        for number, line in enumerate(lines[2:], 3):
            one.add(facts(raw(line, line=number), parameters()))
        assert values(in_force(one, parameters=parameters())) == {"max_seq_len": 4096, "batch_size": 1}


def test_a_logged_line_is_no_piece() -> None:
    assert facts(record('  "batch_size": 1,'), parameters()) == ()


@given(st.text(max_size=60))
def test_any_text_is_survived(text: str) -> None:
    read("{\n" + text + "\n}")
