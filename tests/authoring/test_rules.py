"""Every rule catches the bad entry it is there for, and leaves a good one alone."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from diagnose.authoring import lint
from diagnose.authoring.rules import matching_rules, remedy_rules, together, wording
from diagnose.authoring.rules.entry_texts import captured
from diagnose.authoring.rules.guards import can_hold
from diagnose.authoring.rules.walking import CannotWalk, always_holds_one, nested_repeat
from diagnose.knowledge.healthy import healthy_log
from diagnose.knowledge.templates import TemplateError, compile_template
from tests.authoring.made import entry_of, knowledge_of, one

TEXT = "the sample pool of {n:int} blocks is used up"
EXAMPLE = "ValueError: the sample pool of 12 blocks is used up"


def remedy(**keys: Any) -> dict[str, Any]:
    return {"remedies": [{"id": "fix", "title": {"en": "Fix", "ko": "고치세요"}, **keys}]}


def test_the_plain_entry_keeps_every_rule(tmp_path: Path) -> None:
    assert lint.run(knowledge_of(tmp_path, entry_of())) == []


BAD: list[tuple[lint.Validator, dict[str, Any], str]] = [
    (wording.ids, {"id": "Sample"}, "family.what-it-is"),
    (wording.parity, {"cause": {"en": "There are {n}.", "ko": "없습니다."}}, "placeholders differ"),
    (wording.parity, {"cause": {"en": "Set `x` to {n}.", "ko": "{n}"}}, "code differ"),
    (wording.parity, {"cause": {"en": "Up to 16,384.", "ko": "16834까지."}}, "numbers differ"),
    (wording.placeholders, {"cause": {"en": "There are {m}.", "ko": "{m}"}}, "neither captured"),
    (wording.drafts, {"cause": {"en": "<why it happens>", "ko": "<이유>"}}, "draft"),
    (remedy_rules.explained, {"explains": ["no-such.entry"]}, "no entry"),
    (remedy_rules.explained, {"explains": ["no-such.*"]}, "begins so"),
    (remedy_rules.expressions, remedy(set={"batch_size": "n +"}), "not an expression"),
    (remedy_rules.expressions, remedy(set={"batch_size": "blocks_left"}), "unknown name"),
    (remedy_rules.expressions, {"when": "nobody_knows > 1"}, "unknown name"),
    (remedy_rules.dead, remedy(when="n > 8 and n < 3"), "never be true"),
    (remedy_rules.dead, {"when": "family == 'ATOM' and family == 'REBEL'"}, "never be true"),
    (remedy_rules.remedies, remedy(set={"no_such_parameter": "1"}), "not in kb/parameters.yaml"),
    (remedy_rules.remedies, remedy(solver="no_such_solver"), "no solver"),
    (remedy_rules.remedies, remedy(commands={"shell": "rm -r ${CACHE:-~/.cache}"}), "taken for a placeholder"),
    (remedy_rules.remedies, {"examples": [{"text": EXAMPLE, "not_offered": ["fix"]}]}, "which there is not"),
    (remedy_rules.remedies, {"component": "foreign", **remedy(set={"batch_size": "1"})}, "foreign failure"),
    (remedy_rules.remedies, {"role": "consequence", **remedy(set={"batch_size": "1"})}, "changes nothing"),
    (matching_rules.shown, {"examples": None}, "no example"),
    (matching_rules.shown, {"signatures": [{"text": TEXT}, {"text": "another message of it"}]}, "no example shows"),
    (
        matching_rules.proven,
        {
            "signatures": [
                {"regex": r"the sample pool (?:of (?P<n>\d+) blocks )?is", "literals": ["blocks is", "sample poll"]}
            ],
            "examples": ["ValueError: the sample pool is"],
            "cause": {"en": "x", "ko": "x"},
        },
        "no literal",
    ),
    (
        matching_rules.rare,
        {
            "signatures": [{"text": 'x "POST /v1/chat/completions'}],
            "examples": None,
            "cause": {"en": "x", "ko": "x"},
        },
        "ends like",
    ),
    (
        matching_rules.rare,
        {"signatures": [{"text": "Avg prompt throughput"}], "examples": None, "cause": {"en": "x", "ko": "x"}},
        "stands in healthy logs",
    ),
    (
        matching_rules.nested,
        {
            "signatures": [{"regex": r"the sample pool (\w+\s*)+ up", "literals": ["the sample pool "]}],
            "cause": {"en": "x", "ko": "x"},
        },
        "repetition inside a repetition",
    ),
    (
        matching_rules.slow,
        {
            "signatures": [{"regex": r"sample: [^\n]*b!", "literals": ["sample: "]}],
            "cause": {"en": "x", "ko": "x"},
        },
        "takes longer",
    ),
    (
        matching_rules.slow,
        {
            "signatures": [{"regex": r"sample:\s*x?\s*y?\s*b!", "literals": ["sample:"]}],
            "cause": {"en": "x", "ko": "x"},
        },
        "takes longer",
    ),
    (
        matching_rules.slow,
        {
            "signatures": [{"regex": r"sample: (?:a|aa|aaa)+b!", "literals": ["sample: "]}],
            "cause": {"en": "x", "ko": "x"},
        },
        "takes longer",
    ),
]


@pytest.mark.parametrize(("rule", "changes", "says"), BAD, ids=lambda v: getattr(v, "__name__", None))
def test_a_rule_catches_its_bad_entry(tmp_path: Path, rule: lint.Validator, changes: dict[str, Any], says: str) -> None:
    entry, knowledge = one(tmp_path, **changes)
    found = list(rule(entry, knowledge))
    assert any(says in message for message in found), found


def test_every_rule_over_one_entry_has_a_bad_entry_here() -> None:
    assert {rule for rule, _, _ in BAD} == set(lint.VALIDATORS)


def test_two_roots_that_match_one_example_alike_are_told(tmp_path: Path) -> None:
    twin = entry_of(id="sample.twin")
    found = list(together.one_root(knowledge_of(tmp_path, entry_of(), twin)))
    assert {p.entry for p in found} == {"sample.blocks", "sample.twin"}
    apart = entry_of(id="sample.twin", explains=["sample.*"])
    assert list(together.one_root(knowledge_of(tmp_path / "b", entry_of(), apart))) == []


def test_a_near_miss_that_is_a_hit_is_told(tmp_path: Path) -> None:
    bad = entry_of(near_misses=["ValueError: the sample pool of 3 blocks is used up"])
    assert [p.rule for p in together.near_misses(knowledge_of(tmp_path, bad))] == ["near_misses"]
    good = entry_of(near_misses=["the sample pool is fine"])
    assert list(together.near_misses(knowledge_of(tmp_path / "b", good))) == []


def test_a_computed_change_that_breaks_a_constraint_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = {"text": EXAMPLE, "numbers": {"n": 12}, "sets": {"max_seq_len": 32768, "kvcache_partition_len": 8192}}
    knowledge = knowledge_of(tmp_path, entry_of(examples=[example], **remedy(set={"max_seq_len": "n * 1000"})))
    assert list(together.lawful(knowledge)) == [], "a change is moved within the constraints before it is offered"
    prescribing = importlib.import_module("diagnose.remedies.prescribe")
    monkeypatch.setattr(prescribing, "adjust", lambda changes, context, knowledge: dict(changes))
    found = list(together.lawful(knowledge))
    assert {p.rule for p in found} == {"lawful"}
    assert any("flash-multiple" in p.message for p in found)


@pytest.mark.parametrize(
    ("guard", "holds"),
    [
        ("n > 2", True),
        ("n > 2 and n < 2", False),
        ("n == 3 and n % 2 == 0", False),
        ("known('batch_size') and not known('batch_size')", False),
        ("known('batch_size') and batch_size > 1", True),
        ("family == 'REBEL'", True),
        ("cfg('visual.max_seq_len') > 100", True),
        ("at_least('vllm_rbln', '0.12') or seen('compile')", True),
        ("len(values) > 1", True),
        ("False", False),
        ("n >", None),
    ],
)
def test_a_guard_is_tried_with_the_values_it_speaks_of(guard: str, holds: bool | None) -> None:
    assert can_hold(guard) is holds


@pytest.mark.parametrize(
    ("pattern", "literals", "held"),
    [
        (r"too\s+few\s+blocks", ["few blocks"], True),
        (r"too (?:few|many) blocks", [" blocks"], True),
        (r"(?:too few|too many) blocks", ["too few blocks"], False),
        (r"(?:too few|too many) blocks", ["too few", "too many"], True),
        (r"too few(?: blocks)?", ["blocks"], False),
        (r"too few(?: blocks)+", ["few blocks"], True),
        (r"(?i:too few)", ["too few", "Too few", "TOO FEW"], True),
        (r"[ab]locks", ["blocks"], False),
    ],
)
def test_what_stands_in_every_match_is_proven_over_the_pattern(pattern: str, literals: list[str], held: bool) -> None:
    assert always_holds_one(pattern, literals) is held


@pytest.mark.parametrize(
    ("pattern", "bad"),
    [(r"(a+)+", True), (r"(?:\w+\s*)*", True), (r"(?:, \w+)*", False), (r"\d+(?:[.,]\d{3})*", False), (r"a+b+", False)],
)
def test_a_repetition_inside_a_repetition_is_seen(pattern: str, bad: bool) -> None:
    assert nested_repeat(pattern) is bad


pieces = st.lists(
    st.sampled_from(["pool of", "blocks", " ", "{n:int}", "{m:word}", "{*}", "is", "(x)", "used up", "{{", "[1]"]),
    min_size=1,
    max_size=8,
)


@given(pieces)
def test_the_literals_of_every_template_are_proven(parts: list[str]) -> None:
    seen: set[str] = set()
    unique = [p for p in parts if not p.startswith(("{n", "{m")) or not (p in seen or seen.add(p))]
    try:
        compiled = compile_template(" ".join(unique))
    except TemplateError:
        return
    assert always_holds_one(compiled.pattern, compiled.literals)


def test_a_pattern_only_the_regex_module_knows_is_said_to_be_unwalkable() -> None:
    pattern = r"(?P<a>x)(?&a)"
    regex.compile(pattern)
    with pytest.raises(CannotWalk):
        always_holds_one(pattern, ["x"])


def test_the_healthy_log_is_healthy() -> None:
    from diagnose.analyzer import diagnose_bytes

    assert diagnose_bytes("\n".join(healthy_log()).encode()).outcome == "healthy"


def test_captured_names_are_those_of_every_wording(tmp_path: Path) -> None:
    entry, _ = one(tmp_path, signatures=[{"text": TEXT}, {"text": "another pool of {m:int} pages"}])
    assert captured(entry) == {"n", "m"}
