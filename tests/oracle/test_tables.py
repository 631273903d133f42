"""The oracle's tables name what the knowledge base has."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from diagnose.knowledge import load
from oracle.capture import run
from oracle.claims import CLAIMS, larger_divisors, step_down, step_up
from oracle.families import FAMILIES, NEEDS
from oracle.given import forms, give, script
from oracle.judge import Trial, Verdict, shown
from oracle.names import ERRORS, RULES, WARNINGS, breaks_a_rule, entry_for
from oracle.score import closed_loop, is_broken, score, table
from tests.oracle.kit import case


def test_every_entry_the_oracle_expects_exists() -> None:
    entries = load().entries
    assert {*ERRORS.values(), *WARNINGS.values()} <= set(entries)
    assert all(any(name.startswith(rule) for name in entries) for rule in RULES)


def test_every_claim_is_about_a_remedy_that_exists() -> None:
    entries = load().entries
    remedies = {(entry, remedy.id) for entry in {e for e, _ in CLAIMS} for remedy in entries[entry].remedies}
    assert set(CLAIMS) <= remedies


def test_every_piece_of_text_leads_to_its_own_entry() -> None:
    assert all(entry_for(f"ValueError: {piece} 1", "") == entry for piece, entry in ERRORS.items())
    assert entry_for(None, "nothing of interest") is None
    assert entry_for("ValueError: never seen", "") == ""
    assert breaks_a_rule("attention.not-multiple")
    assert not breaks_a_rule("memory.dram-oom")
    assert not breaks_a_rule(None)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_family_draws_the_same_cases_for_the_same_seed(name: str) -> None:
    first, again, other = (list(islice(FAMILIES[name](random.Random(seed)), 20)) for seed in (1, 1, 2))
    assert [shown(c) for c in first] == [shown(c) for c in again] != [shown(c) for c in other]
    assert {c.family for c in first} == {name}


def test_the_families_that_need_more_are_families() -> None:
    assert set(NEEDS) <= set(FAMILIES)


def test_the_neighbours_of_a_value_stay_on_the_side_of_the_one_that_failed() -> None:
    from diagnose.model import Finding, Text

    finding = Finding("x", "rbln", "root", "fatal", 1, 0, "t", Text("", ""), Text("", ""))
    config = case({"kvcache_partition_len": 4096, "max_seq_len": 49152})
    assert list(step_up("kvcache_partition_len")(8192, 16384, config, finding)) == [12288]
    assert list(step_up("kvcache_partition_len")(12288, 16384, config, finding)) == []
    assert list(step_down(1)(17, 3, config, finding)) == [16]
    assert list(step_down(1)(4, 3, config, finding)) == []
    assert list(larger_divisors(12288, None, config, finding)) == [16384, 24576]


def test_a_script_holds_the_configuration_and_is_read_back(tmp_path: Path) -> None:
    from diagnose.analyzer import Analyzer

    asked = case(
        {"max_seq_len": 8192, "visual": {"max_seq_len": [64, 128]}}, rbln_class="RBLNQwen3VLForConditionalGeneration"
    )
    compile(script(asked), "compile.py", "exec")
    for form in forms(asked):
        given = give(asked, form, tmp_path)
        found = Analyzer(sets=given.sets, config=given.config).finish().run
        assert (found.get("max_seq_len"), found.get("visual.max_seq_len")) == (8192, [64, 128])


def test_a_log_holds_native_lines_and_the_traceback() -> None:
    def fails(native: object) -> None:
        assert callable(native)
        native("a line of the driver")
        raise RuntimeError("it broke")

    outcome = run(fails)
    assert outcome.error == "RuntimeError: it broke"
    assert outcome.log.startswith("a line of the driver\nTraceback (most recent call last):\n")
    assert outcome.log.endswith("RuntimeError: it broke\n")


def trial(**more: object) -> Trial:
    given = {"entry": "e", "remedy": "r", "applicability": "exact", "result": "clean", "offered": "x=1"}
    return Trial(**{**given, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "broken"),
    [
        (trial(), False),
        (trial(result="same error"), True),
        (trial(result="same error", applicability="estimate"), False),
        (trial(result="breaks a rule", applicability="estimate"), True),
        (trial(result="next error"), False),
        (trial(tight=False), True),
        (trial(low_holds=False, applicability="estimate"), True),
    ],
)
def test_what_counts_as_broken(one: Trial, broken: bool) -> None:
    assert is_broken(one) is broken


def test_the_score_counts_and_complains() -> None:
    good = Verdict("f", "E: x", "e", True, (trial(tight=True), trial(result="next error")))
    bad = Verdict("f", "E: y", None, False, case="the case")
    found = score([good, bad, Verdict("f", None, None, True)])
    assert (found.failed, len(found.followed), len(found.misnamed)) == (True, 1, 1)
    text = table(found)
    assert "1/2" in text
    assert "the case" in text
    assert not score([good]).failed


def test_the_closed_loop_is_given_per_entry_and_for_all() -> None:
    mixed = (
        trial(tight=True),
        trial(result="next error"),
        trial(result="same error"),
        trial(result="same error", applicability="estimate"),
        trial(entry="other", tight=False),
    )
    shown = closed_loop(score([Verdict("f", "E", "e", True, mixed)]))
    rows = {line.split()[0]: line.split()[1:] for line in shown.splitlines()[1:]}
    assert rows["e"] == ["2/3", "66.7", "%", "1/1", "100.0", "%"]
    assert rows["all"] == ["3/4", "75.0", "%", "1/2", "50.0", "%"]
