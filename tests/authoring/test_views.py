"""The pages and lists of the knowledge base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diagnose.authoring import figures, listing
from diagnose.authoring.page import page
from diagnose.authoring.words import WORDS
from diagnose.model import InputError
from tests.authoring.made import entry_of, knowledge_of, real


def test_a_list_is_filtered_by_everything_that_is_given() -> None:
    found = listing.chosen(real(), {"component": "torch-rbln", "role": "noise", "domain": None, "evidence": None})
    assert found
    assert {(e.component, e.role) for e in found} == {("torch-rbln", "noise")}
    json.dumps(listing.objects(found))


def test_a_filter_no_entry_can_have_is_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match="consequence"):
        listing.chosen(real(), {"role": "boss"})


@pytest.mark.parametrize(
    ("remedies", "kind"),
    [
        ([], "none"),
        ([{"id": "a", "title": {"en": "Report it", "ko": "신고하세요"}}], "support"),
        (
            [{"id": "a", "title": {"en": "Report it", "ko": "x"}}, {"id": "b", "title": {"en": "Wait", "ko": "x"}}],
            "advice",
        ),
        ([{"id": "a", "title": {"en": "Set it", "ko": "x"}, "set": {"batch_size": "n"}}], "computed"),
    ],
)
def test_entries_are_counted_by_what_their_remedies_can_do(tmp_path: Path, remedies: list[object], kind: str) -> None:
    knowledge = knowledge_of(tmp_path, entry_of(remedies=remedies))
    assert figures.figures(knowledge)["remedies"] == {
        **dict.fromkeys(("computed", "advice", "support", "none"), 0),
        kind: 1,
    }


def test_the_figures_add_up() -> None:
    found = figures.figures(real())
    assert sum(found["remedies"].values()) == found["role"]["root"]
    assert sum(found["component"].values()) == found["entries"]
    json.dumps(found)


def test_a_page_shows_the_computed_change_of_its_example() -> None:
    text = "\n".join(page("kv-cache.insufficient-memory", real(), "en"))
    for part in (
        "Messages",
        "since 0.11.1",
        "until 0.11.0",
        "kv_shorter_context",
        "(12 - 1) * 16384 = 180224",
        "engine.*",
    ):
        assert part in text


def test_an_echo_names_what_it_is_an_echo_of() -> None:
    text = "\n".join(page("cli.compile-failed", real(), "ko"))
    assert "다음의 여파일 수 있음" in text


def test_every_entry_has_a_page_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    # The computed example is shown by the test above; here it would only cost time.
    monkeypatch.setattr("diagnose.authoring.page._remedies", lambda entry, example, knowledge: ())
    knowledge = real()
    for entry in knowledge.entries.values():
        for lang in ("en", "ko"):
            lines = list(page(entry.id, knowledge, lang))  # type: ignore[arg-type]
            assert lines[0] == entry.title.in_(lang)  # type: ignore[arg-type]


def test_an_unknown_id_is_refused_with_similar_ones() -> None:
    with pytest.raises(InputError, match=r"kv-cache\.insufficient-memory"):
        list(page("kv-cache.insuficient-memory", real(), "en"))


def test_every_word_is_there_in_both_languages() -> None:
    assert all(en and ko for en, ko in WORDS.values())
