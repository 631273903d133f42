"""Health and Prometheus metrics over HTTP, in a thread of its own; it only reads what the last turn left."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from diagnose.model import InputError
from diagnose.watch.daemon import Daemon
from diagnose.watch.nouns import SourceState
from diagnose.watch.words import text

STALE_S = 30.0
"""A loop whose last turn is older than this is not alive."""
JSON = ("Content-Type", "application/json")
App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Shown = Callable[[Sequence[SourceState]], list[SourceState]]
"""The sources as they may be shown to others."""


class Numbers:
    """A collector of prometheus_client: every scrape reads the daemon as it is."""

    def __init__(
        self, daemon: Daemon, down: Callable[[], bool], alerts: Callable[[], tuple[int, int]], shown: Shown = list
    ) -> None:
        self._daemon = daemon
        self._shown = shown
        self._down = down
        self._alerts = alerts

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        states, stats = self._shown(self._daemon.latest), self._daemon.stats
        events = CounterMetricFamily("rbln_diagnose_events", "Events told", labels=["event", "entry"])
        for (kind, entry), count in list(stats.events.items()):
            events.add_metric([kind, entry], count)
        yield events
        per_source: tuple[tuple[Any, str, str, Callable[[Any], float]], ...] = (
            (CounterMetricFamily, "lines", "Lines read", lambda s: s.lines),
            (CounterMetricFamily, "read_bytes", "Bytes read", lambda s: s.bytes),
            (GaugeMetricFamily, "lag_bytes", "Bytes written and not read yet", lambda s: s.lag_bytes),
            (GaugeMetricFamily, "lag_seconds", "Time since nothing was left to read", lambda s: s.lag_s),
            (CounterMetricFamily, "lost_bytes", "Bytes cut away before they were read", lambda s: s.lost_bytes),
            (GaugeMetricFamily, "readable", "1 while the source can be read", lambda s: float(not s.trouble)),
        )
        for family, name, what, value in per_source:
            made = family(f"rbln_diagnose_{name}", what, labels=["source"])
            for state in states:
                made.add_metric([state.name], value(state))
            yield made
        run = GaugeMetricFamily(
            "rbln_diagnose_run_state", "1 for the state of the last run", labels=["source", "state"]
        )
        for state in states:
            run.add_metric([state.name, state.run], 1)
        yield run
        sent, failed = self._alerts()
        yield CounterMetricFamily("rbln_diagnose_alerts_sent", "Alerts that arrived", value=sent)
        yield CounterMetricFamily("rbln_diagnose_alert_failures", "Attempts that did not", value=failed)
        yield GaugeMetricFamily("rbln_diagnose_store_up", "1 while incidents can be written", value=not self._down())


def application(
    daemon: Daemon, numbers: Numbers, clock: Callable[[], float], down: Callable[[], bool], shown: Shown = list
) -> App:
    """``/metrics`` and ``/healthz`` (200 while the loop turns, 503 when it does not)."""
    from prometheus_client import CollectorRegistry, make_wsgi_app

    registry = CollectorRegistry()
    registry.register(numbers)
    metrics: App = make_wsgi_app(registry)

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == "/metrics":
            return metrics(environ, start)
        if path not in ("/healthz", "/livez", "/readyz"):
            start("404 Not Found", [JSON])  # a list of its own: the server writes the length into it
            return [b'{"error": "see /metrics and /healthz"}\n']
        alive = clock() - daemon.turned_at < STALE_S
        start("200 OK" if alive else "503 Service Unavailable", [JSON])
        states = [{"source": s.name, "run": s.run, "lag_bytes": s.lag_bytes} for s in shown(daemon.latest)]
        made = {"status": "ok" if alive else "stalled", "store": "down" if down() else "ok", "sources": states}
        return [json.dumps(made, ensure_ascii=False).encode() + b"\n"]

    return app


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Access lines are no talk a person needs."""


def parse_address(value: str) -> tuple[str, int]:
    """HOST and PORT. Raises InputError."""
    host, colon, port = value.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65_535:
        raise InputError(text("bad_listen", value=value))
    return host.strip("[]") or "127.0.0.1", int(port)


def listen(value: str, app: App) -> tuple[str, Callable[[], None]]:
    """Serve ``app`` on HOST:PORT (port 0: a free one); the address and a function that ends it. Raises InputError."""
    host, port = parse_address(value)
    try:
        server = make_server(host, port, app, server_class=_Server6 if ":" in host else _Server, handler_class=_Quiet)
    except OSError as error:
        raise InputError(text("cannot_listen", value=value, why=error.strerror or str(error))) from error
    threading.Thread(target=server.serve_forever, daemon=True, name="listen").start()

    def close() -> None:
        server.shutdown()
        server.server_close()

    return f"{f'[{host}]' if ':' in host else host}:{server.server_port}", close
