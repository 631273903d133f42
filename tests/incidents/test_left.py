"""What a watcher leaves open for the next one."""

from __future__ import annotations

from pathlib import Path

from diagnose.incidents.nouns import Batch, Sighting
from diagnose.incidents.reading import finding_from
from diagnose.incidents.rows import finding_object
from diagnose.incidents.store import Store
from diagnose.model import Consequence, Text
from tests.incidents.kit import CONTEXT, HOST, SOURCE, Clock, finding, run_context


def sighting(print_: str, run: str, kind: str = "opened", number: int = 0, context=CONTEXT) -> Sighting:  # type: ignore[no-untyped-def]
    return Sighting(kind, print_, run, number, finding(), context, "the line")  # type: ignore[arg-type]


def test_a_finding_read_back_is_the_finding_that_was_written() -> None:
    whole = finding(consequences=(Consequence("engine.init-failed", 871, Text("", "")),), process="EngineCore pid=1")
    made, _ = finding_object(whole, CONTEXT)
    assert finding_object(finding_from(made), CONTEXT)[0] == made


def test_only_what_a_watcher_told_of_this_source_and_is_not_over_is_left(tmp_path: Path) -> None:
    clock = Clock()
    store = Store.open(tmp_path / "x.sqlite3", clock=clock)
    for print_, run, kind in (
        ("1:open", "gen+1", "opened"),
        ("1:over", "gen+1", "opened"),
        ("1:over", "gen+1", "recovered"),
        ("1:one-shot", "log:abc", "opened"),
    ):
        store.write(Batch(None, (sighting(print_, run, kind),)), source=SOURCE, host=HOST, channels=("c",))
    store.write(Batch(None, (sighting("1:elsewhere", "gen+1"),)), source="/other.log", host=HOST)
    (left,) = store.left_open(SOURCE, HOST)
    assert (left.incident.fingerprint, left.run, left.number, left.told_s) == ("1:open", "gen+1", 0, clock.now)
    store.close()


def test_the_latest_run_of_an_incident_and_the_last_time_it_was_told_are_known(tmp_path: Path) -> None:
    clock = Clock()
    store = Store.open(tmp_path / "x.sqlite3", clock=clock)
    store.write(Batch(None, (sighting("1:a", "gen+1"),)), source=SOURCE, host=HOST, channels=("c",))
    told_s, clock.now = clock.now, clock.now + 60
    store.write(Batch(None, (sighting("1:a", "gen+9"),)), source=SOURCE, host=HOST, channels=("c",))
    (left,) = store.left_open(SOURCE, HOST)
    assert (left.run, left.told_s, left.incident.count) == ("gen+9", told_s, 2)
    store.close()


def test_a_recovery_without_a_context_leaves_what_is_known_of_the_run(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "x.sqlite3")
    (before,) = store.write(Batch(None, (sighting("1:a", "gen+1"),)), source=SOURCE, host=HOST)
    for kind in ("amended", "recovered"):
        bare = sighting("1:a", "gen+1", kind, 1, run_context(model=None, npu=None))
        bare = Sighting(bare.kind, bare.fingerprint, bare.run, 1, bare.finding, type(CONTEXT)(), "")
        (after,) = store.write(Batch(None, (bare,)), source=SOURCE, host=HOST)
        assert (after.target, after.config, after.versions) == (before.target, before.config, before.versions)
    assert after.state == "recovered"
    store.close()
