"""The same failure has the same fingerprint, another failure another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.incidents.fingerprint import digest, fingerprint, knows_model, model_name, target
from tests.incidents.kit import finding, run_context


def test_numbers_paths_and_times_do_not_count() -> None:
    one = finding("2026-11-29 12:00:00 cannot read /data/a/b.rbln: 17 blocks")
    other = finding("2026-12-01 08:30:11 cannot read /data/c/d.rbln: 9 blocks")
    assert fingerprint(one, run_context()) == fingerprint(other, run_context())


def test_colours_do_not_count() -> None:
    assert fingerprint(finding("\x1b[31mfailed\x1b[0m"), run_context()) == fingerprint(finding("failed"), run_context())


@pytest.mark.parametrize(
    ("found", "context"),
    [
        (finding("another message"), run_context()),
        (finding(entry="kv-cache.below-minimum"), run_context()),
        (finding(), run_context(model="Qwen/Qwen3-4B")),
        (finding(), run_context(npu="RBLN-CA25")),
    ],
    ids=["message", "entry", "model", "npu family"],
)
def test_entry_message_model_and_npu_family_count(found, context) -> None:  # type: ignore[no-untyped-def]
    assert fingerprint(found, context) != fingerprint(finding(), run_context())


def test_npus_of_one_family_are_one_target() -> None:
    assert target(run_context(npu="RBLN-CA22")) == target(run_context(npu="RBLN-CA25")) == "Qwen3-8B@ATOM"


def test_the_version_stands_in_front() -> None:
    assert fingerprint(finding(), run_context()).startswith("1:")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen3-8B", "Qwen3-8B"),
        ("Qwen3-8B", "Qwen3-8B"),
        ("/models/Qwen3-8B/", "Qwen3-8B"),
        (r"C:\models\Qwen3-8B", "Qwen3-8B"),
        ("/root/.cache/hub/models--Qwen--Qwen3-8B/snapshots/0a1b2c3d", "Qwen3-8B"),
        ("/root/.cache/hub/models--gpt2/snapshots/0a1b2c3d", "gpt2"),
        (None, "-"),
        ("", "-"),
        ("/", "-"),
    ],
)
def test_a_model_is_named_by_its_last_part(model: str | None, name: str) -> None:
    assert model_name(model) == name


def test_a_target_without_a_model_says_so() -> None:
    assert target(run_context(model=None, npu=None)) == "-@-"
    assert not knows_model("-@REBEL")
    assert knows_model("Qwen3-8B@-")


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_borders_between_any_parts_count(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)


@given(st.text(max_size=60))
def test_any_text_has_a_fingerprint(text: str) -> None:
    assert fingerprint(finding(text), run_context(model=text)) == fingerprint(finding(text), run_context(model=text))
