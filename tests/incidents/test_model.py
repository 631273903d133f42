"""Any sequence of writes, crashes, restarts and replays against a model of twenty lines."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnose.incidents.nouns import Batch, Kind, Sighting
from diagnose.incidents.store import Store
from tests.incidents.crashing import NO_FORK, killed_at
from tests.incidents.kit import batch, finding, opened, sighting, write

pytestmark = NO_FORK

ENTRIES = ("kv-cache.insufficient-memory", "host.oom")
KINDS: tuple[Kind, ...] = ("opened", "amended", "recovered", "repeated")
CHANNELS = ("slack",)


@dataclass
class Episode:
    state: str
    count: int = 1


@dataclass
class Model:
    """What the store should hold: for every entry its episodes, and the alerts by kind."""

    episodes: dict[str, list[Episode]] = field(default_factory=lambda: {entry: [] for entry in ENTRIES})
    keys: dict[tuple[str, str, str, int], int] = field(default_factory=dict)
    of_run: dict[tuple[str, str], int] = field(default_factory=dict)
    alerts: Counter[str] = field(default_factory=Counter)
    offset: int | None = None

    def write(self, made: Batch) -> None:
        for new in made.sightings:
            self.take(new)
        self.offset = made.checkpoint.offset if made.checkpoint else self.offset

    def take(self, new: Sighting) -> None:
        entry = new.finding.entry
        key = (entry, new.run, new.kind, new.revision)
        if key in self.keys:
            return
        past = self.episodes[entry]
        is_open = [number for number, episode in enumerate(past) if episode.state == "open"]
        number = self.of_run.get((entry, new.run), is_open[-1] if is_open else len(past) - 1)
        happens = new.kind in ("opened", "repeated")
        if number < 0 or (happens and past[number].state != "open"):
            number = len(past)
            past.append(Episode("recovered" if new.kind == "recovered" else "open"))
            self.alerts["opened" if happens else new.kind] += 1
        else:
            past[number].count += happens
            if new.kind == "recovered":
                past[number].state = "recovered"
            # The clock stands still: an opening that is open already was told within the hour.
            if new.kind != "opened":
                self.alerts[new.kind] += 1
        self.keys[key] = self.of_run[entry, new.run] = number


sightings = st.builds(
    lambda entry, kind, run, revision: sighting(kind, f"run{run}", revision, finding(entry=entry)),
    st.sampled_from(ENTRIES),
    st.sampled_from(KINDS),
    st.integers(1, 3),
    st.integers(0, 1),
)
batches = st.lists(sightings, max_size=4).flatmap(
    lambda some: st.integers(0, 1_000).map(lambda offset: batch(*some, offset=offset))
)
steps = st.one_of(
    batches.map(lambda made: ("write", made, 0)),
    st.tuples(st.just("killed"), batches, st.integers(1, 60)),
    st.tuples(st.just("again"), st.just(batch()), st.just(0)),
    st.tuples(st.just("restart"), st.just(batch()), st.just(0)),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an empty store: making one is the slowest part."""
    path = tmp_path_factory.mktemp("empty")
    opened(path).close()
    return path


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(plan=st.lists(steps, max_size=8))
def test_the_store_holds_what_the_model_says_after_any_sequence(
    empty: Path, plan: list[tuple[str, Batch, int]]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(shutil.copytree(empty, Path(directory) / "store"))
        model = Model()
        store = opened(path)
        last = batch()
        for what, made, step in plan:
            if what == "restart":
                store.close()
                store = opened(path)
                continue
            made = last if what == "again" else made
            if what == "killed":
                store.close()
                killed_at(path, step, lambda child, made=made: write(child, made, CHANNELS))
                store = opened(path)  # and the watcher reads the same bytes again
            write(store, made, CHANNELS)
            model.write(made)
            last = made
        check(store, model)
        store.close()


def check(store: Store, model: Model) -> None:
    with store.connection.reading() as conn:
        for entry, episodes in model.episodes.items():
            rows = conn.execute("SELECT state, count FROM incidents WHERE entry = ? ORDER BY rowid", (entry,))
            assert rows.fetchall() == [(episode.state, episode.count) for episode in episodes]
        told = conn.execute("SELECT kind, count(*) FROM outbox GROUP BY kind").fetchall()
        assert dict(told) == dict(model.alerts)
        found = conn.execute("SELECT offset FROM checkpoints").fetchall()
        assert found == ([] if model.offset is None else [(model.offset,)])
