"""A report says when this was seen before, what fixed it then, and orders remedies by what worked here."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.incidents import before, editing
from diagnose.incidents.fingerprint import fingerprint, happening
from diagnose.incidents.recalling import Memory, ordered, recall
from diagnose.incidents.store import Store
from diagnose.model import Diagnosis, Finding, InputInfo, RunContext
from diagnose.report.json import render
from diagnose.report.text import write as write_report
from tests.incidents.kit import (
    CONTEXT,
    SHORTER,
    SMALLER,
    START,
    Clock,
    batch,
    finding,
    opened,
    remedy,
    run_context,
    sighting,
    write,
)

NOW = finding(time="11-29 12:00:00")
DIAGNOSIS = Diagnosis(InputInfo("now.log", 10, 2), "diagnosed", CONTEXT, findings=(NOW,))


def texts(memory: Memory, diagnosis: Diagnosis = DIAGNOSIS, lang: str = "en") -> list[str]:
    return [text.in_("ko" if lang == "ko" else "en") for text in memory.of(diagnosis.findings[0])]


def seen_before(now: Finding, context: RunContext, store: Store) -> before.Seen | None:
    with store.connection.reading() as conn:
        return before.seen(conn, fingerprint(now, context), happening(now, context))


def test_what_is_new_was_not_seen(tmp_path: Path) -> None:
    assert seen_before(finding(), CONTEXT, opened(tmp_path)) is None


def test_other_happenings_count_and_this_one_does_not(tmp_path: Path) -> None:
    clock = Clock()
    store = opened(tmp_path, clock)
    write(store, batch(sighting(run="run1")))
    assert seen_before(finding(), CONTEXT, store) is None
    clock.now += 86_400
    write(store, batch(sighting(run="run2")), source="/logs/b.log")
    found = seen_before(NOW, CONTEXT, store)
    assert found is not None
    assert (found.times, found.first[:10], found.last[:10], found.source) == (
        2,
        "2023-11-14",
        "2023-11-15",
        "/logs/b.log",
    )
    assert found.fixed_by is None


def test_another_models_failure_was_not_seen(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()))
    assert seen_before(NOW, run_context(model="other"), store) is None


def test_the_latest_fix_is_named(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (incident,) = write(store, batch(sighting()))
    editing.resolve(store.connection, incident, by="smaller-batch", note="배치를 줄임", now_s=START)
    store.close()
    memory = recall(DIAGNOSIS, store.connection.path)
    assert texts(memory) == [
        "Seen once before on this machine, 2023-11-14 22:13 UTC (server.log).",
        "What fixed it then: Lower batch_size (smaller-batch); 배치를 줄임",
    ]
    when, fix = texts(memory, lang="ko")
    assert "2023-11-14 22:13 UTC, server.log" in when
    assert "batch_size를 낮춥니다 (smaller-batch); 배치를 줄임" in fix


def test_what_the_watcher_recorded_of_this_very_failure_was_not_before(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting(found=replace(NOW, line=7, offset=70))))
    store.close()
    assert texts(recall(DIAGNOSIS, store.connection.path)) == []


def test_without_a_store_nothing_is_remembered_and_none_is_made(tmp_path: Path) -> None:
    assert recall(DIAGNOSIS, tmp_path / "none.db") == Memory()
    assert list(tmp_path.iterdir()) == []


def test_what_worked_here_comes_first_among_equals(tmp_path: Path) -> None:
    clock = Clock()
    store = opened(tmp_path, clock)
    write(store, batch(sighting()))
    clock.now += 60
    write(store, batch(started=("run2", run_context(batch_size=4))))
    store.close()
    memory = recall(DIAGNOSIS, store.connection.path)
    (found,) = memory.ordered(DIAGNOSIS).findings
    assert [one.id for one in found.remedies] == ["smaller-batch", "shorter-context"]
    said = memory.of_remedy(found, SMALLER)
    assert said is not None
    assert said.en == "worked 1 of 1 times here"
    assert "1번 중 1번" in said.ko
    assert memory.of_remedy(found, SHORTER) is None


def test_a_sure_remedy_stays_before_a_guess_that_worked() -> None:
    remedies = (remedy("exact"), remedy("guess", "estimate"), remedy("word", "advice"))
    assert ordered(remedies, {"word": (9, 9), "guess": (9, 9), "exact": (0, 9)}) == remedies


def test_a_remedy_that_failed_goes_behind_one_that_was_never_tried() -> None:
    remedies = (remedy("failed"), remedy("new"), remedy("worked"))
    times = {"failed": (0, 2), "worked": (3, 4)}
    assert [one.id for one in ordered(remedies, times)] == ["worked", "new", "failed"]


def test_one_success_does_not_outweigh_nine_of_ten() -> None:
    remedies = (remedy("once"), remedy("often"))
    assert [one.id for one in ordered(remedies, {"once": (1, 1), "often": (9, 10)})] == ["often", "once"]


names = st.sampled_from("abcdef")


@given(
    st.lists(st.tuples(names, st.sampled_from(["exact", "estimate", "needs-value", "advice"])), max_size=6),
    st.dictionaries(names, st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))),
)
def test_any_order_keeps_every_remedy_and_the_rank_of_sureness(given_: list, times: dict) -> None:  # type: ignore[type-arg]
    rank = {"exact": 0, "estimate": 1, "needs-value": 2, "advice": 3}
    remedies = tuple(remedy(*one) for one in given_)
    found = ordered(remedies, times)
    assert sorted(one.id for one in found) == sorted(one.id for one in remedies)
    ranks = [rank[one.applicability] for one in found]
    assert ranks == sorted(ranks)


def _failed_again_and_settled(tmp_path: Path) -> tuple[Path, str]:
    """A memory in which a failure came twice, a person said what fixed it, and another incident's trial failed."""
    clock = Clock()
    store = opened(tmp_path, clock)
    for run, config in (("run1", {}), ("run2", {"batch_size": 4})):
        clock.now += 60
        write(store, batch(sighting(run=run, context=run_context(**config))))
    (incident,) = write(store, batch(sighting(run="run2")))
    editing.resolve(store.connection, incident, by="smaller-batch", note="\x1b[2J!", now_s=clock())
    with store.connection.writing() as conn:
        conn.execute("UPDATE evidence SET incident = 'another' WHERE worked = 0")
    store.close()
    return store.connection.path, incident.id


@pytest.mark.parametrize(
    ("lang", "parts"),
    [
        ("en", ["Seen 2 times before on this machine", "(worked 1 of 2 times here)"]),
        ("ko", ["이 장비에서 이전에 2번", "2번 중 1번"]),
    ],
)
def test_the_text_report_says_it(tmp_path: Path, lang: str, parts: list[str]) -> None:
    path, _ = _failed_again_and_settled(tmp_path)
    with (tmp_path / "out").open("w+", encoding="utf-8") as stream:
        memory = recall(DIAGNOSIS, path)
        write_report(DIAGNOSIS, "ko" if lang == "ko" else "en", stream, recall=lambda: memory, width=100)
        stream.seek(0)
        page = stream.read()
    for part in parts:
        assert part in page
    assert "\x1b" not in page


def test_the_headline_is_read_before_the_memory_is_asked(tmp_path: Path) -> None:
    path, _ = _failed_again_and_settled(tmp_path)
    stream = io.StringIO()
    read: list[str] = []

    def asked() -> Memory:
        read.append(stream.getvalue())
        return recall(DIAGNOSIS, path)

    write_report(DIAGNOSIS, "en", stream, recall=asked)
    assert read == [DIAGNOSIS.findings[0].title.en + "\n"]
    assert "Seen 2 times before" in stream.getvalue()


def test_the_json_report_says_it_within_its_schema(tmp_path: Path) -> None:
    path, incident = _failed_again_and_settled(tmp_path)
    memory = recall(DIAGNOSIS, path)
    made = json.loads(render(memory.ordered(DIAGNOSIS), "en", memory))
    jsonschema.validate(made, json.loads(files("diagnose.report").joinpath("schema.json").read_text("utf-8")))
    (found,) = made["findings"]
    seen = found["seen"]
    assert (seen["times"], seen["incident"], seen["fixed_by"]) == (2, incident, "smaller-batch")
    assert "\x1b" not in seen["note"]
    here = {remedy["id"]: remedy.get("here") for remedy in found["remedies"]}
    assert here == {"smaller-batch": {"worked": 1, "tried": 2}, "shorter-context": None}
    plain = json.loads(render(DIAGNOSIS, "en"))
    assert "seen" not in plain["findings"][0]


def test_a_finding_is_told_apart_by_its_place() -> None:
    elsewhere = replace(finding(), line=1)
    assert Memory(seen={}).of(elsewhere) == ()
