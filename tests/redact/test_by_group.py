"""A secret goes whatever stands between it and its name; what only stands near such a name stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor
from diagnose.redact.naming import LOOKS, STRONG, looks_random, says
from tests.redact.by_group import ANY_WORD, GROUPS, HARMLESS_NEAR, MIXED, WORDS

PREFIXES = (
    "",
    "(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] ",
    "2026-11-29T08:07:35.123456789Z stdout F ",
)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("group", sorted(GROUPS))
def test_every_form_of_every_group_goes_and_is_done_once(group: str, prefix: str) -> None:
    for form in GROUPS[group]:
        text = "\n".join(prefix + line for line in form.replace("§", MIXED).split("\n"))
        made = Redactor().text(text)
        assert MIXED not in made, form
        assert Redactor().text(made) == made, form
        assert made.count("\n") == text.count("\n"), form


@given(
    st.sampled_from(sorted({form for forms in GROUPS.values() for form in forms})),
    st.from_regex(r"[a-z]{3}[A-Z]{2}[a-zA-Z]{3,9}[0-9]{2}[a-z][0-9]{2}", fullmatch=True),
)
@settings(max_examples=150)
def test_any_value_that_looks_like_a_secret_goes(form: str, secret: str) -> None:
    assert secret not in Redactor().text(form.replace("§", secret))


@pytest.mark.parametrize("form", ANY_WORD)
def test_a_password_that_is_a_word_goes_where_it_can_be_nothing_else(form: str) -> None:
    assert WORDS not in Redactor().text(form.replace("§", WORDS))


@pytest.mark.parametrize("text", HARMLESS_NEAR)
def test_what_stands_near_such_a_name_stays(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize("name", ["dbPwd", "db.pwd", "DB_PWD", "db-pwd", "DBPWD", "dbpwd"])
def test_a_name_is_its_words_however_they_are_put_together(name: str) -> None:
    assert says(name) == STRONG


@pytest.mark.parametrize(
    "name", ["eos_token", "max_tokens", "num_key_value_heads", "kv_key", "bypass", "fuse_pass", "key"]
)
def test_words_of_language_models_say_nothing(name: str) -> None:
    assert says(name) == 0


def test_a_key_of_anything_is_one_if_it_looks_like_one() -> None:
    assert says("frobnicator_key") == LOOKS
    assert Redactor().text("frobnicator_key=decoder_batch_8") == "frobnicator_key=decoder_batch_8"
    assert MIXED not in Redactor().text(f"frobnicator_key={MIXED}")


@pytest.mark.parametrize(
    "value", ["decoder_batch_8", "v1.2.3", "layer12key45", "0x7f3a2b1c4d5e", "short1A", "/data/A1b2c3d4"]
)
def test_words_versions_addresses_and_paths_look_like_no_secret(value: str) -> None:
    assert not looks_random(value)
