"""Beyond a limit of the redactor nothing is told that is hidden below it."""

from __future__ import annotations

import pytest

from diagnose.redact import Redactor, redactor

MAIL = "write to {}@mail.example.org now"


def test_secrets_beyond_those_told_apart_are_hidden_without_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert redactor.MAX_ALIASES >= 20_000
    monkeypatch.setattr(redactor, "MAX_ALIASES", 3)
    by = Redactor()
    shown = [by.text(MAIL.format(f"kim{n}")) for n in range(5)]
    assert not any("kim" in text for text in shown)
    assert len(set(shown)) == 4
    assert shown[3] == shown[4] == by.text(MAIL.format("lee"))
    assert by.text(MAIL.format("kim0")) == shown[0]


def test_texts_that_were_read_before_are_kept_up_to_a_number_and_a_length() -> None:
    found = redactor._found
    found.cache_clear()
    by = Redactor()
    for n in range(redactor.MAX_CACHED + 9):
        by.text(f"plain {n}")
    assert found.cache_info().currsize == redactor.MAX_CACHED
    for length, kept in ((redactor.MAX_CACHED_CHARS, 1), (redactor.MAX_CACHED_CHARS + 1, 0)):
        before = found.cache_info().misses
        assert by.text("plain".ljust(length)) == "plain".ljust(length)
        assert found.cache_info().misses - before == kept
        assert "kim" not in by.text(MAIL.format("kim").ljust(length))


def test_what_was_found_in_a_long_text_is_kept_up_to_a_number() -> None:
    found = redactor._found_in_long
    found.cache_clear()
    by = Redactor()
    for n in range(redactor.MAX_CACHED_LONG + 2):
        by.text(f"plain {n}".ljust(redactor.MAX_CACHED_CHARS + 1))
    assert found.cache_info().currsize == redactor.MAX_CACHED_LONG
    misses = found.cache_info().misses
    by.text(f"plain {n}".ljust(redactor.MAX_CACHED_CHARS + 1))
    assert found.cache_info().misses == misses


def test_a_secret_that_was_shown_in_part_is_the_same_when_it_is_whole() -> None:
    by = Redactor()
    assert by.text("x prompt='tell me about…") == "x prompt=<prompt-1>"
    assert by.text("prompt='tell me about my test', n=1") == "prompt=<prompt-1>, n=1"
    assert by.text("prompt='tell me about my work', n=1") != "prompt=<prompt-1>, n=1"
    assert by.text("x prompt='tell me about…") == "x prompt=<prompt-1>"


@pytest.mark.parametrize("more", [0, 1])
def test_secrets_shown_in_part_wait_up_to_a_number(more: int) -> None:
    by = Redactor()
    last = redactor.MAX_CUT - 1 + more
    for n in range(last + 1):
        cut = by.text(f"x prompt='tell {n} of the…")
    whole = by.text(f"prompt='tell {last} of the people', n=1")
    assert (cut[2:] + ", n=1" == whole) is (not more)


@pytest.mark.parametrize("extra", [0, 1])
def test_a_text_that_goes_on_bringing_out_secrets_is_left_out(extra: int, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = [f"kim{n}@mail.example.org" for n in range(redactor.MAX_ROUNDS + extra)]

    def one_at_a_time(text: str) -> tuple[object, ...]:
        found = real(text)
        return found[:1]

    real = redactor._search
    monkeypatch.setattr(redactor, "_found", one_at_a_time)
    shown = Redactor().text(" and ".join(secrets))
    assert "kim" not in shown
    assert (shown == redactor.LEFT_OUT) == bool(extra)
