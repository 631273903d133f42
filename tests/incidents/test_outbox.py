"""Every alert is told to every channel exactly once, in order, and repeats follow a rule."""

from __future__ import annotations

from pathlib import Path

from diagnose.incidents import editing
from diagnose.incidents.outbox import REMIND_S
from diagnose.incidents.store import Store
from diagnose.incidents.times import FOREVER
from tests.incidents.kit import HOST, SOURCE, START, Clock, batch, finding, opened, sighting, write

CHANNELS = ("slack", "webhook")


def due(store: Store, now: float = START) -> list[tuple[str, str]]:
    return [(alert.channel, alert.kind) for alert in store.due_alerts(now)]


def tell_all(store: Store, now: float) -> list[str]:
    kinds = []
    while alerts := store.due_alerts(now):
        for alert in alerts:
            kinds.append(alert.kind)
            store.alert_done(alert.key)
    return kinds


def test_an_alert_is_made_for_every_channel(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (incident,) = write(store, batch(sighting()), CHANNELS)
    assert due(store) == [("slack", "opened"), ("webhook", "opened")]
    alert = store.due_alerts()[0]
    assert alert.payload["event"] == "opened"
    assert alert.payload["incident"] == alert.incident == incident.id
    assert (alert.payload["source"], alert.payload["host"]) == (SOURCE, HOST)
    assert alert.payload["finding"]["entry"] == "kv-cache.insufficient-memory"


def test_without_channels_nobody_is_told(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()))
    assert due(store) == []


def test_a_replayed_batch_is_not_told_again(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()), CHANNELS)
    assert tell_all(store, START) == ["opened", "opened"]
    write(store, batch(sighting()), CHANNELS)
    assert due(store) == []


def test_what_was_replayed_silently_stays_silent(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()))
    write(store, batch(sighting()), CHANNELS)
    assert due(store) == []


def test_a_failed_alert_comes_back_at_its_time(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()), ("slack",))
    (alert,) = store.due_alerts(START)
    store.alert_failed(alert.key, START + 30)
    assert store.due_alerts(START + 29) == ()
    (again,) = store.due_alerts(START + 30)
    assert (again.key, again.attempts) == (alert.key, 1)


def test_a_given_up_alert_does_not_come_back_and_frees_the_next_one(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting(), sighting("recovered")), ("slack",))
    assert due(store) == [("slack", "opened")]
    store.alert_failed(store.due_alerts(START)[0].key, None)
    assert due(store, START + 1e6) == [("slack", "recovered")]


def test_a_later_alert_waits_for_the_earlier_one_of_its_incident_only(tmp_path: Path) -> None:
    store = opened(tmp_path)
    other = finding(entry="host.oom", text="Killed")
    write(store, batch(sighting(), sighting("recovered"), sighting(found=other)), ("slack",))
    store.alert_failed(store.due_alerts(START)[0].key, START + 30)
    (alert,) = store.due_alerts(START)
    assert alert.payload["finding"]["entry"] == "host.oom"
    store.alert_done(alert.key)
    assert tell_all(store, START + 30) == ["opened", "recovered"]


def test_done_twice_is_done_once(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()), ("slack",))
    key = store.due_alerts(START)[0].key
    store.alert_done(key)
    store.alert_failed(key, START)
    store.alert_done(key)
    assert due(store, START + 1e6) == []


def test_a_crash_loop_is_told_once_an_hour(tmp_path: Path) -> None:
    clock = Clock()
    store = opened(tmp_path, clock)
    kinds = []
    for number in range(241):  # a failing start every minute for four hours
        clock.now = START + 60.0 * number
        write(store, batch(sighting(run=f"run{number}")), ("slack",))
        kinds += tell_all(store, clock.now)
    assert REMIND_S == 3_600
    assert kinds == ["opened", "repeated", "repeated", "repeated", "repeated"]


def test_a_channel_that_was_never_told_hears_that_it_opened(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting()))
    write(store, batch(sighting(run="run2")), ("slack",))
    assert due(store) == [("slack", "opened")]


def test_failure_recovery_failure_is_told_three_times(tmp_path: Path) -> None:
    store = opened(tmp_path)
    write(store, batch(sighting(), sighting("recovered"), sighting(run="run2")), ("slack",))
    assert sorted(tell_all(store, START)) == ["opened", "opened", "recovered"]


def test_a_muted_incident_is_not_told_until_then(tmp_path: Path) -> None:
    clock = Clock()
    store = opened(tmp_path, clock)
    (incident,) = write(store, batch(sighting()), ("slack",))
    editing.mute(store.connection, incident, "2023-11-15T00:00:00.000Z")
    assert due(store) == []
    write(store, batch(sighting("recovered")), ("slack",))
    assert due(store) == []
    clock.now += 86_400
    write(store, batch(sighting(run="run2")), ("slack",))
    assert due(store, clock.now) == [("slack", "opened")]


def test_a_mute_holds_for_the_incident_that_follows(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (incident,) = write(store, batch(sighting(), sighting("recovered")))[:1]
    editing.mute(store.connection, incident, FOREVER)
    (second,) = write(store, batch(sighting(run="run2")), ("slack",))
    assert second.id != incident.id
    assert due(store) == []
