"""Texts with their numbers put in."""

from __future__ import annotations

from diagnose.model import Text
from diagnose.remedies.render import fill, fill_command
from tests.remedies.kit import env, run


def test_placeholders_take_numbers_and_configuration() -> None:
    here = env({"blocks_min": 33}, run({"max_seq_len": 262144, "visual.max_seq_len": [3136, 16384]}))
    text = Text("{blocks_min} of {max_seq_len:,} and {visual.max_seq_len:,}", "{blocks_min} / {max_seq_len:,}")
    assert fill(text, here) == Text("33 of 262,144 and [3,136, 16,384]", "33 / 262,144")


def test_an_unknown_name_says_so_in_the_language() -> None:
    assert fill(Text("{nowhere:,}", "{nowhere}"), env()) == Text("(not in the log)", "(로그에 없음)")


def test_bytes_can_be_shown_as_gib() -> None:
    assert fill(Text("{n:gib}", "{n:gib}"), env({"n": 38654705664})).en == "36.00 GiB"


def test_braces_that_are_no_placeholder_stay() -> None:
    text = """--rbln-optimum-overrides '{"visual": {"device": 1}}' {}"""
    assert fill(Text(text, text), env()).en == text
    assert fill_command(text, env()) == text


def test_a_command_keeps_a_gap_to_fill() -> None:
    assert fill_command("rbln-smi -d {device_id} {model}", env({"device_id": 3})) == "rbln-smi -d 3 <model>"


def test_a_format_that_does_not_suit_the_value_is_ignored() -> None:
    assert fill(Text("{v:,}", "{v:.2f}"), env({"v": "text"})) == Text("text", "text")
