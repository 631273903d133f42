"""Which fix worked: only what a later run shows, and only for the remedy it fits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.incidents import editing, history
from diagnose.incidents.nouns import Incident
from diagnose.incidents.outcomes import applied
from diagnose.incidents.rows import finding_object
from diagnose.incidents.store import Store
from diagnose.model import Applicability, Change, InputError, Remedy, RunContext, Setting, Text
from tests.incidents.kit import START, Clock, batch, everything, finding, run_context, sighting, write

ENTRY, TARGET = "kv-cache.insufficient-memory", "Qwen3-8B@REBEL"


def proposal(id_: str, *changes: tuple[str, Any, Any], applicability: Applicability = "exact") -> Remedy:
    return Remedy(id_, applicability, Text(id_, id_), changes=tuple(Change(*change) for change in changes))


def fits(remedies: tuple[Remedy, ...], context: RunContext, *, fully: bool = False) -> list[str]:
    found, _ = finding_object(finding(remedies=remedies), context)
    return [one.remedy for one in applied(found["remedies"], context, fully=fully)]


# --------------------------------------------------------------------------- what fits


@pytest.mark.parametrize(
    ("value", "at_all", "fully"),
    [
        (180_224, True, True),
        (131_072, True, True),
        (200_000, True, False),
        (262_144, False, False),
        (300_000, False, False),
        (None, False, False),
    ],
    ids=["as proposed", "further", "less far", "unchanged", "the other way", "not known"],
)
def test_a_number_that_went_the_proposed_way_fits(value: int | None, at_all: bool, fully: bool) -> None:
    remedy = proposal("shorter", ("max_seq_len", 262_144, 180_224))
    context = run_context(max_seq_len=value)
    assert bool(fits((remedy,), context)) is at_all
    assert bool(fits((remedy,), context, fully=True)) is fully


def test_every_change_of_a_remedy_must_be_there() -> None:
    remedy = proposal("both", ("max_seq_len", 262_144, 131_072), ("batch_size", 8, 4))
    assert fits((remedy,), run_context(max_seq_len=131_072)) == []
    assert fits((remedy,), run_context(max_seq_len=131_072, batch_size=4)) == ["both"]


def test_a_removed_parameter_is_seen() -> None:
    remedy = proposal("unset", ("kvcache_num_blocks", 10, None))
    assert fits((remedy,), run_context(kvcache_num_blocks=10)) == []
    assert fits((remedy,), run_context()) == ["unset"]


def test_a_value_that_was_never_set_fits_only_when_it_is_the_proposed_one() -> None:
    remedy = proposal("devices", ("num_devices", None, 16))
    assert fits((remedy,), run_context(num_devices=16)) == ["devices"]
    assert fits((remedy,), run_context(num_devices=8)) == []


def test_the_remedy_that_fits_best_is_meant() -> None:
    near = proposal("by formula", ("batch_size", 8, 5))
    exact = proposal("by solver", ("batch_size", 8, 4))
    wide = proposal("both", ("batch_size", 8, 4), ("max_seq_len", 262_144, 131_072))
    assert fits((near, exact), run_context(batch_size=4)) == ["by solver"]
    assert fits((near, exact, wide), run_context(batch_size=4, max_seq_len=131_072)) == ["both"]


def test_advice_is_never_seen_in_a_configuration() -> None:
    assert fits((Remedy("wait", "advice", Text("Wait", "기다립니다")),), run_context()) == []


def test_a_parameter_is_found_at_the_level_where_the_run_names_it() -> None:
    remedy = proposal("shorter", ("language_model.max_seq_len", 262_144, 131_072))
    config = {"max_seq_len": Setting(131_072, 3, "non-default args")}
    assert fits((remedy,), RunContext(config=config, lm_prefix="language_model")) == ["shorter"]


def test_true_is_not_one_and_a_list_of_one_is_its_element() -> None:
    assert fits((proposal("x", ("create_runtimes", True, False)),), run_context(create_runtimes=0)) == []
    assert fits((proposal("x", ("device", 0, 1)),), run_context(device=[1])) == ["x"]


values = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=2), st.lists(st.integers(0, 3), max_size=2)
)


@given(values, values, values)
def test_what_fits_fully_fits_and_what_did_not_change_never_fits(before: Any, proposed: Any, value: Any) -> None:
    remedy = proposal("x", ("p", before, proposed))
    now, unchanged = run_context(p=value), run_context(p=before)
    assert not fits((remedy,), now, fully=True) or fits((remedy,), now)
    assert fits((remedy,), unchanged) == []


# --------------------------------------------------------------------------- what the store keeps


def fail(store: Store, run: str, clock: Clock, **config: Any) -> Incident:
    clock.now += 60
    (found,) = write(store, batch(sighting(run=run, context=run_context(**config))))
    return found


def start(store: Store, run: str, clock: Clock, model: str = "Qwen/Qwen3-8B", **config: Any) -> None:
    clock.now += 60
    write(store, batch(started=(run, run_context(model=model, **config))))


def state(store: Store, incident: Incident) -> tuple[str, str | None]:
    found = history.find(store.connection, incident.id)
    return found.state, found.resolved_by


def test_a_clean_start_after_the_change_is_evidence_and_ends_the_incident(store: Store, clock: Clock) -> None:
    incident = fail(store, "run1", clock)
    start(store, "run2", clock, max_seq_len=180_224)
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (1, 1)}
    assert state(store, incident) == ("recovered", "shorter-context")
    (trial,) = history.tried(store.connection, incident.id)
    assert trial["changes"] == [{"parameter": "max_seq_len", "from": 262_144, "to": 180_224}]


def test_a_failure_after_the_change_is_evidence_against_it(store: Store, clock: Clock) -> None:
    fail(store, "run1", clock)
    fail(store, "run2", clock, batch_size=4)
    assert store.evidence(ENTRY, TARGET) == {"smaller-batch": (0, 1)}


def test_worked_three_of_four_times(store: Store, clock: Clock) -> None:
    for number in range(3):
        fail(store, f"fail{number}", clock)
        start(store, f"start{number}", clock, max_seq_len=131_072)
    fail(store, "fail3", clock)
    fail(store, "fail4", clock, max_seq_len=180_224)
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (3, 4)}


def test_a_start_without_a_change_is_no_evidence_but_the_incident_is_over(store: Store, clock: Clock) -> None:
    incident = fail(store, "run1", clock)
    start(store, "run2", clock)
    assert store.evidence(ENTRY, TARGET) == {}
    assert state(store, incident) == ("recovered", None)


def test_only_the_first_start_after_a_failure_counts(store: Store, clock: Clock) -> None:
    fail(store, "run1", clock)
    start(store, "run2", clock)
    start(store, "run3", clock, max_seq_len=180_224)
    assert store.evidence(ENTRY, TARGET) == {}


def test_a_start_counts_once_and_not_for_what_failed_after_it(store: Store, clock: Clock) -> None:
    start(store, "run1", clock, max_seq_len=180_224)
    fail(store, "run2", clock)
    start(store, "run1", clock, max_seq_len=180_224)
    assert store.evidence(ENTRY, TARGET) == {}


def test_another_target_proves_nothing(store: Store, clock: Clock) -> None:
    incident = fail(store, "run1", clock)
    start(store, "run2", clock, model="Qwen/Qwen3-4B", max_seq_len=180_224)
    assert store.evidence(ENTRY, TARGET) == {}
    assert state(store, incident) == ("open", None)


def test_runs_of_an_unknown_model_prove_nothing(store: Store, clock: Clock) -> None:
    unknown = run_context(model=None)
    write(store, batch(sighting(context=unknown)))
    clock.now += 60
    write(store, batch(started=("run2", run_context(model=None, max_seq_len=180_224))))
    assert everything(store)["evidence"] == []


@pytest.mark.parametrize(
    ("failed_on", "came_up_on", "counts"),
    [(None, "RBLN-CR13", True), ("RBLN-CR13", None, True), ("RBLN-CA25", "RBLN-CR13", False)],
)
def test_an_npu_that_one_of_the_logs_does_not_name_may_be_the_same(
    store: Store, clock: Clock, failed_on: str | None, came_up_on: str | None, counts: bool
) -> None:
    write(store, batch(sighting(context=run_context(npu=failed_on))))
    clock.now += 60
    write(store, batch(started=("run2", run_context(npu=came_up_on, max_seq_len=180_224))))
    assert bool(everything(store)["evidence"]) is counts


def test_a_start_read_late_does_not_count_for_what_happened_after_it(store: Store, clock: Clock) -> None:
    fail(store, "run1", clock)
    made = batch(started=("old", run_context(max_seq_len=180_224)))
    store.write(made, source="/old.log", host="npu01", at_s=START - 60)
    assert store.evidence(ENTRY, TARGET) == {}


def test_when_two_remedies_fit_alike_both_are_recorded_and_neither_is_called_the_fix(
    store: Store, clock: Clock
) -> None:
    incident = fail(store, "run1", clock)
    start(store, "run2", clock, max_seq_len=180_224, batch_size=4)
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (1, 1), "smaller-batch": (1, 1)}
    assert state(store, incident) == ("recovered", None)


def test_one_start_ends_different_failures_by_their_own_remedies(store: Store, clock: Clock) -> None:
    fail(store, "run1", clock)
    clock.now += 60
    other = finding(entry="host.oom", text="Killed", remedies=(proposal("fewer", ("max_num_seqs", 8, 4)),))
    write(store, batch(sighting(found=other, run="run2", context=run_context(max_num_seqs=8, max_seq_len=180_224))))
    start(store, "run3", clock, max_seq_len=180_224, max_num_seqs=4)
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (1, 1)}
    assert store.evidence("host.oom", TARGET) == {"fewer": (1, 1)}


def test_a_person_says_what_helped_and_may_change_their_mind(store: Store, clock: Clock) -> None:
    incident = fail(store, "run1", clock)
    for remedy in ("smaller-batch", "smaller-batch", "shorter-context"):
        editing.resolve(store.connection, incident, by=remedy, note="with Kim", now_s=clock())
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (1, 1)}
    found = history.find(store.connection, incident.id)
    assert (found.state, found.resolved_by, found.note) == ("resolved", "shorter-context", "with Kim")


def test_a_remedy_the_incident_does_not_have_is_refused_by_name(store: Store, clock: Clock) -> None:
    incident = fail(store, "run1", clock)
    with pytest.raises(InputError) as raised:
        editing.resolve(store.connection, incident, by="pray", note=None, now_s=clock())
    assert "shorter-context, smaller-batch" in raised.value.message.ko


def test_evidence_outlives_its_incident(store: Store, clock: Clock) -> None:
    fail(store, "run1", clock)
    start(store, "run2", clock, max_seq_len=180_224)
    assert editing.prune(store.connection, "2030-01-01T00:00:00.000Z") == 1
    assert store.evidence(ENTRY, TARGET) == {"shorter-context": (1, 1)}
