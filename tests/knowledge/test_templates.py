from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from diagnose.authoring.rules.adversary import adversaries
from diagnose.knowledge.templates import (
    LONGEST_SKIP,
    LONGEST_WORD,
    MAX_TEMPLATE_CHARS,
    TYPES,
    TemplateError,
    compile_template,
)
from diagnose.knowledge.values import convert, to_bytes

TOO_LONG_S = 0.5
"""For 10,000 characters: what is proportional takes a tenth of it at most, a square ten times as long."""
INSUFFICIENT = (
    "Insufficient memory for the required KV cache: only {available_blocks:int} blocks can be allocated, "
    "but at least {required_blocks:int} blocks are required{*}(currently {batch_size:int})"
)


def search(template: str, text: str) -> dict[str, object] | None:
    compiled = compile_template(template)
    found = regex.search(compiled.pattern, text)
    if found is None:
        return None
    return {k: convert(compiled.types[k], v) for k, v in found.groupdict().items()}


def test_a_message_wrapped_anywhere_between_words_still_matches() -> None:
    text = (
        "ValueError: Insufficient memory for the\n required KV cache: only 12 blocks can be\n"
        "allocated, but at least 17 blocks are required. Consider reducing `max_seq_len` or `batch_size`\n"
        "(currently 8) to lower the memory requirement."
    )
    assert search(INSUFFICIENT, text) == {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}


@given(st.integers(min_value=0, max_value=10**15))
def test_any_number_is_read_with_every_thousands_separator(number: int) -> None:
    for text in (str(number), f"{number:,}", f"{number:_}"):
        assert search("capacity is exactly {n:int} bytes", f"capacity is exactly {text} bytes") == {"n": number}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("39,163,045,120바이트", 39163045120),
        ("39163045120 bytes", 39163045120),
        ("12.5 GiB", int(12.5 * 2**30)),
        ("16GB", 16 * 2**30),
        ("-5 MiB", -5 * 2**20),
        ("7", 7),
    ],
)
def test_byte_sizes_are_read_in_bytes(text: str, value: int) -> None:
    assert to_bytes(text) == value


def test_lists_of_numbers_are_read_as_lists() -> None:
    got = search("available max_seq_len({have:ints})", "available max_seq_len([1024, 3136])")
    assert got == {"have": [1024, 3136]}


def test_doubled_braces_stand_for_braces() -> None:
    assert search("cores failed: {{'{name}': {code:int}}}", "cores failed: {'EngineCore': -9}") == {
        "name": "EngineCore",
        "code": -9,
    }


@pytest.mark.parametrize(
    "template", ["{a:int} {b:int}", "a {x:nothing} long enough", "open { brace here", "{a} twice {a} here"]
)
def test_a_template_that_cannot_work_is_refused_with_the_reason(template: str) -> None:
    with pytest.raises(TemplateError):
        compile_template(template)


def test_a_long_literal_is_given_in_two_halves_that_both_stand_in_the_match() -> None:
    compiled = compile_template(INSUFFICIENT)
    assert compiled.literals == ("Insufficient memory for the", "required KV cache: only")


def test_a_literal_never_spans_white_space_that_is_not_single() -> None:
    compiled = compile_template("the `kvcache_block_size` ({n:int})  must always be set equal to something")
    assert all("  " not in literal for literal in compiled.literals)


words = st.text(alphabet="abcdefgh한글", min_size=6, max_size=12)


@given(
    st.lists(words, min_size=1, max_size=5),
    st.lists(st.sampled_from([" ", "\n", "\t ", "  "]), min_size=5, max_size=5),
)
def test_every_match_holds_one_of_the_literals_once_white_space_is_single(parts: list[str], gaps: list[str]) -> None:
    compiled = compile_template(" ".join(parts))
    text = "".join(p + g for p, g in zip(parts, gaps, strict=False)).strip()
    assert regex.search(compiled.pattern, text)
    flat = " ".join(text.split())
    assert any(literal in flat for literal in compiled.literals)


@pytest.mark.parametrize("space", ["\xa0", "\x0b", "\u2028", "\u3000"])
def test_a_literal_never_spans_another_blank_than_the_usual_one(space: str) -> None:
    compiled = compile_template(f"the first part{space}and the longer second part")
    text = f"the first part{space}and the longer second part"
    assert regex.search(compiled.pattern, text)
    assert any(literal in " ".join(text.split()) for literal in compiled.literals)


SHAPES = [
    "{a:T} follows behind it",
    "begin with {a:T} follows behind it",
    "begin with {a:T}; {b:T} follows behind it",
    "begin with={a:T}follows behind it",
    "begin with {*}{a:T} follows behind it",
    "begin with {*} {a:T} follows {*} behind it",
]


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_type_costs_more_than_its_length_wherever_it_stands(type_: str, shape: str) -> None:
    template = shape.replace(":T", f":{type_}")
    if "{*}{a:rest}" in template:
        with pytest.raises(TemplateError, match="leave one"):
            compile_template(template)
        return
    pattern = regex.compile(compile_template(template).pattern)
    for text in adversaries(pattern.pattern, compile_template(template).literals, (), 10_000):
        try:
            pattern.search(text, timeout=TOO_LONG_S)
        except TimeoutError:
            pytest.fail(f"{template!r} on {text[:60]!r}…")


def test_a_value_longer_than_any_real_one_ends_the_match_and_not_the_program() -> None:
    assert search("file {name} is not there", f"file {'a' * LONGEST_WORD} is not there") is not None
    assert search("file {name} is not there", f"file {'a' * (LONGEST_WORD + 1)} is not there") is None
    assert search("begin here {*} end there", f"begin here {'a' * (LONGEST_SKIP + 1)} end there") is None
    assert search("begin here {*} end there", f"begin here {'a' * LONGEST_SKIP} end there") is not None


def test_a_message_that_begins_twice_is_read_from_its_last_beginning() -> None:
    assert search("Only {kinds:rest} are supported", "Only Only images are supported") == {"kinds": "images"}


def test_a_template_is_so_long_and_is_then_still_prepared_at_once() -> None:
    longest = "x" + "'" * (MAX_TEMPLATE_CHARS - 1)
    assert search(longest, f"{'y' * 3_000}{longest}") == {}
    with pytest.raises(TemplateError, match="longer than"):
        compile_template(longest + "'")
