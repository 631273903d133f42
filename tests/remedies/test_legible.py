"""A masked or damaged value in the configuration stops no remedy, and nothing is computed from what is left of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diagnose
from diagnose.knowledge import load
from diagnose.knowledge.schema import Entry, Knowledge
from diagnose.model import RunContext, Setting, Value
from diagnose.remedies import cause_text, prescribe, title_text
from diagnose.remedies.constraints import adjust
from diagnose.remedies.defaults import with_defaults
from diagnose.remedies.legible import legible
from diagnose.remedies.whole import as_list
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, run

ABOVE = "ValueError: Decoder batch size (8) must be less than or equal to the runtime batch size (4).\n"
ODD: tuple[Any, ...] = ("***", "", "auto", "8", -1, 0, 1.5, True, None, [], [1, "***"], ["***"], [[1]], {"a": 1}, {})
"""One of every kind a JSON or YAML file can hold, and lists in which one element is masked."""
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=4,
)


@cache
def knowledge() -> Knowledge:
    return load()


@cache
def computed() -> tuple[tuple[Entry, dict[str, Value]], ...]:
    """Entries that compute something, each with the numbers of its first example."""
    return tuple(
        (entry, dict(entry.examples[0].numbers) if entry.examples else {})
        for entry in knowledge().entries.values()
        if any(r.set or r.solver for r in entry.remedies)
    )


def printed(**config: str) -> diagnose.Diagnosis:
    given = {"max_seq_len": "32768", "batch_size": "4", "decoder_batch_sizes": "[1, 2, 4, 8]", **config}
    written = ", ".join(f'"{name}": {value}' for name, value in given.items())
    return diagnose.diagnose_bytes(
        f'$ python compile.py\nrbln_config = {{{written}, "npu": "RBLN-CR13"}}\n{ABOVE}'.encode()
    )


def sizes(found: diagnose.Diagnosis) -> list[Value]:
    changes = [c for r in found.findings[0].remedies for c in r.changes]
    return [c.to for c in changes if c.parameter == "decoder_batch_sizes"]


def test_a_masked_batch_size_is_taken_from_the_message() -> None:
    assert sizes(printed(batch_size="***")) == [[1, 2, 4]]


@pytest.mark.parametrize("masked", ["***", "[1, 2, ***, 8]"])
def test_a_masked_list_is_asked_for_and_not_computed_from_what_is_left(masked: str) -> None:
    found = printed(decoder_batch_sizes=masked)
    assert sizes(found) == []
    assert "decoder_batch_sizes" in {name for r in found.findings[0].remedies for name in r.missing}


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_value_everywhere_stops_a_remedy(value: Value) -> None:
    """Every parameter at once, and every one alone beside a whole configuration."""
    every = run(dict.fromkeys(KNOWLEDGE.parameters, value))
    for entry, numbers in computed():
        prescribe(entry, numbers, every, knowledge())
    for name in sorted({name for rule in KNOWLEDGE.constraints for name in rule.touches}):
        context = run({**REBEL, "decoder_batch_sizes": [1, 8], "device": [0], name: value})
        for changes in ({"max_seq_len": 131072}, {"batch_size": 4, "num_devices": 2}):
            adjust(changes, with_defaults(context, KNOWLEDGE), KNOWLEDGE)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_value_of_any_type_stops_a_remedy(data: st.DataObject) -> None:
    entry, numbers = data.draw(st.sampled_from(computed()))
    strange = data.draw(st.dictionaries(st.sampled_from(sorted(KNOWLEDGE.parameters)), JSON, max_size=6))
    context = run({**data.draw(st.sampled_from([REBEL, ATOM])), **strange})
    prescribe(entry, numbers, context, knowledge())
    cause_text(entry, numbers, context, knowledge())
    title_text(entry, numbers, context, knowledge())


@given(st.dictionaries(st.sampled_from(sorted(KNOWLEDGE.parameters)), JSON, max_size=6))
def test_what_is_kept_is_of_the_kind_of_its_parameter(config: dict[str, Any]) -> None:
    context = RunContext(config={n: Setting(v, 1, "x") for n, v in config.items()}, defaults_known=True)
    kept = legible(context, KNOWLEDGE)
    assert kept.defaults_known == (kept.config == context.config)
    for name, setting in kept.config.items():
        assert setting.value is None or KNOWLEDGE.parameters[name].type not in ("int", "ints") or as_list(setting.value)


def test_the_fields_of_a_submodule_are_judged_by_their_parameter() -> None:
    config = {"language_model.max_seq_len": "***", "vision_tower.max_soft_tokens": [70, "***"], "batch_size": 1}
    context = run(config, vlm=False, lm_prefix="language_model", vision_prefix="vision_tower")
    assert set(legible(context, KNOWLEDGE).config) == {"batch_size"}
