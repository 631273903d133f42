"""What an expression of the source prints."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.authoring.coverage.message import FILLS, MAX_SAMPLES, Hole, fixed, samples, templates


def read(source: str, **names: str) -> list[str]:
    known = {name: [ast.parse(text, mode="eval").body] for name, text in names.items()}
    return [fixed(t) for t in templates(ast.parse(source, mode="eval").body, known)]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("'plain text'", "plain text"),
        ("'one ' 'and two'", "one and two"),
        ("f'got {n} blocks, need {m:,}'", "got {} blocks, need {}"),
        ("'got %d of %s (%5.1f%%)' % (n, m, x)", "got {} of {} ({}%)"),
        ("'got {} of {name}, {{}}'.format(n, name=m)", "got {} of {}, {}"),
        ("'left ' + right + ' end'", "left {} end"),
        ("textwrap.dedent('  text here')", "text here"),
        ("str('as text')", "as text"),
        ("f'{f(x)!r} is wrong'", "{} is wrong"),
        ("f'{PREFIX} of the pool'", "size of the pool"),
    ],
)
def test_the_fixed_text_of_every_way_to_write_a_message_is_read(source: str, text: str) -> None:
    assert read(source, PREFIX="'size'") == [text]


def test_every_branch_of_a_message_is_a_wording_of_its_own() -> None:
    assert read('f\'pool{" is full" if full else " is empty"}\'') == ["pool is full", "pool is empty"]


def test_a_name_assigned_once_from_text_and_once_from_elsewhere_stays_open() -> None:
    names = {"m": [ast.parse("'known text'", mode="eval").body, ast.parse("call()", mode="eval").body]}
    found = templates(ast.parse("m", mode="eval").body, names)
    assert [fixed(t) for t in found] == ["known text", "{}"]


def test_a_name_that_stands_for_itself_ends() -> None:
    names = {"m": [ast.parse("m + ' more'", mode="eval").body]}
    assert templates(ast.parse("m", mode="eval").body, names)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("f'{len(x)} rows of it'", {"7 rows of it"}),
        ("f'shape {x.shape} is odd'", {"shape torch.Size([1, 2]) is odd"}),
        ("f'ratio {x:.2f} is odd'", {"ratio 1.5 is odd"}),
        ("f'keys: {kwargs.keys()}'", {"keys: dict_keys(['name'])"}),
        ("f'value {n}'", {"value 7", "value [1, 2]", "value name"}),
    ],
)
def test_values_are_filled_in_as_their_source_suggests(source: str, wanted: set[str]) -> None:
    (template,) = templates(ast.parse(source, mode="eval").body, {})
    assert wanted <= set(samples(template))


@given(st.lists(st.one_of(st.text(alphabet="abc {}%", max_size=5), st.builds(Hole)), max_size=9))
def test_any_template_has_at_most_so_many_samples_and_each_holds_its_fixed_text(parts: list[str | Hole]) -> None:
    made = samples(tuple(parts))
    assert len(made) <= MAX_SAMPLES + len(FILLS)
    for text in made:
        position = 0
        for part in parts:
            if isinstance(part, str):
                position = text.index(part, position) + len(part)
