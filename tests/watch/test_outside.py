"""What the daemon shows to the outside: metrics and health, systemd, the live view, lines and JSON."""

from __future__ import annotations

import io
import json
import socket
import urllib.request
from pathlib import Path
from typing import Any, get_args

import pytest

from diagnose.incidents.nouns import Alert, Kind
from diagnose.model import InputError
from diagnose.watch.alerts import channel_of
from diagnose.watch.listening import Numbers, application, listen, parse_address
from diagnose.watch.saying import event_lines, notice_line
from diagnose.watch.sinks import json_sink, text_sink
from diagnose.watch.systemd import Systemd
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.view import LiveView
from diagnose.watch.words import WORDS
from tests.watch.kit import CALM, Rig, append, blocks, start

KNOWN = ("opened", "amended", "recovered", "repeated", "unknown")


@pytest.fixture
def failed(tmp_path: Path) -> Any:
    log = tmp_path / "server.log"
    log.touch()
    rig = Rig([log])
    rig.daemon.step()
    append(log, start() + blocks() + CALM)
    rig.go()
    yield rig
    rig.close()


def _get(rig: Rig, path: str, now: float | None = None) -> tuple[str, str]:
    said: list[str] = []
    numbers = Numbers(rig.daemon, lambda: rig.keeper.down, lambda: (rig.dispatcher.sent, rig.dispatcher.failed))
    app = application(rig.daemon, numbers, lambda: rig.clock.now if now is None else now, lambda: rig.keeper.down)
    environ = {"PATH_INFO": path, "REQUEST_METHOD": "GET", "QUERY_STRING": ""}
    body = b"".join(app(environ, lambda status, headers, *_: said.append(status)))
    return said[0], body.decode()


def test_metrics_say_what_was_told_and_how_far_it_is_read(failed: Rig) -> None:
    pytest.importorskip("prometheus_client")
    failed.step()
    status, body = _get(failed, "/metrics")
    (source,) = failed.daemon.sources
    assert status.startswith("200")
    for line in (
        'rbln_diagnose_events_total{entry="kv-cache.below-minimum",event="opened"} 1.0',
        f'rbln_diagnose_lines_total{{source="{source}"}} 3.0',
        f'rbln_diagnose_lag_bytes{{source="{source}"}} 0.0',
        f'rbln_diagnose_run_state{{source="{source}",state="failed"}} 1.0',
        "rbln_diagnose_alerts_sent_total 1.0",
        "rbln_diagnose_store_up 1.0",
    ):
        assert line in body


def test_health_is_good_while_the_loop_turns_and_bad_when_it_does_not(failed: Rig) -> None:
    pytest.importorskip("prometheus_client")
    failed.step()
    status, body = _get(failed, "/healthz")
    assert status.startswith("200")
    assert json.loads(body)["sources"][0]["run"] == "failed"
    status, body = _get(failed, "/healthz", failed.clock.now + 60)
    assert status.startswith("503")
    assert json.loads(body)["status"] == "stalled"
    assert _get(failed, "/else")[0].startswith("404")


def test_every_answer_over_the_network_is_whole_whatever_was_answered_before(failed: Rig) -> None:
    pytest.importorskip("prometheus_client")
    numbers = Numbers(failed.daemon, lambda: False, lambda: (0, 0))
    failed.daemon.latest = []
    address, close = listen("127.0.0.1:0", application(failed.daemon, numbers, lambda: failed.clock.now, lambda: False))
    answers = []
    for _ in range(2):
        with urllib.request.urlopen(f"http://{address}/healthz", timeout=10) as answer:
            answers.append(json.load(answer)["sources"])
        failed.step()
    close()
    assert [len(sources) for sources in answers] == [0, 1]


def test_an_address_that_is_taken_or_wrong_is_said(failed: Rig) -> None:
    assert parse_address("[::1]:80") == ("::1", 80)
    for wrong in ("9108", "host:", "host:99999", "host:x"):
        with pytest.raises(InputError):
            parse_address(wrong)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match="cannot listen"):
            listen(f"127.0.0.1:{taken.getsockname()[1]}", lambda environ, start: [])


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_an_address_of_the_newer_kind_is_listened_on(failed: Rig) -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 here")
    pytest.importorskip("prometheus_client")
    numbers = Numbers(failed.daemon, lambda: False, lambda: (0, 0))
    address, close = listen("[::1]:0", application(failed.daemon, numbers, lambda: failed.clock.now, lambda: False))
    with urllib.request.urlopen(f"http://{address}/healthz", timeout=10) as answer:
        assert answer.status == 200
    close()


class Notifier:
    def __init__(self) -> None:
        self.said: list[str] = []

    def notify(self, text: str) -> None:
        self.said.append(text)


def test_systemd_hears_ready_once_and_a_sign_of_life_in_time() -> None:
    now = [0.0]
    notifier = Notifier()
    systemd = Systemd({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"}, 7, lambda: now[0], notifier)
    for _ in range(100):
        systemd.beat()
        now[0] += 1
    systemd.stopping()
    assert notifier.said[0] == "READY=1"
    assert notifier.said[-1] == "STOPPING=1"
    assert notifier.said.count("READY=1") == 1
    assert notifier.said.count("WATCHDOG=1") == 4


def test_systemd_of_another_process_and_no_systemd_hear_nothing() -> None:
    notifier = Notifier()
    Systemd({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"}, 7, lambda: 0.0, notifier).beat()
    assert notifier.said == ["READY=1"]
    silent = Systemd({}, 7, lambda: 0.0)
    silent.beat()
    silent.stopping()


def test_systemd_is_told_over_its_socket(tmp_path: Path) -> None:
    pytest.importorskip("sdnotify")
    import os

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as there:
        there.bind(str(tmp_path / "notify"))
        there.settimeout(5)
        os.environ["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        try:
            Systemd(os.environ, os.getpid(), lambda: 0.0).beat()
        finally:
            del os.environ["NOTIFY_SOCKET"]
        assert there.recv(100) == b"READY=1"


def test_the_live_view_shows_what_is_followed_and_what_happened(failed: Rig) -> None:
    from rich.console import Console

    out = io.StringIO()
    view = LiveView(
        Console(file=out, width=100, force_terminal=True, color_system=None), "ko", lambda: failed.clock.now
    )
    failed.step()
    view.state(failed.sink.states)
    for event in failed.sink.events:
        view.event(event)
    view.notice(Notice("rotated", "server.log"))
    view.state(failed.sink.states)
    view.close()
    said = out.getvalue()
    assert "server.log" in said
    assert WORDS["ko"]["failed"] in said
    assert "kvcache_num_blocks: 10 → 33" in said or "kvcache_num_blocks" in said
    assert WORDS["ko"]["last"] in said


def test_lines_and_json_say_the_same_and_hold_nothing_a_terminal_obeys(failed: Rig) -> None:
    (event,) = failed.sink.events
    for lang in ("en", "ko"):
        lines = event_lines(event, lang)  # type: ignore[arg-type]
        assert "kv-cache.below-minimum" in lines[0]
        assert ":2 " in lines[0]
        assert all(line.isprintable() for line in lines)
    out, err = io.StringIO(), io.StringIO()
    json_sink("ko", out, err).event(event)
    text_sink("ko", io.StringIO(), err).notice(Notice("ended", "a\x1b[31m.log"))
    made = json.loads(out.getvalue())
    assert (made["event"], made["finding"]["line"]) == ("opened", 2)
    assert set(made) == {"event", "incident", "finding", "source", "at"}
    assert out.getvalue().count("\n") == 1
    assert "\x1b" not in err.getvalue()


@pytest.mark.parametrize("key", sorted(WORDS["en"]))
def test_both_languages_say_the_same(key: str) -> None:
    import string

    fields = [{name for _, name, _, _ in string.Formatter().parse(WORDS[lang][key]) if name} for lang in ("en", "ko")]  # type: ignore[index]
    assert set(WORDS["en"]) == set(WORDS["ko"])
    assert fields[0] == fields[1]


def test_every_notice_has_its_words() -> None:
    import typing

    from diagnose.watch.tail import nouns

    for code in typing.get_args(nouns.Code):
        assert f"notice_{code}" in WORDS["en"]
    assert notice_line(Notice("truncated", "a.log", {"lost": 7}), "ko").startswith("a.log: ")


def test_an_alert_goes_out_through_apprise_and_an_address_it_does_not_know_is_refused() -> None:
    apprise = pytest.importorskip("apprise")
    from diagnose.watch.apprising import AppriseSender

    with pytest.raises(InputError):
        AppriseSender("nosuchservice://x", "en", "host")
    sender = AppriseSender("json://127.0.0.1:9/x", "en", "host")
    said: list[dict[str, Any]] = []
    sender._service = type("Service", (), {"notify": lambda self, **k: said.append(k) or True})()
    payload = {"event": "opened", "incident": "abc", "finding": {"title": {"en": "T"}, "entry": "e.x", "line": 3}}
    assert sender.send(Alert("key1", "abc", "opened", payload, channel_of("json://127.0.0.1:9/x")))
    assert "#key1" in said[0]["body"]
    assert "T [e.x]" in said[0]["title"]
    # A service shows by its type whether something broke or is over.
    for kind in get_args(Kind):
        assert sender.send(Alert("key2", "abc", kind, payload, "json"))
    assert [one["notify_type"] for one in said[1:]] == ["failure", "warning", "success", "failure"]
    assert apprise
