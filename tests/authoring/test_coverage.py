"""Which entry knows which site, and what is said about the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diagnose.authoring.coverage import report
from diagnose.authoring.coverage.drift import drift
from diagnose.authoring.coverage.exceptions import read_exceptions
from diagnose.authoring.coverage.judge import Coverage, claims, coverage, fits
from diagnose.authoring.coverage.measure import measure
from diagnose.authoring.coverage.package import Package
from diagnose.model import InputError
from tests.authoring.made import entry_of, knowledge_of, wheel

SOURCE = "def f(n):\n    raise ValueError(f'the sample pool of {n} blocks is used up')\n"
FAMILY = entry_of(
    id="internal.sample",
    signatures=[{"text": "the sample invariant is broken"}],
    cause={"en": "A bug.", "ko": "버그입니다."},
    examples=["AssertionError: the sample invariant is broken"],
)


def measured(tmp_path: Path, source: str, *entries: dict[str, Any], version: str = "1.0", **more: Any) -> Coverage:
    package = Package("optimum-rbln", version, {"optimum/rbln/m.py": source})
    return coverage(package, knowledge_of(tmp_path, *(entries or (entry_of(),))), **more)


def test_a_site_an_entry_matches_is_covered(tmp_path: Path) -> None:
    found = measured(tmp_path, SOURCE)
    assert [(j.status, j.entries) for j in found.judged] == [("covered", ("sample.blocks",))]
    assert found.share(reachable=True) == (1, 1)
    assert not report.to_do(found)


def test_a_site_no_entry_matches_is_uncovered_and_to_do(tmp_path: Path) -> None:
    found = measured(tmp_path, SOURCE.replace("used up", "all gone"))
    assert [j.status for j in found.judged] == ["uncovered"]
    assert report.to_do(found)
    assert any("optimum/rbln/m.py:2" in line for line in report.lines(found, "en"))


def test_a_logged_info_is_no_event_for_an_entry_about_errors(tmp_path: Path) -> None:
    assert measured(tmp_path, "logger.info('the sample pool of 12 blocks is used up')").judged == ()


def test_an_internal_site_alone_is_not_to_do(tmp_path: Path) -> None:
    found = measured(tmp_path, "assert a, 'something unknown here'")
    assert found.share(reachable=True) == (0, 0)
    assert found.share(reachable=False) == (0, 1)
    assert not report.to_do(found)


def test_a_family_entry_is_told_apart(tmp_path: Path) -> None:
    found = measured(tmp_path, "assert a, 'the sample invariant is broken'", FAMILY)
    assert [j.status for j in found.judged] == ["family"]


def test_an_entry_of_another_vendor_is_no_knowledge(tmp_path: Path) -> None:
    assert [j.status for j in measured(tmp_path, SOURCE, entry_of(component="foreign")).judged] == ["uncovered"]


def test_a_frame_that_an_entry_asks_for_is_given(tmp_path: Path) -> None:
    framed = entry_of(signatures=[{"text": "weight is required", "frame": "rbln/m.py"}], cause={"en": "x", "ko": "x"})
    assert [j.status for j in measured(tmp_path, "raise ValueError('weight is required')", framed).judged] == [
        "covered"
    ]


def test_a_value_only_an_example_can_show_is_recognised_by_it(tmp_path: Path) -> None:
    entry = entry_of(
        signatures=[
            {"regex": r"compiled with release (?P<v>\d+\.\d+\.\d+) of this", "literals": ["compiled with release"]}
        ],
        cause={"en": "x", "ko": "x"},
        examples=["ValueError: compiled with release 0.12.1 of this library"],
    )
    source = "raise ValueError(f'compiled with release {v} of this library')"
    assert [j.status for j in measured(tmp_path, source, entry).judged] == ["covered"]


@pytest.mark.parametrize(
    ("since", "until", "version", "claimed"),
    [
        ("0.11.1", None, "0.11.0", False),
        ("0.11.1", None, "0.11.1.post2", True),
        (None, "0.11.1", "0.11.1", True),
        (None, "0.11", "0.11.2", True),
        (None, "0.11.1", "0.12.0", False),
        (None, None, "9.9", True),
        ("0.11.1", "0.11.1", "", True),
    ],
)
def test_since_and_until_are_inclusive(
    tmp_path: Path, since: str | None, until: str | None, version: str, claimed: bool
) -> None:
    signature = {**entry_of()["signatures"][0], "since": since, "until": until}
    knowledge = knowledge_of(tmp_path, entry_of(signatures=[{k: v for k, v in signature.items() if v}]))
    assert claims(knowledge.signatures[0], version) is claimed


def test_a_message_outside_its_versions_is_told(tmp_path: Path) -> None:
    old = entry_of(signatures=[{**entry_of()["signatures"][0], "until": "0.9"}])
    found = measured(tmp_path, SOURCE, old, version="1.0")
    assert [s.entry for s, _ in found.outdated] == ["sample.blocks"]
    assert report.to_do(found)


def test_a_signature_nothing_emits_is_told_unless_it_claims_another_release(tmp_path: Path) -> None:
    assert [s.entry for s in measured(tmp_path, "x = 1").unemitted] == ["sample.blocks"]
    assert measured(tmp_path, "x = 'the sample pool of'; y = 'blocks is used up'").unemitted == ()
    old = entry_of(signatures=[{**entry_of()["signatures"][0], "until": "0.9"}])
    assert measured(tmp_path / "b", "x = 1", old).unemitted == ()


def test_a_message_of_native_code_is_emitted(tmp_path: Path) -> None:
    package = Package("optimum-rbln", "1.0", {"a.py": ""}, "the sample pool of %d\nblocks is used up")
    assert coverage(package, knowledge_of(tmp_path, entry_of())).unemitted == ()


def test_an_exception_counts_as_known_and_a_dead_one_is_told(tmp_path: Path) -> None:
    exceptions = {"some text of {}": "handed on", "gone *": "was needed once"}
    found = measured(tmp_path, "raise ValueError(f'some text of {x}')", exceptions=exceptions)
    assert [(j.status, j.reason) for j in found.judged] == [("excepted", "handed on")]
    assert found.share(reachable=True) == (1, 1)
    assert found.dead_exceptions == ("gone *",)


def test_an_exception_is_the_whole_text_or_ends_in_a_star() -> None:
    assert fits("RBLN: {}", "RBLN: {}")
    assert not fits("RBLN: {}", "RBLN: {} is wrong")
    assert fits("RBLN: *", "RBLN: {} is wrong")


@pytest.mark.parametrize("text", ["[1, 2]", "a: b", "a: {b: 1}", "a: {b: ''}", "{"])
def test_a_broken_list_of_exceptions_is_refused_with_its_path(tmp_path: Path, text: str) -> None:
    path = tmp_path / "exceptions.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_exceptions(path)
    assert str(path) in caught.value.message.ko


def test_a_missing_or_empty_list_of_exceptions_is_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    assert read_exceptions(tmp_path / "none.yaml") == read_exceptions(tmp_path / "empty.yaml") == {}


def release(version: str, source: str) -> Package:
    return Package("p", version, {"p/m.py": source})


def test_drift_names_what_came_what_went_and_what_was_reworded() -> None:
    old = release(
        "1.0", "def f():\n  raise ValueError('too few blocks in the pool')\n  raise KeyError('gone for good')\n"
    )
    new = release(
        "1.1",
        "def f():\n  x = 1\n  raise ValueError('too few blocks in this pool')\ndef g():\n  assert x, 'all new text'\n",
    )
    found = drift(old, new)
    assert [s.text for s in found.added] == ["all new text"]
    assert [(a.text, b.text) for a, b in found.changed] == [
        ("too few blocks in the pool", "too few blocks in this pool")
    ]
    assert [s.text for s in found.dropped] == ["gone for good"]


def test_a_site_that_only_moved_is_no_drift() -> None:
    one = release("1.0", "raise ValueError('too few blocks')")
    two = release("1.1", "x = 1\n\n\nraise ValueError('too few blocks')")
    found = drift(one, two)
    assert (found.added, found.changed, found.dropped) == ((), (), ())


def test_two_releases_are_measured_at_the_newest_and_compared(tmp_path: Path) -> None:
    new = wheel(tmp_path, "optimum-rbln", "0.12.0", {"optimum/m.py": SOURCE})
    old = wheel(tmp_path, "optimum-rbln", "0.9.3", {"optimum/m.py": "x = 1"})
    found, drifts = measure([str(new), str(old)], knowledge_of(tmp_path, entry_of()), {})
    assert [c.package.version for c in found] == ["0.12.0"]
    assert [(d.old.version, d.new.version, len(d.added)) for d in drifts] == [("0.9.3", "0.12.0", 1)]
    json.dumps([report.as_object(found[0]), report.drift_object(drifts[0])])
    assert any("0.9.3 → 0.12.0" in line for line in report.drift_lines(drifts[0], "ko"))


def test_a_known_site_is_reported_with_the_entries_that_know_it(tmp_path: Path) -> None:
    found = report.as_object(measured(tmp_path, SOURCE))
    assert [(s["path"], s["line"], s["status"], s["entries"]) for s in found["known"]] == [
        ("optimum/rbln/m.py", 2, "covered", ["sample.blocks"])
    ]


def test_a_reachable_site_only_a_family_entry_knows_is_listed_with_it(tmp_path: Path) -> None:
    lines = list(report.lines(measured(tmp_path, "raise ValueError('the sample invariant is broken')", FAMILY), "en"))
    assert any("optimum/rbln/m.py:1" in line and "<- internal." in line for line in lines)


def test_a_share_is_never_rounded_up_to_all(tmp_path: Path) -> None:
    source = SOURCE * 2000 + "raise ValueError('unknown text here')\n"
    lines = list(report.lines(measured(tmp_path, source), "en"))
    assert " 99.9 %  2000/2001" in lines[1]
