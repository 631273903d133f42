"""Incidents, checkpoints and starts: written once, all together, the same after every replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.incidents.nouns import Checkpoint
from diagnose.incidents.rows import MAX_EXCERPT_LINES
from tests.incidents.kit import (
    HOST,
    SHORTER,
    SOURCE,
    START,
    Clock,
    batch,
    everything,
    finding,
    opened,
    run_context,
    sighting,
    write,
)


def test_an_incident_holds_what_happened(tmp_path: Path) -> None:
    (found,) = write(opened(tmp_path), batch(sighting(excerpt="a\nb")))
    assert (found.entry, found.target, found.source, found.host) == (
        "kv-cache.insufficient-memory",
        "Qwen3-8B@REBEL",
        SOURCE,
        HOST,
    )
    assert (found.first_seen, found.last_seen) == ("2023-11-14T22:13:20.000Z",) * 2
    assert (found.count, found.state, found.excerpt, found.numbers) == (1, "open", "a\nb", {"available_blocks": 12})
    assert found.config == {"max_seq_len": 262_144, "batch_size": 8}
    assert found.versions == {"vllm_rbln": "0.12.0"}
    assert [remedy["id"] for remedy in found.remedies] == ["shorter-context", "smaller-batch"]
    assert found.finding["title"]["ko"].startswith("디바이스")


def test_one_incident_comes_back_for_every_sighting_in_order(tmp_path: Path) -> None:
    other = finding(entry="host.oom", text="Killed")
    found = write(opened(tmp_path), batch(sighting(), sighting(found=other), sighting("recovered")))
    assert [one.entry for one in found] == ["kv-cache.insufficient-memory", "host.oom", "kv-cache.insufficient-memory"]
    assert found[0] == found[2]


def test_writing_a_batch_again_changes_nothing(tmp_path: Path) -> None:
    store = opened(tmp_path)
    made = batch(
        sighting(), sighting("recovered"), sighting("opened", "run2"), offset=70, started=("run3", run_context())
    )
    first = write(store, made, ("slack",))
    before = everything(store)
    assert write(store, made, ("slack",)) == first
    assert everything(store) == before


def test_ids_are_short_and_the_same_in_every_store(tmp_path: Path) -> None:
    ids = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (one,) = write(opened(tmp_path / name), batch(sighting()))
        ids.append(one.id)
    assert ids[0] == ids[1]
    assert len(ids[0]) == 8


def test_an_open_incident_that_comes_again_is_counted(tmp_path: Path) -> None:
    clock = Clock()
    store = opened(tmp_path, clock)
    write(store, batch(sighting()))
    clock.now += 60
    (found,) = write(store, batch(sighting(run="run2")))
    (again,) = write(store, batch(sighting("repeated", "run2", 1)))
    assert (found.count, again.count, again.id) == (2, 3, found.id)
    assert (again.first_seen, again.last_seen) == ("2023-11-14T22:13:20.000Z", "2023-11-14T22:14:20.000Z")


def test_after_a_recovery_the_same_failure_is_a_new_incident_linked_to_the_old_one(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (first,) = write(store, batch(sighting()))
    (over,) = write(store, batch(sighting("recovered")))
    (second,) = write(store, batch(sighting(run="run2")))
    assert (over.id, over.state) == (first.id, "recovered")
    assert (second.state, second.count, second.previous) == ("open", 1, first.id)
    assert second.id != first.id


def test_an_amendment_changes_the_incident_of_its_run(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (first,) = write(store, batch(sighting()))
    better = finding(numbers={"available_blocks": 13}, remedies=(SHORTER,))
    (found,) = write(store, batch(sighting("amended", revision=1, found=better)))
    assert (found.id, found.count, found.numbers, len(found.remedies)) == (first.id, 1, {"available_blocks": 13}, 1)


def test_an_incident_that_turns_out_to_be_an_echo_is_settled(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()))
    (found,) = write(store, batch(sighting("amended", revision=1, found=finding(role="consequence"))))
    assert found.state == "resolved"


def test_news_of_an_incident_the_store_has_lost_makes_it_again(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (amended,) = write(store, batch(sighting("amended", revision=1)))
    other = sighting("recovered", found=finding(entry="host.oom"))
    (recovered,) = write(store, batch(other))
    assert (amended.state, amended.count) == ("open", 1)
    assert (recovered.state, recovered.count) == ("recovered", 1)


def test_sources_have_incidents_of_their_own(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (one,) = write(store, batch(sighting()))
    (other,) = write(store, batch(sighting()), source="/var/log/other.log")
    (again,) = write(store, batch(sighting("recovered")))
    assert one.id != other.id
    assert again.id == one.id


def test_a_checkpoint_is_kept_for_every_source(tmp_path: Path) -> None:
    store = opened(tmp_path)
    assert store.checkpoint(SOURCE) is None
    write(store, batch(offset=70))
    write(store, batch(offset=90))
    assert store.checkpoint(SOURCE) == Checkpoint(SOURCE, "1:2:abc", 90, 9)
    assert store.checkpoint("/other") is None


def test_the_store_is_there_after_a_restart(tmp_path: Path) -> None:
    store = opened(tmp_path)
    made = batch(sighting(), offset=70)
    before = write(store, made)
    store.close()
    store = opened(tmp_path)
    assert store.checkpoint(SOURCE) == made.checkpoint
    assert write(store, made) == before


@pytest.mark.parametrize("lines", [1, MAX_EXCERPT_LINES, MAX_EXCERPT_LINES + 1, 500])
def test_an_excerpt_has_at_most_twenty_lines(tmp_path: Path, lines: int) -> None:
    text = "\n".join(f"line {number}" for number in range(lines))
    (found,) = write(opened(tmp_path), batch(sighting(excerpt=text)))
    kept = found.excerpt.split("\n")
    assert len(kept) == min(lines, MAX_EXCERPT_LINES)
    assert (kept[0], kept[-1]) == ("line 0", f"line {lines - 1}")


def test_what_a_terminal_would_obey_is_not_kept(tmp_path: Path) -> None:
    (found,) = write(opened(tmp_path), batch(sighting(found=finding("\x1b[31mfailed\x07"), excerpt="\x1b[2Jx")))
    assert "\x1b" not in found.excerpt + found.finding["text"]


def test_the_time_of_the_event_may_be_given(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (found,) = store.write(batch(sighting()), source=SOURCE, host=HOST, at_s=START - 86_400)
    assert found.last_seen == "2023-11-13T22:13:20.000Z"


def test_only_the_person_may_read_the_file(tmp_path: Path) -> None:
    store = opened(tmp_path / "new")
    assert store.connection.path.stat().st_mode & 0o077 == 0
