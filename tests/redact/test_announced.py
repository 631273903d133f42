"""A password of several words goes as a whole; a sentence about it stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor

QUOTES = ('"{}"', "'{}'", "`{}`", "“{}”", '\\"{}\\"')
_WORD = st.from_regex(r"[A-Za-z]{2,4}[0-9][A-Za-z0-9]{2,6}", fullmatch=True)


@given(
    st.sampled_from(["passphrase", "Passphrase", "password", "passwd", "암호는", "비밀번호", "the passphrase"]),
    st.sampled_from(QUOTES),
    st.lists(_WORD, min_size=1, max_size=5),
)
@settings(max_examples=150)
def test_every_word_in_quotes_behind_its_name_goes(name: str, quotes: str, words: list[str]) -> None:
    made = Redactor().text(f"x: {name} {quotes.format(' '.join(words))} 끝")
    assert not [word for word in words if word in made]
    assert made.startswith("x: ") and made.endswith(" 끝")


def test_words_of_a_dictionary_are_a_passphrase_too() -> None:
    assert Redactor().text('passphrase "correct horse battery"') == 'passphrase "<secret-1>"'


@pytest.mark.parametrize(
    "text",
    [
        'passphrase "must not be empty"',
        'passphrase "is required"',
        "Bad passphrase, try again for /root/.ssh/id_rsa:",
        'Enter passphrase for key "/root/.ssh/id_rsa":',
        'unknown option password "db_password"',
        "password 'None' given",
        "the passphrase of this key is missing",
        '비밀번호 "다시 입력하세요 지금"',
        "a passphrase protects the artifact 'Qwen3 8B'",
    ],
)
def test_a_sentence_about_a_passphrase_stays(text: str) -> None:
    assert Redactor().text(text) == text
