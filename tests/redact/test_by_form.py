"""Every form of a line that once let something through: who, what was said and where go, and the rest stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.redact import Redactor
from diagnose.redact.escaped import unescaped
from tests.redact.by_form import FORMS, NEAR

PREFIXES = (
    "",
    "(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] ",
    "vllm-1  | ",
)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_somebodys_goes_and_what_stands_beside_it_stays(form: str, prefix: str) -> None:
    for line in FORMS[form]:
        if "_ids" in line.text and "\n" in line.text and prefix:
            continue  # numbers alone behind a prefix are told by nothing
        text = "\n".join(prefix + part for part in line.text.split("\n"))
        made = Redactor().text(text)
        assert [gone for gone in line.gone if gone in made] == [], made
        assert [kept for kept in line.kept if kept not in made.replace("\n" + prefix, "\n")] == [], made
        assert made.count("\n") == text.count("\n")
        assert Redactor().text(made) == made


@pytest.mark.parametrize("text", NEAR)
def test_what_is_near_to_one_of_these_forms_stays(text: str) -> None:
    assert Redactor().text(text) == text


def test_token_ids_that_were_cut_take_no_line_with_them() -> None:
    for end in ("", ",", ", 198", "…", "..."):
        text = f"prompt_token_ids: [151644, 8948{end}\n2026-11-30 09:00:00 ERROR 12 blocks\n11-30 09:00 x\n17: y"
        made = Redactor().text(text)
        assert "8948" not in made
        assert made.endswith("\n2026-11-30 09:00:00 ERROR 12 blocks\n11-30 09:00 x\n17: y")


@given(st.text(alphabet="가힣é한😀ab1 :=\u00a0", min_size=1))
def test_any_letter_beyond_ascii_is_read_where_json_escaped_it(text: str) -> None:
    written = json.dumps(text)[1:-1]
    plain = unescaped(written)
    assert (plain.text if plain else written) == text.replace("\u00a0", " ")
    if plain:
        for place, character in enumerate(plain.text):
            start, end = plain.span(place, place + 1)
            assert json.loads(f'"{written[start:end]}"') in (character, "\u00a0")
