"""A failure is written down with the settings of its own run, whatever ran in the same log afterwards."""

from __future__ import annotations

from pathlib import Path

from diagnose.incidents.nouns import Incident
from diagnose.watch.memory import MemoryStore
from tests.watch.kit import CALM, MULTIPLE, Make, Rig, append, blocks, start


def _run(pid: int, model: str, failure: str) -> str:
    return start(pid).replace("model X", f"model {model}") + failure + CALM


def _remembered(rig: Rig) -> list[Incident]:
    assert isinstance(rig.store, MemoryStore)
    return list(rig.store._incidents.values())


def _targets(rig: Rig) -> dict[str, str]:
    return {one.entry: one.target for one in _remembered(rig)}


EACH_ITS_OWN = {"kv-cache.below-minimum": "v/First", "attention.not-multiple": "v/Second"}


def test_runs_that_are_read_at_once_have_each_their_own_model(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, _run(4100, "v/First", blocks()) + _run(4200, "v/Second", MULTIPLE))
    r.go()
    r.settle()
    assert _targets(r) == EACH_ITS_OWN


def test_a_run_that_failed_while_nobody_watched_and_was_rotated_away_has_its_own_model(
    rig: Make, tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    append(log, CALM)
    r = rig(log)
    r.go()
    append(log, _run(4100, "v/First", blocks()))
    log.rename(tmp_path / "a.log.1")
    append(log, _run(4200, "v/Second", MULTIPLE))
    r.restart(kill=True)
    r.settle()
    assert _targets(r) == EACH_ITS_OWN
