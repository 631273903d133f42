"""F. Alerts: once, bounded, never in the way of the tail, and nothing secret in them."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import pytest

from diagnose.incidents.nouns import Alert
from diagnose.redact.redactor import ALIAS
from diagnose.watch.alerts import MAX_ATTEMPTS, ThreadRunner, channel_of
from diagnose.watch.events import json_line
from diagnose.watch.memory import MemoryStore
from diagnose.watch.saying import alert_text
from tests.watch.kit import CALM, OPENED, Inbox, Make, append, blocks, ready, start, told

BELOW = OPENED["blocks"]


def test_53_an_incident_that_goes_on_is_told_once_and_again_after_an_hour(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start())
    for _ in range(30):
        append(log, blocks() + CALM)
        r.go(20)
    assert [k for k, _, _ in told(r.sink.events)] == ["opened"]
    assert len(r.inbox.once) == 1
    r.clock.advance(3_600)
    append(log, blocks() + CALM)
    r.go(1)
    r.settle()
    assert [k for k, _, _ in told(r.sink.events)] == ["opened", "repeated"]
    assert len(r.inbox.once) == 2


def test_53b_a_crash_loop_is_told_once_an_hour_and_counted_each_time(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    for pid in range(44):
        append(log, start(pid) + blocks() + CALM)
        r.go(180)
    assert [k for k, _, _ in told(r.sink.events)] == ["opened", "repeated", "repeated"]
    assert isinstance(r.store, MemoryStore)
    assert [i.count for i in r.store._incidents.values()] == [44]


def test_54_an_incident_after_a_recovery_is_another_one(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start(1) + blocks() + CALM)
    r.go()
    append(log, start(2) + ready(2) + CALM)
    r.go()
    append(log, start(3) + blocks() + CALM)
    r.go()
    kinds = [k for k, _, _ in told(r.sink.events)]
    assert kinds == ["opened", "recovered", "opened"]
    assert r.sink.events[0].incident != r.sink.events[2].incident
    assert [a.kind for a in r.inbox.once.values()] == kinds


def test_55_a_service_that_is_down_is_tried_less_and_less_and_the_tail_goes_on(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    attempts: list[float] = []
    down = True

    def works(alert: Alert) -> bool:
        attempts.append(r.clock.now)
        return not down

    r.inbox.works = works
    append(log, start() + blocks() + CALM)
    r.go()
    for _ in range(120):
        r.step(1)
    waits = [b - a for a, b in pairwise(attempts)]
    assert 4 <= len(attempts) <= 8
    assert waits == sorted(waits)
    assert r.codes().count("alert-failed") == 1
    down = False
    for _ in range(300):
        r.step(1)
    assert len(r.inbox.arrived) == 1
    assert r.keeper.due_alerts() == []


def test_55b_an_alert_is_given_up_some_day_and_that_is_said(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    r.inbox.works = lambda alert: False
    append(log, start() + blocks() + CALM)
    r.go()
    for _ in range(MAX_ATTEMPTS * 2):
        r.step(700)
    assert "alert-given-up" in r.codes()
    assert r.keeper.due_alerts() == []


def test_55c_a_slow_service_takes_what_its_queue_holds_and_no_more() -> None:
    import threading

    gate, seen = threading.Event(), []

    class Slow:
        def send(self, alert: Alert) -> bool:
            gate.wait(5)
            seen.append(alert.key)
            return True

    class Quick:
        def send(self, alert: Alert) -> bool:
            seen.append(alert.key)
            return True

    arrived = threading.Semaphore(0)
    runner = ThreadRunner({"slow": Slow(), "quick": Quick()}, arrived.release)
    taken = [runner.submit(Alert(f"s{i}", "i", "opened", {}, "slow")) for i in range(300)]
    assert 100 <= sum(taken) <= 101
    runner.submit(Alert("q", "i", "opened", {}, "quick"))
    assert arrived.acquire(timeout=5)
    assert seen == ["q"]  # the other channel is not held up
    assert [(a.key, ok) for a, ok in runner.results()] == [("q", True)]
    gate.set()
    runner.close()


def test_55d_what_arrives_while_the_watch_ends_is_not_told_again(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)

    class Late(Inbox):
        """Its answers come when it is closed."""

        def results(self) -> list[tuple[Alert, bool]]:
            return super().results() if self.closed else []

        closed = False

        def close(self) -> None:
            self.closed = True

    r.inbox = r.dispatcher._runner = late = Late()
    append(log, start() + blocks() + CALM)
    r.go()
    assert len(late.arrived) == 1
    assert len(r.keeper.due_alerts()) == 1
    r.restart()
    r.settle()
    assert r.keeper.due_alerts() == []
    assert len(late.arrived) == 1


SECRETS = {
    "hub token": "hf_AbCdEfGhIjKlMnOpQrStUv",
    "key": "sk-live0123456789abcdefghij",
    "bearer": "Authorization: Bearer abcdef0123456789abcdef",
    "named": "HF_TOKEN=Zm9vYmFyYmF6cXV4",
    "json": '"api_key": "0f8e7d6c5b4a3928"',
    "password": "password: correct-horse-battery",
    "url": "postgres://admin:hunter2secret@db.local/x",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc123def456",
}
PLANTED = {
    "hub token": "AbCdEfGhIjKlMnOpQrStUv",
    "key": "live0123456789abcdefghij",
    "bearer": "abcdef0123456789abcdef",
    "named": "Zm9vYmFyYmF6cXV4",
    "json": "0f8e7d6c5b4a3928",
    "password": "correct-horse-battery",
    "url": "hunter2secret",
    "aws": "IOSFODNN7EXAMPLE",
    "jwt": "hbGciOiJIUzI1NiJ9",
}


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_57_a_secret_in_the_log_is_nowhere_else(rig: Make, tmp_path: Path, name: str) -> None:
    log = tmp_path / "a.log"
    log.touch()
    store = MemoryStore(lambda: 1.0)
    r = rig(log, store=store)
    line = f"INFO 11-29 11:58:00 [x.py:1] {SECRETS[name]}\n"
    failed = blocks().rstrip("\n") + f" {SECRETS[name]}\n"
    append(log, start() + line + failed + line + CALM)
    r.go()
    r.settle()
    (event,) = r.sink.events
    (incident,) = store._incidents.values()
    (alert,) = r.inbox.arrived
    said = [
        json_line(event),
        json.dumps(asdict(incident), default=str),
        json.dumps(alert.payload, default=str),
        *alert_text(alert.kind, alert.payload, "en", host="h", source="s"),
    ]
    assert all(PLANTED[name] not in text for text in said)
    assert ALIAS.search(incident.excerpt)


def test_57d_a_channel_is_named_without_its_address() -> None:
    name = channel_of("slack://TokenA/TokenB/TokenC")
    assert name.startswith("slack:")
    assert "Token" not in name
    assert name != channel_of("slack://TokenA/TokenB/TokenD")


def test_57e_an_alert_names_its_log_without_the_names_in_its_path(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "hf_AbCdEfGhIjKlMnOpQrStUv" / "a.log"
    log.parent.mkdir()
    log.touch()
    r = rig(log)
    append(log, start() + blocks() + CALM)
    r.go()
    (alert,) = r.inbox.arrived
    assert str(alert.payload["source"]).partition("#")[0].endswith("a.log")
    assert "AbCdEfGhIjKlMnOpQrStUv" not in json.dumps(alert.payload)
    assert alert.payload["host"] == "here"


def test_an_address_in_a_log_is_no_channel(rig: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refused(*args: object, **more: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    hook = (
        "https://hooks.example.org/services/T0/B0/key slack://T0/B0/key json://127.0.0.1:9/ --alert slack://T0/B0/key"
    )
    append(log, start() + f"ERROR 11-29 12:00:00 [a.py:1] alert {hook}\n" + blocks().rstrip("\n") + f" {hook}\n" + CALM)
    r.go()
    r.settle()
    assert r.inbox.arrived
    assert {alert.channel for alert in r.inbox.arrived} == set(r.dispatcher.channels) == {"test"}
